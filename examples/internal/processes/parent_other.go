//go:build !linux

package processes

import "os/exec"

// EndWithParent does nothing: only Linux ends a command with the program that started it.
func EndWithParent(cmd *exec.Cmd) {}
