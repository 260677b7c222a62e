package market

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"

	"github.com/plimsoll/plimsoll/examples/services/fleet/internal/group"
	"github.com/plimsoll/plimsoll/examples/services/fleet/internal/record"
	"github.com/plimsoll/plimsoll/pricing"
	"github.com/plimsoll/plimsoll/reserve/savings"
)

// A Price is what a search finds, and what the groups of a fleet answer to.
type Price struct {
	// Worth is the price of each hour of the savings plan: nil without a savings plan, or if
	// none was found.
	Worth group.Worth
	// Other is nil, or a price at which a share of the groups answers instead: Share of 2³²
	// groups, by a hash of their keys. Groups that are alike all answer a price alike, and
	// the best plan may want the answers of two. The bound of a group is that at Worth all
	// the same.
	Other group.Worth
	Share uint32
	// Given are the orders of a fleet of few groups, by key, which cost less together than the
	// answer of each. The bound of a group is that of its answer all the same.
	Given map[record.Key][]pricing.Purchase
	// No plan of these Groups groups costs less than Least, by branch and bound on all groups
	// of a fleet. Groups is 0 if there is no such bound.
	Groups int64
	Least  savings.Total
}

// raise raises the bound of a plan to that of the price, if the plan is of the same groups: a
// price with such a bound was found on all groups of the fleet that can be planned.
func (p *Price) raise(plan *Plan) {
	if p.Groups > 0 && plan.Groups == p.Groups && plan.Bounded && plan.Bound.Compare(p.Least) < 0 {
		plan.Bound = p.Least
	}
}

// Plan returns a group's plan at the price.
func (p *Price) Plan(planner *group.Planner, x *group.Terms, g *record.Group) (group.Answer, *record.Failure) {
	if given, ok := p.Given[g.Key]; ok {
		return planner.Take(x, g, p.Worth, given)
	}
	if p.Other != nil && number(g.Key) < p.Share {
		return planner.PlanAs(x, g, p.Worth, p.Other)
	}
	return planner.Plan(x, g, p.Worth)
}

// number returns the number of a group that Share of a price is compared with. It does not
// depend on that by which samples are drawn.
func number(k record.Key) uint32 { return uint32(hash(k, 0x9d1f_5c27_e60b_84a3)) }

const priceVersion = 3

// MarshalBinary returns the same bytes for the same price:
//
//   - the version 3,
//   - the number of hours as a uvarint, and each hour's worth less that of the hour before as a
//     varint,
//   - the same of Other,
//   - Groups as a uvarint, and Least in 16 bytes, the most significant first,
//   - Share and the number of groups with given orders as uvarints,
//   - the groups, sorted by key.
//
// A group is its account, region and kind, each with its length before it as a uvarint. Then come
// the number of orders, and of each order the hour, the class and the units, all as uvarints.
func (p *Price) MarshalBinary() ([]byte, error) {
	b := []byte{priceVersion}
	for _, worth := range [...]group.Worth{p.Worth, p.Other} {
		b = binary.AppendUvarint(b, uint64(len(worth)))
		before := int64(0)
		for _, v := range worth {
			b = binary.AppendVarint(b, v-before)
			before = v
		}
	}
	b = binary.AppendUvarint(b, uint64(p.Groups))
	b, _ = p.Least.AppendBinary(b)
	b = binary.AppendUvarint(b, uint64(p.Share))
	keys := make([]record.Key, 0, len(p.Given))
	for k := range p.Given {
		keys = append(keys, k)
	}
	slices.SortFunc(keys, record.Key.Compare)
	b = binary.AppendUvarint(b, uint64(len(keys)))
	for _, k := range keys {
		b = appendKey(b, k)
		b = binary.AppendUvarint(b, uint64(len(p.Given[k])))
		for _, q := range p.Given[k] {
			for _, n := range [...]int{q.Slot, q.Class, q.Count} {
				b = binary.AppendUvarint(b, uint64(n))
			}
		}
	}
	return b, nil
}

// UnmarshalBinary sets p to the price that MarshalBinary encoded.
func (p *Price) UnmarshalBinary(b []byte) error {
	if len(b) == 0 || b[0] != priceVersion {
		return fmt.Errorf("these bytes are not a price of version %d", priceVersion)
	}
	r := reader{b: b[1:]}
	var price Price
	for _, worth := range [...]*group.Worth{&price.Worth, &price.Other} {
		last := int64(0)
		for range r.count() {
			last += r.varint()
			*worth = append(*worth, last)
		}
	}
	groups := r.uvarint()
	price.Groups = int64(groups & math.MaxInt64)
	r.total(&price.Least)
	r.bad = r.bad || groups > math.MaxInt64
	share := r.uvarint()
	price.Share, r.bad = uint32(share), r.bad || share > math.MaxUint32
	for range r.count() {
		k := r.key()
		given := make([]pricing.Purchase, r.count())
		for i := range given {
			for _, to := range [...]*int{&given[i].Slot, &given[i].Class, &given[i].Count} {
				n := r.uvarint()
				r.bad = r.bad || n > math.MaxInt32
				*to = int(n)
			}
		}
		if price.Given == nil {
			price.Given = map[record.Key][]pricing.Purchase{}
		}
		price.Given[k] = given
	}
	if r.bad || len(r.b) > 0 {
		return fmt.Errorf("these bytes are not a price")
	}
	*p = price
	return nil
}

func appendKey(b []byte, k record.Key) []byte {
	for _, part := range [...]string{k.Account, k.Region, k.Kind} {
		b = append(binary.AppendUvarint(b, uint64(len(part))), part...)
	}
	return b
}

func (r *reader) key() (k record.Key) {
	for _, part := range [...]*string{&k.Account, &k.Region, &k.Kind} {
		*part = r.text()
	}
	return k
}
