package niu16

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/plimsoll/plimsoll/examples/internal/programtest"
)

// tested is run in the process of the tests. Its golden files are renewed by
// go test ./examples/papers/internal/niu16 -update.
var tested = programtest.Program{Name: "papers niu16", Run: program.Run}

func TestMain(m *testing.M) { programtest.Main(m, program.Main) }

func TestGolden(t *testing.T) {
	stdout, _ := tested.Must(t)
	programtest.Golden(t, "default.txt", stdout)
	programtest.Narrow(t, stdout, 80)
	// Each log is judged.
	path := programtest.Write(t, "log", small)
	stdout, stderr := tested.Must(t, "-trace", path, "-cores-per-node", "2", "-trace", programtest.Write(t, "other", small), "-json", "-seed", "2")
	rows := programtest.Rows[map[string]string](t, stdout)
	if len(rows) != 88 || rows[0]["on"] != "log" || rows[44]["on"] != "other" || rows[0]["ours"] != rows[44]["ours"] {
		t.Errorf("%d claims: %s", len(rows), stdout)
	}
	if !strings.Contains(stderr, "note: -seed changes nothing here") {
		t.Errorf("no note of -seed: %s", stderr)
	}
}

func TestFlags(t *testing.T) {
	tested.Help(t, program.FlagNames(), "Slurm", "PBS", "LSF")
	tested.Frame(t)
	dir := t.TempDir()
	log := programtest.WriteIn(t, dir, "log", small)
	tested.Mistakes(t, dir, []programtest.Wrong{
		{Args: []string{"-figures", ""}, Want: "want the name of a folder"},
		{Args: []string{"-figures", log}, Want: "-figures " + log + " is not a folder"},
		{Args: []string{"-figures", filepath.Join(dir, "no", "figures")}, Want: "the folder that it is to be in does not exist"},
		{Args: []string{"-figures", filepath.Join(dir, "new"), "-trace", log, "-trace", log + "2"}, Want: "want one -trace"},
		{Args: []string{"-trace", filepath.Join(dir, "none")}, Want: "no such file"},
		{Args: []string{"-cores-per-node", "0"}, Want: "from 1 to"},
	})
	tested.Broken(t, nil)
}

// An interrupted run leaves no folder that it made.
func TestInterrupt(t *testing.T) {
	dir := t.TempDir()
	programtest.Signal(t, os.Interrupt, 130, small, func() bool {
		entries, _ := os.ReadDir(filepath.Join(dir, "new"))
		return len(entries) == 2*len(figureNames) // all temporary files are there
	}, "-trace", "/dev/stdin", "-figures", filepath.Join(dir, "new"))
	if entries, _ := os.ReadDir(dir); len(entries) != 0 {
		t.Errorf("left %v", entries)
	}
}
