package exchange

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"
)

// benchCluster is a manager whose nodes are all held by one partition, whose values are
// known, and a message of that partition that renews them.
func benchCluster(t fataler, nodes int) (m *Manager, c *Client) {
	m, err := NewManager(ManagerOptions{}, make([]string, nodes))
	if err != nil {
		t.Fatalf("%v", err)
	}
	for _, name := range []string{"htc", "hpc"} {
		if err := m.CreatePartition(name, 1, 0); err != nil {
			t.Fatalf("%v", err)
		}
	}
	if c, err = NewClient("htc", ClientOptions{}); err != nil {
		t.Fatalf("%v", err)
	}
	talk := func(msgs []Message, err error) {
		for len(msgs) > 0 {
			if err != nil {
				t.Fatalf("%v", err)
			}
			msg := msgs[0].Clone()
			var out []Message
			if msg.Call <= AcknowledgeDelete {
				out, err = m.Handle(c.Now(), msg)
			} else {
				out, err = c.Handle(c.Now(), msg)
			}
			var rest []Message
			for _, o := range msgs[1:] {
				rest = append(rest, o.Clone())
			}
			for _, o := range out {
				rest = append(rest, o.Clone())
			}
			msgs = rest
		}
	}
	_, msgs, err := c.AddNodes(0, "", nodes)
	talk(msgs, err)
	rng := rand.New(rand.NewPCG(1, 1))
	values := make([]NodeValue, nodes)
	for i := range values {
		values[i] = NodeValue{i, rng.Float64()}
	}
	talk(c.SetResourceValues(0, values))
	talk(c.Tick(time.Minute), nil) // hear that the request is granted in full
	if got := count(c, 0, Usable); got != nodes {
		t.Fatalf("%d of %d nodes are usable", got, nodes)
	}
	return m, c
}

// renewal returns the messages of the next SetResourceValues, which advance the number.
func renewal(t fataler, m *Manager, c *Client, now time.Duration) {
	out := c.Tick(now)
	if len(out) != 1 || out[0].Call != SetResourceValues {
		t.Fatalf("%+v, want SetResourceValues", out)
	}
	answer, err := m.Handle(now, out[0])
	if err != nil || len(answer) != 1 {
		t.Fatalf("%+v, %v", answer, err)
	}
	if out, err = c.Handle(now, answer[0]); err != nil || len(out) > 0 {
		t.Fatalf("%+v, %v", out, err)
	}
}

// A renewal of all leases, both sides; half of the cluster taken and let be again; the state
// saved; and the steps of the simulator under faults.
func BenchmarkExchange(b *testing.B) {
	for _, nodes := range []int{20, 1000, 10000} {
		b.Run(fmt.Sprintf("do=renew/nodes=%d", nodes), func(b *testing.B) {
			m, c := benchCluster(b, nodes)
			now := c.Now()
			b.ReportAllocs()
			for b.Loop() {
				now += time.Minute
				renewal(b, m, c, now)
			}
		})
	}
	for _, nodes := range []int{20, 1000, 10000} {
		take := nodes / 10
		b.Run(fmt.Sprintf("do=preempt/nodes=%d/take=%d", nodes, take), func(b *testing.B) {
			m, _ := benchCluster(b, nodes)
			number := uint64(0)
			reqs := []Request{{Count: take}}
			b.ReportAllocs()
			for b.Loop() {
				number += 2
				reqs[0].ID = number
				for k := range 2 { // asked for, and withdrawn
					if _, err := m.Handle(0, Message{Call: AddNodes, Partition: "hpc", Number: number + uint64(k), Requests: reqs[:1-k]}); err != nil {
						b.Fatal(err)
					}
				}
			}
			if s := m.Stats(); s.Cancelled != b.N*take {
				b.Fatalf("%+v, want %d cancelled", s, b.N*take)
			}
		})
	}
	b.Run("do=save/nodes=1000", func(b *testing.B) {
		m, _ := benchCluster(b, 1000)
		for b.Loop() {
			if _, err := json.Marshal(m); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("do=simulate/nodes=8", func(b *testing.B) {
		rng := rand.New(rand.NewPCG(7, 1))
		w := newWorld(b, rng.IntN, simOptions, simKinds)
		for b.Loop() {
			w.step(b)
		}
		b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "steps/s")
	})
}
