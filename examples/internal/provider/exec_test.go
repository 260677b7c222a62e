//go:build unix

package provider

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// Commands have what they need in their environment, and a deletion has the token and
// the node of the instance if the list has it.
func TestExecEnvironment(t *testing.T) {
	t.Parallel()
	e, dir := scripts(t)
	note := `; echo "$PLIMSOLL_TOKEN $PLIMSOLL_NODE ${PLIMSOLL_ID-none}" >>$CLOUD/seen`
	e.CreateCommand += note
	e.DeleteCommand += note
	ctx := context.Background()
	in, err := e.Create(ctx, "c-1-n1", "n1")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := e.Delete(ctx, in.ID); err != nil {
		t.Fatal(err)
	}
	seen, err := os.ReadFile(filepath.Join(dir, "seen"))
	if want := "c-1-n1 n1 none\nc-1-n1 n1 i-c-1-n1\n"; err != nil || string(seen) != want {
		t.Errorf("they see %q, want %q, %v", seen, want, err)
	}
}

// An instance that the cloud has forgotten, or whose deletion tells no more than its end, has
// ended; one whose deletion does not tell an end has not.
func TestExecForgotten(t *testing.T) {
	t.Parallel()
	e, _ := scripts(t)
	ctx := context.Background()
	end := time.Date(2031, 2, 3, 4, 5, 6, 0, time.UTC)
	in, err := e.Create(ctx, "c-1-n1", "n1")
	if err != nil {
		t.Fatal(err)
	}
	e.DeleteCommand = `echo "{\"id\":\"$PLIMSOLL_ID\"}"`
	if got, err := e.Delete(ctx, in.ID); err != nil || got != in {
		t.Errorf("an instance that still ends: %+v, %v, want %+v", got, err, in)
	}
	e.DeleteCommand = `echo "{\"id\":\"$PLIMSOLL_ID\",\"ended\":\"2031-02-03T04:05:06Z\"}"`
	want := in
	want.Ended = end
	if got, err := e.Delete(ctx, in.ID); err != nil || got != want {
		t.Errorf("an instance of the list: %+v, %v, want %+v", got, err, want)
	}
	if got, err := e.Delete(ctx, "i-2"); err != nil || !got.Ended.Equal(end) || got.ID != "i-2" {
		t.Errorf("an instance that is forgotten: %+v, %v", got, err)
	}
	e.CreateCommand = `echo "{\"id\":\"i-3\",\"token\":\"$PLIMSOLL_TOKEN\",\"node\":\"n1\"}"`
	if _, err := e.Create(ctx, "c-3-n1", "n1"); err == nil || !strings.Contains(err.Error(), "no time of creation") {
		t.Errorf("a creation without its time: %v", err)
	}
}

// What a command leaves behind does not keep its answer back, and stays.
func TestExecLeavesBehind(t *testing.T) {
	t.Parallel()
	e, _ := scripts(t)
	e.ListCommand = `sleep 30 & echo "{\"id\":\"$!\",\"created\":\"2030-01-01T00:00:00Z\"}"`
	e.Timeout = 20 * time.Second
	begin := time.Now()
	list, err := e.List(context.Background())
	if err != nil || len(list) != 1 {
		t.Fatalf("%+v, %v", list, err)
	}
	if d := time.Since(begin); d > 15*time.Second {
		t.Errorf("it took %v", d)
	}
	text, err := os.ReadFile("/proc/" + list[0].ID + "/cmdline")
	if _, none := os.Stat("/proc/self"); none == nil && !strings.Contains(string(text), "sleep") {
		t.Errorf("it has been ended: %q, %v", text, err)
	}
}

// A command that lies, or writes what is not asked for, fails with a reason, and what it
// has written to standard error is in it.
func TestExecReasons(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	for _, c := range []struct {
		name, create, list, want string
		refused                  bool
	}{
		{name: "another token", create: `echo "{\"id\":\"i-9\",\"token\":\"other\",\"node\":\"n1\",\"created\":\"2030-01-01T00:00:00Z\"}"`,
			want: "it has not written the instance"},
		{name: "another node", create: `echo "{\"id\":\"i-9\",\"token\":\"$PLIMSOLL_TOKEN\",\"node\":\"n7\",\"created\":\"2030-01-01T00:00:00Z\"}"`,
			want: `is for node "n7", and "n1" was asked for`},
		{name: "nothing", create: "true", want: "it has not written the instance"},
		{name: "text", create: "echo created", want: "instance 0 of its output"},
		{name: "fails", create: "echo no credentials >&2; exit 1", want: "no credentials"},
		{name: "refuses", create: "echo no capacity >&2; exit 3", want: "no capacity", refused: true},
		{name: "hangs", create: "echo waiting for the cloud >&2; sleep 300", want: "waiting for the cloud"},
		{name: "none", create: "/nonexistent/create", want: "/nonexistent/create"},
		{name: "the list refuses", create: "true", list: "echo not today >&2; exit 3", want: "not today"},
		{name: "the list fails", create: "true", list: "echo no network >&2; exit 1", want: "no network"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			e := &Exec{CreateCommand: c.create, ListCommand: c.list, Timeout: 300 * time.Millisecond}
			if c.list == "" {
				e.ListCommand = "true"
			}
			if c.name != "hangs" {
				e.Timeout = 20 * time.Second
			}
			_, err := e.Create(ctx, "c-1-n1", "n1")
			if err == nil || !strings.Contains(err.Error(), c.want) || errors.Is(err, ErrRefused) != c.refused {
				t.Errorf("%v, refused %v; want %q, %v", err, errors.Is(err, ErrRefused), c.want, c.refused)
			}
		})
	}
}

// Output without end fills no memory, and fails.
func TestExecEndlessOutput(t *testing.T) {
	t.Parallel()
	e := &Exec{ListCommand: "yes 0123456789012345678901234567890123456789", Timeout: 20 * time.Second}
	if _, err := e.List(context.Background()); !errors.Is(err, errOutput) {
		t.Errorf("it fails with %v", err)
	}
}
