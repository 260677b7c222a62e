package main

import (
	"testing"
	"time"
)

// With -load partitions ask when jobs wait and give idle nodes back: nodes go to both, and come
// home, with nobody's help.
func TestLoad(t *testing.T) {
	t.Parallel()
	s := testStage(t, 20*time.Millisecond)
	host, err := s.start("host", "host", "-nodes", "6", "-term", "400m", "-max-age", "100m")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"hpc", "htc"} {
		if _, err := s.start(name, "client", "-host", host.url, "-name", name, "-job", "20m", "-load", "2", "-save-cost", "1m"); err != nil {
			t.Fatal(err)
		}
	}
	seen := map[string]bool{}
	err = s.until(func(st status) bool {
		for _, n := range st.Nodes {
			if n.Partition != "" {
				seen[n.Partition] = true
			}
		}
		return len(seen) == 2 && st.Counted.Granted >= 12 && st.Counted.Returned >= 6
	})
	if err != nil {
		t.Fatal(err)
	}
}
