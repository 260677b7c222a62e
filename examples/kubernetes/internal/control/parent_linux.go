package control

import (
	"os/exec"
	"syscall"
)

// endWithParent has a server end when this program is killed.
func endWithParent(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL, Setpgid: true}
}
