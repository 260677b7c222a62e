package exchange

import (
	"slices"
	"time"
)

// What a state that comes from a file must be. A state that passes could be that of a machine:
// calls on it do not fail, and its leases and requests agree.

// check says what is wrong with a state.
func (s *managerState) check() error {
	o := &s.Options
	if negative(o.Grace, o.Every, o.Skew, o.MaxAge, o.MaxDelay) || o.Every == 0 || o.Term == 0 || o.Term < -1 || min(o.MaxPartitions, o.MaxRequests) < 1 {
		return badInput("options", -1, ErrRange, "%+v: want options that a manager has saved", *o)
	}
	if s.Now < 0 {
		return badInput("now", -1, ErrRange, "%d: want a time that is not negative", s.Now)
	}
	if len(s.Nodes) == 0 || len(s.Nodes) > maxNodes {
		return badInput("nodes", -1, ErrRange, "%d nodes: want 1 to %d", len(s.Nodes), maxNodes)
	}
	for i := range s.Partitions {
		if err := s.checkPartition(i); err != nil {
			return err
		}
	}
	seen := map[uint64]bool{}
	for i := range s.Nodes {
		n := &s.Nodes[i]
		if n.Holder == -1 {
			if *n != (nodeState{Kind: n.Kind, Epoch: n.Epoch, Holder: -1, Out: n.Out}) || n.Out < 0 {
				return badInput("nodes", i, ErrRange, "the node is free and has a lease: want one of the two")
			}
			continue
		}
		if err := s.checkLease(i, n); err != nil {
			return err
		}
		if n.Preemption > 0 && seen[n.Preemption] {
			return badInput("nodes", i, ErrRange, "preemption %d is also that of another node: want a number of its own", n.Preemption)
		}
		seen[n.Preemption] = true
	}
	return s.checkGrants()
}

func negative(times ...time.Duration) bool {
	return slices.Min(times) < 0
}

// checkPartition checks a partition and its requests.
func (s *managerState) checkPartition(i int) error {
	p, nodes := &s.Partitions[i], len(s.Nodes)
	if p.Name == "" || p.Weight < 1 || p.Weight > maxWeight || min(p.Floor, p.Reclaim) < 0 || max(p.Floor, p.Reclaim) > nodes ||
		negative(p.DelaySince, p.ReclaimAt) || p.Removed && (len(p.Requests) > 0 || p.Reclaim > 0) {
		return badInput("partitions", i, ErrRange, "partition %q: want a name, a weight of 1 or more, a floor and a reclaim of 0 to all nodes, and times that are not negative", p.Name)
	}
	for j := range i {
		if s.Partitions[j].Name == p.Name && !s.Partitions[j].Removed && !p.Removed {
			return badInput("partitions", i, ErrRange, "%q is also partition %d: want distinct names", p.Name, j)
		}
	}
	last := uint64(0)
	for j := range p.Requests {
		r := &p.Requests[j]
		if r.ID <= last || r.Count < 1 || r.Granted < 0 || r.Granted > r.Given || r.Given > r.Count {
			return badInput("partitions", i, ErrRange, "request %d of %q: want ascending IDs, and no more nodes granted than were asked for", r.ID, p.Name)
		}
		if last = r.ID; r.Refused != "" {
			if r.Given > 0 {
				return badInput("partitions", i, ErrRange, "request %d of %q was refused and has nodes: want one of the two", r.ID, p.Name)
			}
		} else if r.Count > nodes || r.Kind != "" && !slices.ContainsFunc(s.Nodes, func(n nodeState) bool { return fits(r.Kind, n.Kind) }) {
			return badInput("partitions", i, ErrRange, "request %d of %q is for %d nodes of kind %q: want a kind and a number that the cluster has", r.ID, p.Name, r.Count, r.Kind)
		}
	}
	return nil
}

// checkLease checks the lease of a node.
func (s *managerState) checkLease(i int, n *nodeState) error {
	switch {
	case n.Holder < -1 || n.Holder >= len(s.Partitions):
		return badInput("nodes", i, ErrUnknown, "holder %d: want -1 or the index of a partition", n.Holder)
	case n.Out != 0 || n.Orphan && !(n.Forced && n.Confirmed && n.Preemption > 0) || n.Unprepared && n.Confirmed:
		return badInput("nodes", i, ErrRange, "the lease of the node: want a lease that ends if its client was reset, and no lease that was listed before the node was ready")
	case n.Epoch == 0 || !(n.Value >= 0 && n.Value <= 1) || negative(n.Until, n.Next):
		return badInput("nodes", i, ErrRange, "the lease of the node: want an epoch from 1, a value from 0 to 1, and times that are not negative")
	case n.Preemption == 0:
		if n.Forced || n.Acked || n.First != 0 || n.Grace != 0 || n.Deadline != 0 {
			return badInput("nodes", i, ErrRange, "the node has a notice and no preemption: want both or neither")
		}
	case n.Preemption > s.Preemption || negative(n.First, n.Grace, n.Deadline) || n.Acked && n.Deadline < n.First:
		return badInput("nodes", i, ErrRange, "the preemption of the node: want a number up to the last one, and times that are not negative")
	}
	return nil
}

// checkGrants checks that the leases that partitions have not listed are those of their
// requests.
func (s *managerState) checkGrants() error {
	type offer struct {
		holder  int
		request uint64
	}
	offered := map[offer]int{}
	for i := range s.Nodes {
		if n := &s.Nodes[i]; n.Holder >= 0 && !n.Confirmed {
			offered[offer{n.Holder, n.Request}]++
		}
	}
	for i := range s.Partitions {
		for j := range s.Partitions[i].Requests {
			if r := &s.Partitions[i].Requests[j]; r.Given-r.Granted != offered[offer{i, r.ID}] {
				return badInput("partitions", i, ErrRange, "%d nodes granted for request %d of %q are not confirmed: want as many as the ledger has such leases, %d",
					r.Given-r.Granted, r.ID, s.Partitions[i].Name, offered[offer{i, r.ID}])
			}
		}
	}
	return nil
}

// check says what is wrong with a state.
func (s *clientState) check() error {
	if s.Partition == "" || negative(s.Every, s.Now, s.ValuesAt, s.NextBeat, s.NextAdd, s.NextBack) || s.Every == 0 || s.ValuesAt > s.Now ||
		s.Number == 0 || s.Number > maxNumber || s.Asked > s.Number || s.Queued >= s.Number {
		return badInput("client", -1, ErrRange, "the name, numbers or times of the client: want those of a client that was saved")
	}
	if err := checkRequests(s.Requests); err != nil {
		return err
	}
	if len(s.Listings) > maxListings {
		return badInput("listings", -1, ErrRange, "%d: want at most %d", len(s.Listings), maxListings)
	}
	for i, l := range s.Listings {
		if l.Number >= s.Number || i > 0 && l.Number <= s.Listings[i-1].Number || l.Sent < 0 || l.Sent > s.Now {
			return badInput("listings", i, ErrRange, "number %d at %v: want ascending numbers below %d, and times up to now", l.Number, l.Sent, s.Number)
		}
	}
	for i := range s.Requests {
		if s.Requests[i].ID >= s.Number {
			return badInput("requests", i, ErrRange, "ID %d: want one below the next number, %d", s.Requests[i].ID, s.Number)
		}
	}
	for i := range s.Leases {
		l := &s.Leases[i]
		if l.Node < 0 || i > 0 && l.Node <= s.Leases[i-1].Node || l.Epoch == 0 || !(l.Value >= 0 && l.Value <= 1) ||
			negative(l.Valid, l.First, l.Grace) || l.First > s.Now || l.Draining && l.Preemption == 0 {
			return badInput("leases", i, ErrRange, "node %d: want ascending nodes, an epoch from 1, a value from 0 to 1, and times up to now", l.Node)
		}
	}
	return nil
}
