package engine

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/plimsoll/plimsoll/examples/services/fleet/internal/generate"
	"github.com/plimsoll/plimsoll/examples/services/fleet/internal/record"
)

// An engine that loses a bundle begins the bundle again, in the same instance of a step or in
// another. What the bundle emits is the same, whatever was processed of it before.
func TestRetry(t *testing.T) {
	ctx := context.Background()
	f := generate.Fleet{Seed: 1, Curves: 6, Poison: 5}
	x := f.Terms()
	text, err := json.Marshal(&x)
	if err != nil {
		t.Fatal(err)
	}
	terms := [][]byte{text}
	var groups [][]byte
	var c generate.Curves
	for i := range f.Curves {
		var g record.Group
		c.At(&f, i, &g)
		groups = append(groups, record.Append(nil, &g))
	}
	// plan and draw process a bundle and return what it emits.
	plan := func(step *planFn, bundle [][]byte) (out [][]byte) {
		emit := func(b []byte) { out = append(out, bytes.Clone(b)) }
		step.StartBundle(ctx, terms, nil, emit, emit)
		for _, b := range bundle {
			if err := step.ProcessElement(ctx, b, terms, nil, emit, emit); err != nil {
				t.Fatal(err)
			}
		}
		if len(bundle) == len(groups) {
			if err := step.FinishBundle(ctx, terms, nil, emit, emit); err != nil {
				t.Fatal(err)
			}
		}
		return out
	}
	draw := func(step *drawFn, bundle [][]byte) (out [][]byte) {
		emit := func(b []byte) { out = append(out, bytes.Clone(b)) }
		step.StartBundle(ctx, terms, emit)
		for _, b := range bundle {
			if err := step.ProcessElement(ctx, b, terms, emit); err != nil {
				t.Fatal(err)
			}
		}
		if len(bundle) == len(groups) {
			if err := step.FinishBundle(ctx, terms, emit); err != nil {
				t.Fatal(err)
			}
		}
		return out
	}
	same := func(a, b [][]byte) bool { return slices.EqualFunc(a, b, bytes.Equal) }
	wantPlan, wantDraw := plan(new(planFn), groups), draw(&drawFn{Want: 3}, groups)
	if len(wantPlan) != f.Curves+1 || len(wantDraw) != 1 {
		t.Fatalf("%d and %d elements: want %d and 1", len(wantPlan), len(wantDraw), f.Curves+1)
	}
	lostPlan, lostDraw := new(planFn), &drawFn{Want: 3}
	for lost := range f.Curves { // after so many elements
		plan(lostPlan, groups[:lost])
		draw(lostDraw, groups[:lost])
		if !same(plan(lostPlan, groups), wantPlan) || !same(draw(lostDraw, groups), wantDraw) {
			t.Errorf("a bundle that was lost after %d elements emits something else", lost)
		}
	}
}

// What an engine says is one line without its trace.
func TestPlainly(t *testing.T) {
	for in, want := range map[string]string{
		"job failed to prepare\n\tcaused by:\nno such service": "job failed to prepare: no such service",
		"panic: lost\n\ngoroutine 5 [running]:\nmain.f()":      "panic: lost",
	} {
		if got := plainly(errors.New(in)).Error(); got != "the engine does not run the pipeline: "+want {
			t.Errorf("got %q, want %q at the end", got, want)
		}
	}
	if got := plainly(errors.New(strings.Repeat("x", 1000))).Error(); len(got) > 400 {
		t.Errorf("%d bytes: want fewer", len(got))
	}
}
