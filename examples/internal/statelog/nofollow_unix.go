//go:build unix

package statelog

import "syscall"

const noFollow = syscall.O_NOFOLLOW
