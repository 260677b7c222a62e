package progress

import (
	"os"
	"syscall"
	"testing"
	"unsafe"
)

// A terminal is as wide as it tells, and 80 columns where it does not; there the line is shown.
func TestTerminalTellsItsWidth(t *testing.T) {
	f, err := os.OpenFile("/dev/ptmx", os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		t.Skip(err)
	}
	defer f.Close()
	for _, c := range [][2]uint16{{0, 80}, {1, 1}, {33, 33}, {500, 500}} {
		size := struct{ rows, columns, x, y uint16 }{24, c[0], 0, 0}
		if _, _, e := syscall.Syscall(syscall.SYS_IOCTL, f.Fd(), syscall.TIOCSWINSZ, uintptr(unsafe.Pointer(&size))); e != 0 {
			t.Skip(e)
		}
		if width, ok := Terminal(f); !ok || width != int(c[1]) {
			t.Errorf("a terminal of %d columns has %d, %v; want %d", c[0], width, ok, c[1])
		}
		if l := New(f); l.w != f || l.width != int(c[1]) {
			t.Errorf("the line on a terminal of %d columns is %d wide", c[1], l.width)
		}
	}
}
