//go:build !js

package cli

import (
	"os"
	"syscall"
)

// endings are the signals that end a program.
var endings = []os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGPIPE}
