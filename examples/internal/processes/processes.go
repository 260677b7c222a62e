//go:build unix

// Package processes finds processes by an entry of their environment, which their children
// inherit, and ends them. It reads /proc.
package processes

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

// Marked reports whether a process has the entry NAME=VALUE in its environment. A zombie
// has none.
func Marked(pid int, entry string) bool {
	environ, err := os.ReadFile(fmt.Sprintf("/proc/%d/environ", pid))
	return err == nil && strings.Contains("\x00"+string(environ), "\x00"+entry+"\x00")
}

// Kill kills the processes that match, and all their descendants. It returns how many match.
func Kill(match func(pid int) bool) (found int, err error) {
	files, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil {
		return 0, err
	}
	children := map[int][]int{}
	var list []int
	for _, f := range files {
		text, err := os.ReadFile(f)
		if err != nil {
			continue // it has just ended
		}
		// The second field is a name in parentheses, which may itself contain parentheses.
		fields := strings.Fields(string(text[strings.LastIndexByte(string(text), ')')+1:]))
		pid, err := strconv.Atoi(strings.Split(f, "/")[2])
		if err != nil || len(fields) < 2 {
			continue
		}
		if parent, err := strconv.Atoi(fields[1]); err == nil {
			children[parent] = append(children[parent], pid)
		}
		if match(pid) {
			list = append(list, pid)
		}
	}
	found = len(list)
	seen := map[int]bool{}
	for ; len(list) > 0; list = list[1:] {
		pid := list[0]
		if seen[pid] {
			continue
		}
		seen[pid] = true
		list = append(list, children[pid]...)
		if err := syscall.Kill(pid, syscall.SIGKILL); err != nil && !errors.Is(err, syscall.ESRCH) {
			return found, err
		}
	}
	return found, nil
}
