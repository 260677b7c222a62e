package processes

import (
	"os/exec"
	"syscall"
)

// EndWithParent has a command killed when this program is killed. It is called before the
// command starts.
func EndWithParent(cmd *exec.Cmd) {
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = new(syscall.SysProcAttr)
	}
	cmd.SysProcAttr.Pdeathsig = syscall.SIGKILL
}
