package trace

import (
	"bytes"
	"errors"
	"io"
	"math"
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll/internal/inputerr"
)

func TestWriteDemand(t *testing.T) {
	long := make([]int, 10_000)
	for s := range long {
		long[s] = s * 200_000
	}
	for _, demand := range [][]int{{0}, {3, 1, math.MaxInt32}, long} {
		var b bytes.Buffer
		if err := WriteDemand(&b, demand); err != nil {
			t.Fatal(err)
		}
		want := "instances\n"
		for _, d := range demand {
			want += strconv.Itoa(d) + "\n"
		}
		if diff := cmp.Diff(want, b.String()); diff != "" {
			t.Errorf("-want +got:\n%s", diff)
		}
	}
	var b bytes.Buffer
	if err := WriteDemand(&b, nil); err != nil || b.String() != "instances\n" {
		t.Errorf("%q, %v", b.String(), err)
	}
	b.Reset()
	var in *inputerr.Error
	if err := WriteDemand(&b, []int{1, -1}); !errors.As(err, &in) || in.Index != 1 || !errors.Is(err, ErrRange) || b.Len() > 0 {
		t.Errorf("%v after %q", err, b.String())
	}
	for _, demand := range [][]int{nil, long} {
		if err := WriteDemand(failing{io.ErrClosedPipe}, demand); err != io.ErrClosedPipe {
			t.Error("the error of the destination is lost")
		}
	}
}
