package renting

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"time"

	"github.com/plimsoll/plimsoll/schedule/elastic"
)

// A Kind is a rule by which instances are rented.
type Kind int

const (
	SM Kind = iota
	OD
	ODPlus
	AQTP
	MCOP
)

var kindNames = [...]string{"sm", "od", "od++", "aqtp", "mcop"}

// A Policy is a rule that can be chosen.
type Policy struct {
	Kind   Kind
	Weight int // of MCOP: per cent of the cost
}

func (p Policy) String() string {
	if p.Kind == MCOP {
		return fmt.Sprintf("mcop-%d-%d", p.Weight, 100-p.Weight)
	}
	return kindNames[p.Kind]
}

// Label is the policy's name in tables and pictures, as in the paper.
func (p Policy) Label() string { return strings.ToUpper(p.String()) }

// AllPolicies are those of the paper.
var AllPolicies = []Policy{{Kind: SM}, {Kind: OD}, {Kind: ODPlus}, {Kind: AQTP}, {MCOP, 20}, {MCOP, 80}}

// allNames is what the flag -policy has for all.
const allNames = "sm,od,od++,aqtp,mcop-20-80,mcop-80-20"

// ParsePolicy reads the name of a policy.
func ParsePolicy(name string) (p Policy, err error) {
	for _, x := range AllPolicies {
		if name == x.String() {
			return x, nil
		}
	}
	var rest int
	if n, _ := fmt.Sscanf(name, "mcop-%d-%d", &p.Weight, &rest); n == 2 && p.Weight >= 0 && rest >= 0 && p.Weight+rest == 100 {
		if p.Kind = MCOP; p.String() == name {
			return p, nil
		}
	}
	return p, errors.New("want all, or some of sm, od, od++, aqtp and mcop-20-80, whose weights sum to 100")
}

// A Launch says what OD and OD++ launch for.
type Launch int

const (
	LaunchJobs    Launch = iota // each job in one infrastructure, parts where they are free
	LaunchPrinted               // the cores of all jobs together, until the credits are gone
)

// Rules are what [Marshall12] leaves open about the policies, the queue and the clouds.
type Rules struct {
	Launch   Launch
	Queue    int  // 1: jobs may overtake
	Refuse   int  // 1: clouds refuse a request for several instances as a whole
	KeepFree bool // of OD, OD++, AQTP and MCOP
	Search   int  // of MCOP; 1: exact
	AQTP     elastic.AQTP
	MCOP     elastic.MCOP
}

// DefaultAQTP holds the queued time near the example of [Marshall12] section III.B, since
// the evaluation does not say.
func DefaultAQTP() elastic.AQTP {
	return elastic.AQTP{Response: 2 * time.Hour, Threshold: 45 * time.Minute}
}

// new returns a policy with the rules.
func (r *Rules) new(p Policy, rng *rand.Rand) elastic.Policy {
	switch p.Kind {
	case SM:
		return new(elastic.SM)
	case OD, ODPlus:
		return &elastic.OD{Plus: p.Kind == ODPlus, Printed: r.Launch == LaunchPrinted, KeepFree: r.KeepFree}
	case AQTP:
		return &elastic.AQTP{Response: r.AQTP.Response, Threshold: r.AQTP.Threshold, Start: r.AQTP.Start, Min: r.AQTP.Min, Max: r.AQTP.Max,
			KeepFree: r.KeepFree}
	}
	return &elastic.MCOP{CostWeight: float64(p.Weight) / 100, Rand: rng, Exact: r.Search == 1, KeepFree: r.KeepFree,
		Population: r.MCOP.Population, Generations: r.MCOP.Generations, Mutation: r.MCOP.Mutation, Crossover: r.MCOP.Crossover}
}
