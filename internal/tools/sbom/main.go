// Sbom writes the software bill of materials of all modules of the repository on standard
// output: CycloneDX 1.5, as JSON.
//
//	go -C internal/tools run ./sbom > sbom.json
//
// A component is a module that a build may use, with its version and the checksum of go.sum: h1, a
// SHA-256 over the module's files.
// LICENSES.md has their licences.
package main

import (
	"bytes"
	"cmp"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"

	"github.com/plimsoll/plimsoll/internal/tools/root"
)

// modules are the folders whose module graphs count. A folder of go.work stands for all of it.
var modules = []string{".", "examples/services/kubernetes", "examples/services/fleet"}

// A component is one of the bill.
type component struct {
	Type    string `json:"type"`
	Name    string `json:"name"`
	Version string `json:"version"`
	PURL    string `json:"purl"`
	Hashes  []hash `json:"hashes,omitempty"`
}

type hash struct {
	Alg     string `json:"alg"`
	Content string `json:"content"`
}

func main() {
	if err := run(os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "sbom:", err)
		os.Exit(1)
	}
}

func run(w io.Writer) error {
	if err := root.Enter(); err != nil {
		return err
	}
	found := map[string]component{}
	for _, m := range modules {
		cmd := exec.Command("go", "list", "-m", "-json", "all")
		cmd.Dir, cmd.Stderr = m, os.Stderr
		out, err := cmd.Output()
		if err != nil {
			return fmt.Errorf("%s: %w", m, err)
		}
		if err := read(out, found); err != nil {
			return fmt.Errorf("%s: %w", m, err)
		}
	}
	all := make([]component, 0, len(found))
	for _, c := range found {
		all = append(all, c)
	}
	slices.SortFunc(all, func(a, b component) int { return cmp.Compare(a.PURL, b.PURL) })
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	return e.Encode(map[string]any{"bomFormat": "CycloneDX", "specVersion": "1.5", "version": 1, "components": all})
}

// read adds the modules that go list has written.
func read(out []byte, found map[string]component) error {
	for d := json.NewDecoder(bytes.NewReader(out)); d.More(); {
		var m struct{ Path, Version, Sum string }
		if err := d.Decode(&m); err != nil {
			return err
		}
		if m.Version == "" || strings.HasPrefix(m.Path, "github.com/plimsoll/plimsoll") {
			continue // of this repository
		}
		c := component{Type: "library", Name: m.Path, Version: m.Version, PURL: "pkg:golang/" + m.Path + "@" + m.Version}
		if sum, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(m.Sum, "h1:")); err == nil && len(sum) > 0 {
			c.Hashes = []hash{{"SHA-256", hex.EncodeToString(sum)}}
		}
		found[c.PURL] = c
	}
	return nil
}
