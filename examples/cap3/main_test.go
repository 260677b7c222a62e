package main

import (
	"bytes"
	"flag"
	"math"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll/internal/shared"
	"github.com/plimsoll/plimsoll/perfmodel"
)

var update = flag.Bool("update", false, "write the golden files anew")

// The embedded profile has the medians of the project's measurements.
func TestEmbeddedProfile(t *testing.T) {
	times, err := os.Open(shared.File(t, "npb/times.csv"))
	if err != nil {
		t.Fatal(err)
	}
	defer times.Close()
	cases, err := perfmodel.ReadCases(bytes.NewReader(npbFeatures))
	if err != nil {
		t.Fatal(err)
	}
	profiles, err := perfmodel.ReadTimings(times, cases)
	if err != nil {
		t.Fatal(err)
	}
	for i := range profiles {
		for k := range profiles[i].Runs { // three digits are more than such a deviation has
			r := &profiles[i].Runs[k]
			r.Spread = math.Round(1000*r.Spread) / 1000
			for _, x := range []*float64{&r.Seconds, &r.Computation, &r.Communication} {
				*x = math.Round(1e5**x) / 1e5 // a median of two has a digit more
			}
		}
	}
	var want bytes.Buffer
	if err := perfmodel.WriteProfiles(&want, profiles); err != nil {
		t.Fatal(err)
	}
	if *update {
		if err := os.WriteFile("npb.csv", want.Bytes(), 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(want.String(), string(npbProfile)); diff != "" {
		t.Errorf("npb.csv (-want +got), renew with -update:\n%s", diff)
	}
}
