package sim

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/plimsoll/plimsoll/internal/shared"
)

// BenchmarkLogs replays every log of the reference material on a semi-elastic cluster
// whose instances have one processor: the largest machine that the log can make.
func BenchmarkLogs(b *testing.B) {
	for _, dir := range []string{"easy", "traces"} {
		files, err := os.ReadDir(shared.File(b, dir))
		if err != nil {
			b.Fatal(err)
		}
		for _, f := range files {
			name, ok := strings.CutSuffix(f.Name(), ".swf.gz")
			if !ok {
				continue
			}
			b.Run("log="+name, func(b *testing.B) { benchRun(b, load(b, dir+"/"+f.Name(), 1), Options{}) })
		}
	}
}

// BenchmarkStream replays jobs that are made up one by one, from three lengths of the
// log. live-jobs is how many jobs waited or ran at once at most: what memory goes by.
func BenchmarkStream(b *testing.B) {
	for _, cfg := range []Options{{}, {Mode: Local, Nodes: 1100}} {
		for _, n := range []int{10_000, 100_000, 1_000_000} {
			b.Run(fmt.Sprintf("mode=%v/jobs=%d", cfg.Mode, n), func(b *testing.B) {
				b.ReportAllocs()
				var s Simulator
				if _, err := s.Stream(endless(n), cfg, nil, nil); err != nil {
					b.Fatal(err)
				}
				for b.Loop() {
					if _, err := s.Stream(endless(n), cfg, nil, nil); err != nil {
						b.Fatal(err)
					}
				}
				b.ReportMetric(float64(n)*float64(b.N)/b.Elapsed().Seconds(), "jobs/s")
				b.ReportMetric(float64(len(s.live)), "live-jobs")
			})
		}
	}
}
