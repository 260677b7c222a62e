package exchange

import (
	"testing"
	"time"

	_ "github.com/plimsoll/plimsoll/internal/seeded"
	"pgregory.net/rapid"
)

// The same world, where rapid chooses what happens and shrinks what goes wrong.
func TestStateMachine(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		pick := func(n int) int { return rapid.IntRange(0, n-1).Draw(rt, "pick") }
		w := newWorld(rt, pick, simOptions, []string{"cpu", "gpu", "cpu"})
		w.calm = true // what goes wrong is an action of its own
		remove := func(i int) {
			w.pool[i] = w.pool[len(w.pool)-1]
			w.pool = w.pool[:len(w.pool)-1]
		}
		actions := map[string]func(*rapid.T){
			"deliver": func(rt *rapid.T) {
				if len(w.pool) > 0 {
					w.deliver(rt, pick(len(w.pool)))
				}
			},
			"deliver twice": func(rt *rapid.T) {
				if len(w.pool) > 0 {
					w.pool = append(w.pool, w.pool[pick(len(w.pool))].Clone())
					w.deliver(rt, len(w.pool)-1)
				}
			},
			"deliver all": func(rt *rapid.T) {
				for i := 0; i < 50 && len(w.pool) > 0; i++ {
					w.deliver(rt, 0)
					w.look(rt)
				}
			},
			"lose": func(rt *rapid.T) {
				if len(w.pool) > 0 {
					remove(pick(len(w.pool)))
				}
			},
			"wait": func(rt *rapid.T) { w.now += time.Duration(pick(100)) * 2 * time.Second },
			"tick all": func(rt *rapid.T) {
				for p := -1; p < len(w.parts); p++ {
					w.tick(rt, p)
					w.look(rt)
				}
			},
			"ask": func(rt *rapid.T) {
				i := pick(len(w.parts))
				if p := w.parts[i]; !p.down {
					_, msgs, err := p.c.AddNodes(p.clock(w.now), "", 1+pick(3))
					if err != nil {
						rt.Fatalf("%v", err)
					}
					w.emit(rt, i, msgs)
				}
			},
			"act": func(rt *rapid.T) {
				w.calm = false
				w.act(rt)
				w.calm = true
			},
			"crash": func(*rapid.T) {
				if p := pick(len(w.parts)+1) - 1; !w.isDown(p) {
					w.crash(p)
				}
			},
			"restart": func(rt *rapid.T) {
				if p := pick(len(w.parts)+1) - 1; w.isDown(p) {
					w.restart(rt, p)
				}
			},
			"": func(rt *rapid.T) { w.look(rt) },
		}
		rt.Repeat(actions)
		w.settle(rt)
	})
}
