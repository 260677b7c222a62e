package manager

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"
	"time"

	"github.com/plimsoll/plimsoll/examples/internal/provider"
	"github.com/plimsoll/plimsoll/placement"
	"github.com/plimsoll/plimsoll/pricing"
	"github.com/plimsoll/plimsoll/schedule"
	"github.com/plimsoll/plimsoll/schedule/elastic"
)

// The elastic manager of [Marshall12] section II. With Options.Policy, a policy of package
// schedule/elastic decides every Options.Every what is launched in which of several clouds,
// and what is given back, on a budget. The policy sees a snapshot of Slurm and of the
// journal. It is the snapshot that elastic.Simulator shows to the policy, so both take the
// same actions.
//
// What differs from the simulator:
//
//   - A call to a cloud takes time. The second round of an evaluation, which asks the next
//     cloud for refused instances, comes when the clouds have answered.
//   - Draining a node and ending its instance take time. So an instance that a policy sees
//     is charged Options.Lead earlier than it is. An instance that is charged within the
//     lead is one that is charged an hour later: there is no time to end it.
//   - Boots, starts of jobs and releases take time, which Manager.Delays tells. The
//     simulator predicts what a cluster costs when it has these times: see Lead and Overhead
//     of elastic.Options, and Boot and Release of elastic.CloudOptions.
//   - Slurm starts jobs. So Budget.Covered, which holds jobs back, cannot be had.

// A Cloud is where a policy may rent instances.
type Cloud struct {
	Name  string
	Nodes []string      // names of its instances, which bound their number
	Price pricing.Money // of an instance for each hour begun
	Boot  time.Duration // how long a boot is expected to take
	provider.Provider
}

// Provide returns the clouds as one provider.
func Provide(clouds []Cloud) provider.Several {
	var all provider.Several
	for _, c := range clouds {
		all = append(all, provider.Part{Name: c.Name, Nodes: c.Nodes, Provider: c.Provider})
	}
	return all
}

// checkClouds is the part of Check that is about Policy.
func (o *Options) checkClouds() error {
	bad := func(format string, args ...any) error {
		return fmt.Errorf("%w: "+format, append([]any{ErrOptions}, args...)...)
	}
	if o.Policy == nil {
		if len(o.Clouds) > 0 {
			return bad("clouds without a policy: want both or neither")
		}
		return nil
	}
	if p, ok := o.Policy.(interface{ Validate() error }); ok {
		if err := p.Validate(); err != nil {
			return fmt.Errorf("%w: %w", ErrOptions, err)
		}
	}
	if err := o.Budget.Validate(); err != nil {
		return fmt.Errorf("%w: %w", ErrOptions, err)
	}
	var nodes []string
	names := map[string]bool{"local": true}
	for _, c := range o.Clouds {
		switch {
		case !nodeName.MatchString(c.Name) || names[c.Name]:
			return bad("the cloud %q: want a name that no other cloud has, and not local", c.Name)
		case c.Price < 0:
			return bad("the cloud %s: %v an hour: want a price of 0 or more", c.Name, c.Price)
		case c.Boot < 0:
			return bad("the cloud %s: a boot of %v: want 0 or more", c.Name, c.Boot)
		case len(c.Nodes) == 0:
			return bad("the cloud %s: no nodes: want the names that its instances may have", c.Name)
		}
		names[c.Name] = true
		nodes = append(nodes, c.Nodes...)
	}
	switch {
	case o.Budget.Covered:
		return bad("a budget that covers jobs to their end: Slurm starts jobs, so want one that does not")
	case o.Period > 0:
		return bad("reservations beside a policy on a budget: want one of them")
	case o.Every <= 0:
		return bad("%v between two evaluations: want more than 0", o.Every)
	case o.Lead+o.Every >= o.Meter.Increment:
		return bad("instances leave %v before their next charge, and evaluations are %v apart: want less than %v together, or none leaves in time",
			o.Lead, o.Every, o.Meter.Increment)
	case !slices.Equal(nodes, o.Nodes):
		return bad("the nodes are not those of the clouds, in their order")
	}
	return nil
}

// cloudOf returns the index of the cloud of a node, -1 for none.
func (o *Options) cloudOf(node string) int {
	return slices.IndexFunc(o.Clouds, func(c Cloud) bool { return slices.Contains(c.Nodes, node) })
}

// A round is what an evaluation has asked for and does not know the answers of.
type round struct {
	number  int
	asked   []*lease
	refused []int // by cloud, at this evaluation
	fresh   bool  // a refusal that no later round has seen
}

// refuse notes that a cloud has refused an instance of the evaluation.
func (r *round) refuse(o *Options, l *lease) {
	if c := o.cloudOf(l.Node); c >= 0 && slices.Contains(r.asked, l) {
		r.refused[c]++
		r.fresh = true
	}
}

// shut closes the cloud of an instance that calls could not get, for as long as it takes the
// policy to see that and to ask another cloud.
func (m *Manager) shut(l *lease) (until time.Duration) {
	until = m.clock.Now() + max(m.o.RetryEvery<<patience, 2*m.o.Every)
	if c := m.o.cloudOf(l.Node); c >= 0 {
		m.shuts[c] = until
	}
	return until
}

// open reports whether a cloud has not answered yet.
func (r *round) open() bool {
	return slices.ContainsFunc(r.asked, func(l *lease) bool { return l.phase == asking && (l.working || l.denied) })
}

// accrue adds the credits of the hours that have begun.
func (m *Manager) accrue(now time.Duration) error {
	hours := int(now/time.Hour) + 1 - m.state.accruals
	if hours <= 0 {
		return nil
	}
	amount, err := m.o.Budget.Hourly.Mul(int64(hours))
	if err != nil {
		return err
	}
	return m.write(Entry{Kind: Accrued, Hours: hours, Amount: amount, Reason: fmt.Sprintf("$%v of credits", amount)})
}

// costs returns what all instances cost until now, each with the hour that is requested.
func (m *Manager) costs(now time.Duration) (sum pricing.Money, err error) {
	for _, l := range m.state.leases {
		length := time.Duration(1) // of a request, which is paid for as an hour begun
		switch {
		case l.phase == asking:
		case l.Live():
			length = max(1, now-m.clock.At(l.Created))
		default:
			length = max(0, m.clock.Scaled(l.Ended.Sub(l.Created)))
		}
		cost, err := m.o.Meter.Cost(l.price, length)
		if err == nil {
			sum, err = sum.Add(cost)
		}
		if err != nil {
			return 0, err
		}
	}
	return sum, nil
}

// Credits returns what is left to spend at a time. Not while the manager runs.
func (m *Manager) Credits() (pricing.Money, error) { return m.credits(m.clock.Now()) }

func (m *Manager) credits(now time.Duration) (pricing.Money, error) {
	spent, err := m.costs(now)
	if err != nil {
		return 0, err
	}
	return m.state.accrued.Sub(spent)
}

// evaluate asks the policy when it is time, and carries its actions out.
func (m *Manager) evaluate(ctx context.Context, s *sight) error {
	if err := m.accrue(s.now); err != nil {
		return err
	}
	r := &m.round
	if s.now >= m.check {
		m.check = (s.now/m.o.Every + 1) * m.o.Every
		*r = round{asked: r.asked[:0], refused: make([]int, len(m.o.Clouds))}
	} else {
		if !r.fresh || r.open() {
			return nil
		}
		r.number++
		r.fresh, r.asked = false, r.asked[:0]
		if r.number > len(m.o.Clouds) {
			return nil
		}
	}
	snap, leases, err := m.snapshot(s)
	if err != nil {
		return err
	}
	if err := snap.Validate(); err != nil {
		return m.failed("evaluating the policy", "", "", err)
	}
	m.outcome("evaluating the policy", "", "", nil)
	m.actions = m.o.Policy.AppendActions(m.actions[:0], snap)
	if err := m.remember(); err != nil {
		return err
	}
	if m.o.decided != nil {
		m.o.decided(snap, m.actions)
	}
	for _, a := range m.actions {
		if a.Cloud < 1 || a.Cloud > len(m.o.Clouds) {
			return fmt.Errorf("%w: %v acts on the infrastructure %d, where nothing can be rented", ErrOptions, m.o.Policy, a.Cloud)
		}
		if a.Launch {
			if err := m.launch(s, snap, a); err != nil {
				return err
			}
			continue
		}
		l := leases[a.Cloud][a.Instance]
		if err := m.note(l, Leaving, "%v", a.Reason); err != nil {
			return err
		}
		s.leaving = append(s.leaving, l)
	}
	return m.settle(ctx, s)
}

// A remembering policy has something to keep between evaluations: see [elastic.Policy].
type remembering interface {
	Memory() int
	Recall(memory int)
}

// remember writes down what the policy remembers, if that has changed.
func (m *Manager) remember() error {
	p, ok := m.o.Policy.(remembering)
	name := fmt.Sprint(m.o.Policy)
	if !ok || p.Memory() == m.state.memory && name == m.state.policy {
		return nil
	}
	return m.write(Entry{Kind: Remembered, Policy: name, Memory: p.Memory(), Reason: fmt.Sprintf("%s goes on from %d", name, p.Memory())})
}

// recall lets the policy go on where the journal ends: with what it remembered, and at the
// next time of an evaluation.
func (m *Manager) recall() {
	if p, ok := m.o.Policy.(remembering); ok && m.state.policy == fmt.Sprint(m.o.Policy) {
		p.Recall(m.state.memory)
	}
	if m.state.entries > 1 && m.o.Every > 0 {
		m.check = (m.clock.Now()/m.o.Every + 1) * m.o.Every
	}
}

// launch asks a cloud for instances.
func (m *Manager) launch(s *sight, snap *elastic.Snapshot, a elastic.Action) error {
	c := &m.o.Clouds[a.Cloud-1]
	names := slices.DeleteFunc(m.free(s), func(n string) bool { return !slices.Contains(c.Nodes, n) })
	n := min(a.Count, len(names))
	var short error
	if n < a.Count { // the policy then asks another cloud, as after a refusal
		m.round.refused[a.Cloud-1] += a.Count - n
		m.round.fresh = true
		short = fmt.Errorf("%d nodes are free of the %d that the policy wants: the rest counts as refused", n, a.Count)
	}
	if _, err := m.outcome("launching in "+c.Name, "", "", short); err != nil {
		return err
	}
	for _, name := range names[:n] {
		token := m.state.begin.Cluster + "-" + strconv.Itoa(m.state.entries) + "-" + name
		price := snap.Clouds[a.Cloud].Price
		err := m.write(Entry{Kind: Asking, Token: token, Node: name, Cloud: c.Name, Price: price, Amount: snap.Credits,
			Reason: fmt.Sprintf("%d more in %s at $%v, with $%v left: %v", n, c.Name, price, snap.Credits, a.Reason)})
		if err != nil {
			return err
		}
		l := m.state.byToken[token]
		l.doubt = false
		m.round.asked = append(m.round.asked, l)
		m.ask(l)
	}
	return nil
}

// renew gives back idle instances whose next hour the credits do not pay, right before
// they are charged ([elastic.Budget] has the debt rule).
func (m *Manager) renew(ctx context.Context, s *sight) error {
	var near []*lease
	var promised pricing.Money
	within := m.o.Lead
	if m.round.fresh || m.round.open() {
		within = m.o.Lead/2 - 1 // the evaluation comes first if it ends in time
	}
	for _, l := range m.state.leases {
		if l.price == 0 || l.phase != up && l.phase != rented || m.due(l, s.now)-s.now > within {
			continue
		}
		if slices.Contains(s.idle, l) {
			near = append(near, l)
		} else {
			promised += l.price
		}
	}
	if len(near) == 0 {
		return nil
	}
	slices.SortStableFunc(near, func(a, b *lease) int { return cmp.Compare(m.o.cloudOf(a.Node), m.o.cloudOf(b.Node)) })
	left, err := m.credits(s.now)
	if err != nil {
		return err
	}
	left += m.o.Budget.Debt - promised
	for _, l := range near {
		if left >= l.price {
			left -= l.price
			continue
		}
		if err := m.note(l, Leaving, "the credits do not pay its next hour"); err != nil {
			return err
		}
		s.leaving = append(s.leaving, l)
	}
	return m.settle(ctx, s)
}

// snapshot returns what the policy sees: the nodes that are not rented as infrastructure 0,
// then the clouds, each with its instances in the order in which they were asked for. The
// leases are by infrastructure and instance. A closed node is no place in its cloud, and is
// not shown, nor is its instance.
func (m *Manager) snapshot(s *sight) (*elastic.Snapshot, [][]*lease, error) {
	credits, err := m.credits(s.now)
	if err != nil {
		return nil, nil, err
	}
	snap := &elastic.Snapshot{Now: s.now, Every: m.o.Every, Again: m.round.number > 0, Credits: credits, Budget: m.o.Budget}
	for _, q := range s.waiting {
		snap.Jobs = append(snap.Jobs, q.job)
	}
	local := elastic.Cloud{Fixed: true, Limit: len(s.others)}
	for i, name := range s.others {
		in := elastic.Instance{ID: int64(i), Due: schedule.Never}
		if s.nodes[name].Working() {
			in.State, in.Ready = elastic.Busy, s.ready(name)
		}
		local.Instances = append(local.Instances, in)
	}
	snap.Clouds = append(snap.Clouds, local)
	leases := make([][]*lease, 1+len(m.o.Clouds))
	for i := range m.o.Clouds {
		c := &m.o.Clouds[i]
		snap.Clouds = append(snap.Clouds, elastic.Cloud{Limit: s.open(c), Boot: c.Boot, Refused: m.round.refused[i], Closed: s.now < m.shuts[i]})
	}
	for k, l := range m.state.leases {
		c := m.o.cloudOf(l.Node)
		if c < 0 || l.phase == gone && l.ended || s.closed[l.Node] != "" {
			continue
		}
		in := elastic.Instance{ID: int64(k), State: elastic.Booting, Due: s.now + time.Hour}
		if !l.Created.IsZero() {
			in.Due = m.due(l, s.now)
		}
		if in.Due -= m.o.Lead; in.Due < s.now {
			in.Due += m.o.Meter.Increment
		}
		switch {
		case l.phase == gone || l.phase == leaving || l.phase == asking && l.denied: // lists tell whether that is there
			in.State, in.Due = elastic.Stopping, schedule.Never
		case slices.Contains(s.busy, l):
			in.State, in.Ready = elastic.Busy, s.ready(l.Node)
		case slices.Contains(s.idle, l):
			in.State = elastic.Idle
		default:
			in.Ready = l.asked + m.o.Clouds[c].Boot
		}
		snap.Clouds[1+c].Instances = append(snap.Clouds[1+c].Instances, in)
		leases[1+c] = append(leases[1+c], l)
	}
	// The price of a cloud is that of its next instance.
	for i := range m.o.Clouds {
		next := placement.Cloud{Hourly: m.o.Clouds[i].Price, Taken: len(leases[1+i])}
		if snap.Clouds[1+i].Price, err = next.Rate(1); err != nil {
			return nil, nil, err
		}
	}
	return snap, leases, nil
}

// ready returns when the jobs of a node end by their estimates.
func (s *sight) ready(node string) time.Duration {
	return cmp.Or(s.ends[node], s.now+slack)
}

// preferred sorts positions of leases, in the order in which jobs are to get them, by the
// cloud first: the cheapest one, as [placement.Choose] has it.
func (o *Options) preferred(order []int, list []*lease) error {
	rank := make([]int, len(o.Clouds))
	clouds := make([]placement.Cloud, len(o.Clouds))
	for i := range clouds {
		clouds[i].Hourly = o.Clouds[i].Price
	}
	for n := range clouds {
		i, err := placement.Choose(clouds, 1)
		if err != nil {
			return err
		}
		clouds[i].Closed, rank[i] = true, n
	}
	at := func(k int) int {
		if c := o.cloudOf(list[k].Node); c >= 0 {
			return rank[c]
		}
		return math.MaxInt
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(at(a), at(b)) })
	return nil
}

// A CloudBill is what the instances of a cloud cost.
type CloudBill struct {
	Cloud string
	provider.Bill
}

// CloudBills returns what the instances cost by cloud, at the prices at which they were
// asked for, in the order in which the clouds were first used. Without clouds there is none.
func (m *Manager) CloudBills() (all []CloudBill, err error) {
	for _, l := range m.state.leases {
		if l.phase == asking || l.cloud == "" {
			continue
		}
		one, err := provider.Charge([]provider.Instance{l.Instance}, m.clock.Real(), m.clock, m.o.Meter, l.price)
		if err != nil {
			return nil, err
		}
		i := slices.IndexFunc(all, func(b CloudBill) bool { return b.Cloud == l.cloud })
		if i < 0 {
			i = len(all)
			all = append(all, CloudBill{Cloud: l.cloud})
		}
		b := &all[i]
		b.Leases++
		b.Charged += one.Charged
		if b.Cost, err = b.Cost.Add(one.Cost); err != nil {
			return nil, err
		}
	}
	return all, nil
}
