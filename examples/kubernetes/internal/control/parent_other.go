//go:build unix && !linux

package control

import (
	"os/exec"
	"syscall"
)

// endWithParent keeps an interrupt of this program away from a server, which Stop ends.
func endWithParent(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }
