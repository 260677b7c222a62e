package scaling_test

import (
	"fmt"
	"time"

	"github.com/plimsoll/plimsoll/preempt/scaling"
)

// A job of four nodes has waited for three minutes, and one node is idle: three more are
// asked for. At night nobody waits. Two nodes are idle, and another partition waits for
// nodes: the node that was idle for longer than a move costs goes at once.
func Example() {
	options := scaling.Options{Most: 16}
	decide := func(v scaling.View) {
		ask, _, back, err := scaling.Decide(nil, v, options)
		if err != nil {
			panic(err)
		}
		fmt.Printf("ask for %d, give back %v\n", ask, back)
	}
	day := scaling.View{
		Queue: []scaling.Waiting{{Nodes: 4, Waited: 3 * time.Minute}},
		Nodes: []scaling.Node{{Busy: true, Held: time.Hour}, {Held: time.Hour, Idle: time.Minute}},
	}
	night := scaling.View{
		Nodes: []scaling.Node{{Held: 9 * time.Hour, Idle: 2 * time.Minute}, {Held: 9 * time.Hour, Idle: 6 * time.Minute}},
		Worth: 1,
	}
	decide(day)
	decide(night)
	// Output:
	// ask for 3, give back []
	// ask for 0, give back [1]
}
