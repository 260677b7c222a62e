package processes

import (
	"os/exec"
	"syscall"
)

// EndWithParent has a command killed when this program ends, however that comes. It is called before
// the command starts. The command's own children live on. Linux kills it already when the thread ends
// that started it, which is a thread of the program's whole life unless its goroutine was locked to it:
// start the command from a goroutine without runtime.LockOSThread.
func EndWithParent(cmd *exec.Cmd) {
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = new(syscall.SysProcAttr)
	}
	cmd.SysProcAttr.Pdeathsig = syscall.SIGKILL
}
