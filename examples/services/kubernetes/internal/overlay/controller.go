package overlay

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/dynamic/dynamicinformer"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"

	"github.com/plimsoll/plimsoll/pricing"
	"github.com/plimsoll/plimsoll/reserve/marginal"
)

// Inputs are what the files say.
type Inputs struct {
	Book    *marginal.Book
	Options marginal.Options
	Notes   []string // what of the files does not count, and why
}

// A Controller keeps the overlays of a cluster. Its fields are set before Run.
type Controller struct {
	Kube    kubernetes.Interface
	Dynamic dynamic.Interface // nil in a cluster without Karpenter
	Claims  bool              // whether the cluster has NodeClaims
	// Load reads the files. It is called every Every; if it fails, the last inputs hold.
	Load  func() (*Inputs, error)
	Style Style
	// NoOverlays counts and prices, and publishes nothing; DryRun logs what it would publish;
	// Keep leaves the overlays at the end.
	NoOverlays, DryRun, Keep bool
	Every                    time.Duration // how often files are read and overlays compared; 0 is a minute
	Timeout                  time.Duration // of one request to the API server; 0 is 10 seconds
	Log                      *slog.Logger
	Now                      func() time.Time // nil is the clock

	mu     sync.Mutex
	inputs *Inputs
	fleet  Fleet
	done   time.Time // the last round that went through
	grants []grant
	// settled are the nodes that have lowered a grant.
	settled map[string]bool

	nodes  func() []*corev1.Node
	claims func() []*unstructured.Unstructured
	said   map[string]string
}

// A grant is instances that an answer to the cluster-autoscaler launches, and that do not
// run yet. Grants are in memory alone: a controller that starts again forgets them, which
// can overbook by what was launched just before.
type grant struct {
	kind, system string // names: a new file of kinds can have another order
	left         int
	at           time.Time
}

const (
	// grantTime is how long a launch may take until its instance counts no longer.
	grantTime = 15 * time.Minute
	// maxGranted is the most instances that are launched at a time: as many nodes as
	// Kubernetes supports in a cluster.
	maxGranted = 5000
)

const settle = 50 * time.Millisecond // events that come together are one round

func (c *Controller) now() time.Time {
	if c.Now != nil {
		return c.Now()
	}
	return time.Now()
}

func (c *Controller) timeout() time.Duration { return cmp.Or(c.Timeout, 10*time.Second) }

// Run keeps the overlays until ctx ends, and then withdraws them unless Keep says not to.
// An API server that is away is asked again, for as long as it takes. The error is that of
// the files at the start; later errors go to the log.
func (c *Controller) Run(ctx context.Context) error {
	c.said = map[string]string{}
	if err := c.load(); err != nil {
		return err
	}
	dirty := make(chan struct{}, 1)
	touch := func() {
		select {
		case dirty <- struct{}{}:
		default:
		}
	}
	synced := c.watch(ctx, touch)
	c.Log.Info("waiting for the API server")
	if !cache.WaitForCacheSync(ctx.Done(), synced...) {
		return nil // ended before the first round: there is nothing to withdraw
	}
	tick := time.NewTicker(cmp.Or(c.Every, time.Minute))
	defer tick.Stop()
	touch()
	reload := func() {
		if err := c.load(); err != nil {
			c.say("files", "the files cannot be used, so the last ones hold: "+err.Error())
		} else {
			c.say("files", "")
		}
	}
	wait := time.Duration(0) // after a failure
	for {
		waited := false
		select {
		case <-ctx.Done():
			return c.withdrawAll()
		case <-tick.C:
			reload()
		case <-dirty:
			select { // let events gather
			case <-ctx.Done():
			case <-tick.C: // new files may mend what has failed
				reload()
			case <-time.After(settle + wait):
				waited = true
			}
		}
		select {
		case <-dirty:
		default:
		}
		if ctx.Err() != nil {
			continue
		}
		if err := c.round(ctx); err != nil {
			c.say("round", "the overlays are not up to date: "+err.Error())
			if waited || wait == 0 { // a round of new files is no reason to wait longer
				wait = min(max(2*wait, time.Second), 30*time.Second)
			}
			touch()
			continue
		}
		c.say("round", "")
		wait = 0
	}
}

// load reads the files.
func (c *Controller) load() error {
	in, err := c.Load()
	if err != nil {
		return err
	}
	c.mu.Lock()
	c.inputs = in
	if c.fleet.Running != nil { // the kinds can have another order now
		c.fleet = Count(in.Book.Market, c.nodes(), c.claims())
	}
	c.mu.Unlock()
	c.say("notes", strings.Join(in.Notes, "; "))
	return nil
}

// say logs a text of a kind if it differs from the last one. An empty text says that the
// matter is over.
func (c *Controller) say(kind, text string) {
	if c.said[kind] == text {
		return
	}
	if text == "" {
		c.Log.Info(kind + ": in order again")
	} else {
		c.Log.Warn(text)
	}
	c.said[kind] = text
}

// watch starts the informers. Of a node only what counts is kept.
func (c *Controller) watch(ctx context.Context, touch func()) []cache.InformerSynced {
	shared := informers.NewSharedInformerFactoryWithOptions(c.Kube, 0, informers.WithTransform(strip))
	nodes := shared.Core().V1().Nodes()
	handler := cache.ResourceEventHandlerFuncs{
		AddFunc:    func(any) { touch() },
		DeleteFunc: func(any) { touch() },
		UpdateFunc: func(was, is any) {
			a, ok1 := was.(metav1.Object)
			b, ok2 := is.(metav1.Object)
			if !ok1 || !ok2 || !maps.Equal(a.GetLabels(), b.GetLabels()) || providerID(was) != providerID(is) {
				touch()
			}
		},
	}
	nodes.Informer().AddEventHandler(handler)
	lister := nodes.Lister()
	c.nodes = func() []*corev1.Node {
		list, _ := lister.List(labels.Everything()) // of a cache: no error
		return list
	}
	c.claims = func() []*unstructured.Unstructured { return nil }
	synced := []cache.InformerSynced{nodes.Informer().HasSynced}
	shared.Start(ctx.Done())
	if c.Claims && c.Dynamic != nil {
		claims := dynamicinformer.NewDynamicSharedInformerFactory(c.Dynamic, 0)
		informer := claims.ForResource(NodeClaims)
		informer.Informer().AddEventHandler(handler)
		c.claims = func() []*unstructured.Unstructured {
			list, _ := informer.Lister().List(labels.Everything())
			out := make([]*unstructured.Unstructured, 0, len(list))
			for _, o := range list {
				if u, ok := o.(*unstructured.Unstructured); ok {
					out = append(out, u)
				}
			}
			return out
		}
		synced = append(synced, informer.Informer().HasSynced)
		claims.Start(ctx.Done())
	}
	return synced
}

// providerID is that of a node, or of the status of a claim.
func providerID(o any) string {
	switch o := o.(type) {
	case *corev1.Node:
		return o.Spec.ProviderID
	case *unstructured.Unstructured:
		id, _, _ := unstructured.NestedString(o.Object, "status", "providerID")
		return id
	}
	return ""
}

// strip drops what a node has beside its name, labels, times and provider's id.
func strip(o any) (any, error) {
	if n, ok := o.(*corev1.Node); ok {
		return &corev1.Node{
			ObjectMeta: metav1.ObjectMeta{Name: n.Name, UID: n.UID, ResourceVersion: n.ResourceVersion, Labels: n.Labels, CreationTimestamp: n.CreationTimestamp},
			Spec:       corev1.NodeSpec{ProviderID: n.Spec.ProviderID},
		}, nil
	}
	return o, nil
}

// round counts, prices and writes.
func (c *Controller) round(ctx context.Context) error {
	nodes, claims := c.nodes(), c.claims()
	c.mu.Lock()
	in := c.inputs
	fleet := Count(in.Book.Market, nodes, claims)
	c.fleet = fleet
	c.settleGrants(nodes)
	running := c.counted()
	c.mu.Unlock()
	if len(fleet.Unknown) > 0 {
		c.say("unknown", unknownNote+fleet.unknown())
	} else {
		c.say("unknown", "")
	}
	quotes, err := c.quotes(in, running)
	if err != nil {
		// A price that was right is not right for ever: prices that are unknown are not published.
		return errors.Join(fmt.Errorf("the prices are unknown, so none is published: %w", err), c.withdraw(ctx))
	}
	if err := c.publish(ctx, in.Book.Market, quotes); err != nil {
		return err
	}
	c.mu.Lock()
	c.done = c.now()
	c.mu.Unlock()
	return nil
}

// quotes prices beside the running instances. If that fails for what is being launched, the
// grants are dropped.
func (c *Controller) quotes(in *Inputs, running []int) ([]marginal.Quote, error) {
	quotes, err := in.Book.Quotes(running, c.now(), in.Options)
	c.mu.Lock()
	granted := len(c.grants) > 0
	counted := slices.Clone(c.fleet.Running)
	c.mu.Unlock()
	if err == nil || !granted {
		return quotes, err
	}
	quotes, without := in.Book.Quotes(counted, c.now(), in.Options)
	if without != nil {
		return nil, without
	}
	c.mu.Lock()
	c.grants = nil
	c.mu.Unlock()
	c.Log.Warn("what is being launched counts no longer, since it cannot be priced: " + err.Error())
	return quotes, nil
}

// Done returns when the last round went through.
func (c *Controller) Done() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.done
}

// counted is the running instances and what is granted. The caller holds the lock.
func (c *Controller) counted() []int {
	running := slices.Clone(c.fleet.Running)
	for _, g := range c.grants {
		if k, ok := c.inputs.Book.Find(g.kind, g.system); ok && k < len(running) {
			running[k] += g.left
		}
	}
	return running
}

// settleGrants lowers the grants by the instances that run now, each of which lowers one
// grant once, and ends the grants that are too old. The caller holds the lock.
func (c *Controller) settleGrants(nodes []*corev1.Node) {
	if len(c.grants) == 0 {
		c.settled = nil
		return
	}
	was := c.settled
	c.settled = map[string]bool{} // nodes that are gone are forgotten
	for _, n := range nodes {
		if was[n.Name] {
			c.settled[n.Name] = true
			continue
		}
		kind, system := KindOf(n.Labels)
		if Spot(n.Labels) {
			continue
		}
		for i := range c.grants {
			// A clock that differs by a few seconds does no harm.
			if g := &c.grants[i]; g.left > 0 && g.kind == kind && g.system == system && n.CreationTimestamp.Add(5*time.Second).After(g.at) {
				g.left--
				c.settled[n.Name] = true
				break
			}
		}
	}
	now := c.now()
	c.grants = slices.DeleteFunc(c.grants, func(g grant) bool { return g.left == 0 || now.Sub(g.at) > grantTime })
}

// publish makes the overlays of the cluster those of the quotes: first it withdraws, then it
// raises prices, then it lowers them.
func (c *Controller) publish(ctx context.Context, m *marginal.Market, quotes []marginal.Quote) error {
	if c.Dynamic == nil || c.NoOverlays {
		return nil
	}
	want := map[string]*unstructured.Unstructured{}
	for i := range quotes {
		if u := c.Style.overlay(m, &quotes[i]); u != nil {
			want[u.GetName()] = u
		}
	}
	have, err := c.own(ctx)
	if err != nil {
		return err
	}
	var errs []error
	for _, name := range slices.Sorted(maps.Keys(have)) {
		if want[name] == nil {
			errs = append(errs, c.delete(ctx, have[name]))
		}
	}
	names := slices.Sorted(maps.Keys(want))
	for _, lower := range []bool{false, true} {
		for _, name := range names {
			if cheaper(have[name], want[name]) == lower {
				err := c.put(ctx, have[name], want[name])
				if is := have[name]; err != nil && is != nil && cheaper(want[name], is) { // the price there is too low
					err = errors.Join(err, c.delete(ctx, have[name]))
				}
				errs = append(errs, err)
			}
		}
	}
	return errors.Join(errs...)
}

// cheaper reports whether want lowers the price.
func cheaper(is, want *unstructured.Unstructured) bool {
	if is == nil {
		return true
	}
	a, err1 := priceOf(is)
	b, err2 := priceOf(want)
	return err1 == nil && err2 == nil && b < a
}

func priceOf(u *unstructured.Unstructured) (pricing.Money, error) {
	text, _, _ := unstructured.NestedString(u.Object, "spec", "price")
	return pricing.ParseMoney(text)
}

// own lists the controller's objects by name.
func (c *Controller) own(ctx context.Context) (map[string]*unstructured.Unstructured, error) {
	ctx, cancel := context.WithTimeout(ctx, c.timeout())
	defer cancel()
	list, err := c.Dynamic.Resource(NodeOverlays).List(ctx, metav1.ListOptions{LabelSelector: OwnerLabel + "=" + c.Style.Name})
	if err != nil {
		return nil, fmt.Errorf("listing NodeOverlays: %w", err)
	}
	have := map[string]*unstructured.Unstructured{}
	for i := range list.Items {
		have[list.Items[i].GetName()] = &list.Items[i]
	}
	return have, nil
}

// put creates or updates an object.
func (c *Controller) put(ctx context.Context, is, want *unstructured.Unstructured) error {
	if is != nil && same(is, want) {
		return nil
	}
	price, _ := priceOf(want)
	attrs := []any{"overlay", want.GetName(), "price", price.String(), "on_demand", want.GetAnnotations()[ListAnnotation],
		"room", want.GetAnnotations()[RoomAnnotation], "why", want.GetAnnotations()[WhyAnnotation]}
	if c.DryRun {
		if text := fmt.Sprint(attrs...); c.said[want.GetName()] != text {
			c.said[want.GetName()] = text
			c.Log.Info("would set the price", attrs...)
		}
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, c.timeout())
	defer cancel()
	var err error
	if is == nil {
		_, err = c.Dynamic.Resource(NodeOverlays).Create(ctx, want, metav1.CreateOptions{})
		if apierrors.IsAlreadyExists(err) {
			return fmt.Errorf("NodeOverlay %s is there without the label %s=%s, so it stays as it is: delete it, or give the oracle another -name", want.GetName(),
				OwnerLabel, c.Style.Name)
		}
	} else {
		_, err = c.Dynamic.Resource(NodeOverlays).Update(ctx, updated(is, want), metav1.UpdateOptions{})
	}
	if err != nil {
		return fmt.Errorf("writing NodeOverlay %s: %w", want.GetName(), err)
	}
	c.Log.Info("price", attrs...)
	return nil
}

// delete withdraws an object that is still the one that was read.
func (c *Controller) delete(ctx context.Context, u *unstructured.Unstructured) error {
	if c.DryRun {
		c.Log.Info("would withdraw the price", "overlay", u.GetName())
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, c.timeout())
	defer cancel()
	uid := u.GetUID()
	err := c.Dynamic.Resource(NodeOverlays).Delete(ctx, u.GetName(), metav1.DeleteOptions{Preconditions: &metav1.Preconditions{UID: &uid}})
	if err != nil && !apierrors.IsNotFound(err) {
		return fmt.Errorf("withdrawing NodeOverlay %s: %w", u.GetName(), err)
	}
	c.Log.Info("withdrawn", "overlay", u.GetName(), "price", "on demand again")
	return nil
}

// lastWords is for how long the controller withdraws at the end: most of the 30 seconds that
// Kubernetes gives a pod to end.
const lastWords = 25 * time.Second

// withdrawAll deletes the controller's objects at the end. Each request has a time limit of
// its own, so that many objects have as much time as they need, up to lastWords.
func (c *Controller) withdrawAll() error {
	if c.Keep {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), max(lastWords, c.timeout()))
	defer cancel()
	return c.withdraw(ctx)
}

// withdraw deletes the controller's objects.
func (c *Controller) withdraw(ctx context.Context) error {
	if c.DryRun || c.NoOverlays || c.Dynamic == nil {
		return nil
	}
	have, err := c.own(ctx)
	if err != nil {
		return err
	}
	var errs []error
	for _, name := range slices.Sorted(maps.Keys(have)) {
		errs = append(errs, c.delete(ctx, have[name]))
	}
	return errors.Join(errs...)
}

// Price returns what n instances of a type add to the bill of an hour, and why. For spot
// instances that is the spot price of the kinds. It reports false for a type without a
// price, and if nothing has been counted yet.
func (c *Controller) Price(kind, system string, spot bool, n int) (extra pricing.Money, why string, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.inputs == nil || c.fleet.Running == nil {
		return 0, "", false
	}
	b := c.inputs.Book
	k, ok := b.Find(kind, system)
	if !ok || len(c.fleet.Running) != len(b.Kinds) {
		return 0, "", false
	}
	if spot {
		extra, err := b.Kinds[k].Spot.Mul(int64(n))
		return extra, "the spot price", err == nil && b.Kinds[k].Spot > 0
	}
	extra, why, err := b.Extra(k, n, c.counted(), c.now(), c.inputs.Options)
	return extra, why, err == nil
}

// Grant counts n instances of a type as running until they do, or for 15 minutes. It
// refuses fewer than 1, and what makes all that is being launched more than 5000.
func (c *Controller) Grant(kind, system string, n int) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.inputs == nil {
		return errors.New("the kinds are not read yet: want a question after the first round")
	}
	if _, ok := c.inputs.Book.Find(kind, system); !ok {
		return fmt.Errorf("%s (%s) is not among the kinds: want one of -kinds", kind, system)
	}
	now, sum := c.now(), 0
	for _, g := range c.grants {
		if now.Sub(g.at) <= grantTime {
			sum += g.left
		}
	}
	if n < 1 || n > maxGranted-sum {
		return fmt.Errorf("%d instances of %s, while %d are being launched: want 1 to %d in all", n, kind, sum, maxGranted)
	}
	c.grants = append(c.grants, grant{kind, cmp.Or(system, "linux"), n, now})
	return nil
}
