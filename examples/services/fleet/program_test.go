package main

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// asFleet in the environment makes the test's program the program fleet.
const asFleet = "PLIMSOLL_TEST_AS_FLEET"

func TestMain(m *testing.M) {
	if os.Getenv(asFleet) != "" {
		main()
		return
	}
	quiet()
	os.Exit(m.Run())
}

// fleet runs the program, and returns what it prints and its exit status. The program leaves no
// temporary file.
func fleet(t *testing.T, args ...string) (string, int) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(context.Background(), self, args...)
	scratch := t.TempDir()
	cmd.Env = append(os.Environ(), asFleet+"=1", "TMPDIR="+scratch)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Run(); cmd.ProcessState == nil {
		t.Fatal(err)
	}
	if left, err := os.ReadDir(scratch); err != nil || len(left) > 0 {
		t.Errorf("%q leaves %v, %v", args, left, err)
	}
	return out.String(), cmd.ProcessState.ExitCode()
}

// Shards give the files of an engine, byte by byte.
func TestShardsAsEngine(t *testing.T) {
	dir := t.TempDir()
	flags := []string{"-curves", "45", "-sample", "10", "-rounds", "2"}
	engine := filepath.Join(dir, "engine")
	if out, status := fleet(t, append(flags, "-out", engine)...); status != 0 {
		t.Fatal(out)
	}
	work, out := filepath.Join(dir, "work"), filepath.Join(dir, "out")
	for round, want := range []int{3, 0} {
		for _, i := range []string{"1/2", "2/2"} {
			if said, status := fleet(t, append(append([]string{"shard", "-dir", work}, flags...), i)...); status != 0 {
				t.Fatal(said)
			}
		}
		said, status := fleet(t, "merge", "-dir", work, "-out", out)
		if status != want {
			t.Fatalf("round %d: status %d, want %d: %s", round+1, status, want, said)
		}
		if end := "this round is done: run the shards again, and then fleet merge\n"; round == 0 && !strings.HasSuffix(said, end) {
			t.Errorf("got %q, want %q at the end", said, end)
		}
	}
	same(t, engine, out)
}

func TestShardRefuses(t *testing.T) {
	dir := t.TempDir()
	for _, c := range []struct {
		args   []string
		status int
		want   string
	}{
		{[]string{"shard"}, 2, "no shard: want fleet shard I/N, such as fleet shard 1/16"},
		{[]string{"shard", "-dir", dir, "0/4"}, 2, `the shard "0/4": want I/N, from 1/N to N/N`},
		{[]string{"shard", "-dir", dir, "5/4"}, 2, `the shard "5/4"`},
		{[]string{"shard", "-dir", dir, "one"}, 2, `the shard "one"`},
		{[]string{"shard", "-curves", "0", "1/4"}, 2, "-curves"},
		{[]string{"shard", "-h"}, 0, "Usage: fleet shard"},
		{[]string{"merge", "-h"}, 0, "Usage: fleet merge"},
		{[]string{"merge", "-dir", dir}, 2, "holds no shards: run fleet shard 1/N and so on first"},
		{[]string{"merge", "-format", "xml"}, 2, "want csv, parquet or focus"},
	} {
		out, status := fleet(t, c.args...)
		if status != c.status || !strings.Contains(out, c.want) {
			t.Errorf("%v: status %d and %q, want %d and %q", c.args, status, out, c.status, c.want)
		}
		if c.status != 0 && strings.Count(out, "\n") != 1 {
			t.Errorf("%v: %q: want one sentence", c.args, out)
		}
	}
}

// same compares the files of two folders.
func same(t *testing.T, a, b string) {
	t.Helper()
	files, err := os.ReadDir(a)
	if err != nil || len(files) < 4 {
		t.Fatalf("%d files in %s, %v", len(files), a, err)
	}
	others, err := os.ReadDir(b)
	if err != nil || len(files) != len(others) {
		t.Errorf("%d and %d files, %v", len(files), len(others), err)
	}
	for _, f := range files {
		x, err := os.ReadFile(filepath.Join(a, f.Name()))
		if err != nil {
			t.Fatal(err)
		}
		y, err := os.ReadFile(filepath.Join(b, f.Name()))
		if err != nil || !bytes.Equal(x, y) {
			t.Errorf("%s differs, %v", f.Name(), err)
		}
	}
}

// What is not planned stops nothing, and with -strict makes the status 1.
func TestStrict(t *testing.T) {
	flags := []string{"-curves", "20", "-poison", "5", "-sample", "10", "-rounds", "1"}
	const want = "fleet: -strict: 4 accounts, kinds or files are not planned\n"
	for strict, status := range map[bool]int{false: 0, true: 1} {
		args := flags
		if strict {
			args = append(args[:len(args):len(args)], "-strict")
		}
		if out, got := fleet(t, args...); got != status || strings.HasSuffix(out, want) != strict ||
			!strings.Contains(out, "16 curves of 8760 hours planned, 4 not") {
			t.Errorf("strict %v: status %d: %s", strict, got, out)
		}
	}
	dir := t.TempDir()
	for round, status := range []int{3, 1} {
		if out, got := fleet(t, append(append([]string{"shard", "-dir", dir}, flags...), "1/1")...); got != 0 {
			t.Fatal(out)
		}
		if out, got := fleet(t, "merge", "-dir", dir, "-strict"); got != status || round == 1 && !strings.Contains(out, "-strict: 4 accounts") {
			t.Errorf("round %d: status %d: %s", round+1, got, out)
		}
	}
}
