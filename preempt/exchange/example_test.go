package exchange_test

import (
	"encoding/json"
	"fmt"
	"log"
	"time"

	"github.com/plimsoll/plimsoll/preempt/exchange"
)

// A batch partition has all four nodes of a cluster, and an interactive one asks for one.
// The node goes whose jobs would waste least, two minutes after the batch partition was told.
// The host's process ends in between.
func Example() {
	manager, err := exchange.NewManager(exchange.ManagerOptions{Grace: 2 * time.Minute}, []string{"cpu", "cpu", "cpu", "cpu"})
	if err != nil {
		log.Fatal(err)
	}
	clients := map[string]*exchange.Client{}
	for _, name := range []string{"batch", "interactive"} {
		if err := manager.CreatePartition(name, 1, 0); err != nil {
			log.Fatal(err)
		}
		if clients[name], err = exchange.NewClient(name, exchange.ClientOptions{}); err != nil {
			log.Fatal(err)
		}
	}
	var now time.Duration
	var saved []byte

	// transport stands for the network: it delivers messages, and the answers.
	var transport func(msgs []exchange.Message, err error)
	transport = func(msgs []exchange.Message, err error) {
		if err != nil {
			log.Fatal(err)
		}
		var copies []exchange.Message // what a machine returns is valid until it is called again
		for _, msg := range msgs {
			copies = append(copies, msg.Clone())
		}
		for _, msg := range copies {
			switch msg.Call {
			case exchange.AddNodes, exchange.DeleteNodes, exchange.SetResourceValues, exchange.AcknowledgeDelete:
				out, err := manager.Handle(now, msg)
				saved, _ = json.Marshal(manager) // before anything is sent
				transport(out, err)
			default:
				if msg.Call == exchange.NotifyDeletePending {
					fmt.Printf("%v: %s is told that node %d will go\n", now, msg.Partition, msg.Leases[0].Node)
				}
				transport(clients[msg.Partition].Handle(now, msg))
			}
		}
	}
	_, msgs, err := clients["batch"].AddNodes(now, "cpu", 4)
	transport(msgs, err)
	transport(clients["batch"].SetResourceValues(now, []exchange.NodeValue{{Node: 0, Value: 1}, {Node: 1, Value: 1}, {Node: 2, Value: 0.1}, {Node: 3, Value: 0.6}}))
	_, msgs, err = clients["interactive"].AddNodes(now, "", 1)
	transport(msgs, err)

	manager = new(exchange.Manager) // a crash
	if err := json.Unmarshal(saved, manager); err != nil {
		log.Fatal(err)
	}
	for now < 2*time.Minute {
		now = min(2*time.Minute, clients["batch"].NextTick())
		transport(clients["batch"].Tick(now), nil)
	}
	for _, a := range manager.AppendAssignments(nil) {
		fmt.Printf("node %d: %s, lease %d\n", a.Node, a.Partition, a.Epoch)
	}
	// Output:
	// 0s: batch is told that node 2 will go
	// node 0: batch, lease 1
	// node 1: batch, lease 1
	// node 2: interactive, lease 2
	// node 3: batch, lease 1
}
