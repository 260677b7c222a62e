package liu21

import (
	"github.com/plimsoll/plimsoll/examples/internal/centres"
	"github.com/plimsoll/plimsoll/pricing"
)

// paper is what [Liu21] section 5 has, in the order of centres.PaperSites.
var paper = struct {
	hours         [3]int64
	onDemand      [3]pricing.Money
	fluctuation   [3]float64
	periodicSaved [3]float64
	periodicUsed  [3]float64
	sharedUsed    map[plannerName][3]float64
	shared        map[plannerName][3]pricing.Money
	hgr           pricing.Money
	hgrUsed       float64
	rho           pricing.Money // at lambda 13
	rhoUsed       float64
	rhoShared     pricing.Money // Table 4
	rhoSharedUsed float64
	rhoWorst      pricing.Money // at lambda 23
	rhoWorstUsed  float64
	rhoErrors     [3]pricing.Money // Table 4: bounds 0, 20 and 40%
	rhoErrorsUsed [3]float64
	rhoSent       [3]float64                    // GB, as rhoErrors
	rhoCount      map[int]int64                 // reservations, by lambda
	short         [3]float64                    // of the jobs, Fig. 6
	paths         map[plannerName][3][3]float64 // GB from one to another, Table 3
}{
	hours:         [3]int64{671_360, 802_234, 1_013_280},
	onDemand:      [3]pricing.Money{55_745 * pricing.Unit, 50_831 * pricing.Unit, 66_194 * pricing.Unit},
	fluctuation:   [3]float64{.49, .66, .78},
	periodicSaved: [3]float64{.454, .251, .263},
	periodicUsed:  [3]float64{.889, .813, .745},
	sharedUsed:    map[plannerName][3]float64{periodic: {.956, .877, .811}, hgr: {.965, .885, .829}},
	shared: map[plannerName][3]pricing.Money{
		periodic: {27_388 * pricing.Unit, 34_693 * pricing.Unit, 44_756 * pricing.Unit},
		hgr:      {27_240 * pricing.Unit, 33_986 * pricing.Unit, 41_750 * pricing.Unit},
	},
	hgr:           110_938 * pricing.Unit,
	hgrUsed:       .839,
	rho:           115_874 * pricing.Unit,
	rhoUsed:       .848,
	rhoShared:     107_014 * pricing.Unit,
	rhoSharedUsed: .912,
	rhoWorst:      155_890 * pricing.Unit,
	rhoWorstUsed:  .526,
	rhoErrors:     [3]pricing.Money{115_874 * pricing.Unit, 116_840 * pricing.Unit, 119_227 * pricing.Unit},
	rhoErrorsUsed: [3]float64{.848, .837, .823},
	rhoSent:       [3]float64{2_158.3, 2_488.7, 2_607.4},
	short:         [3]float64{.6235, .8910, .8210},
	rhoCount:      map[int]int64{23: 193_717, 24: 126_769, 600: 106_661},
	paths: map[plannerName][3][3]float64{
		periodic: {{0, 323.04, 280.72}, {397.17, 0, 746.90}, {415.94, 577.18, 0}},
		hgr:      {{0, 317.46, 367.02}, {149.89, 0, 614.53}, {220.08, 422.53, 0}},
	},
}

// paperOnDemand is what all of the demand costs on demand in the paper.
func paperOnDemand() pricing.Money {
	return paper.onDemand[0] + paper.onDemand[1] + paper.onDemand[2]
}

// paperHours is the length of the paper's windows, paperFrom the hours in which they
// begin, the nearest to its figures (ERRATA [Liu21] 8).
const paperHours = 600

var paperFrom = [3]int{747, 478, 172}

// arePaperLogs reports whether the logs are the paper's three, each once. Their prices
// may differ.
func arePaperLogs(list []*centre) bool {
	seen := map[int]bool{}
	for _, c := range list {
		seen[c.Known] = c.Known >= 0
	}
	return len(list) == len(centres.PaperSites) && seen[0] && seen[1] && seen[2]
}

// isPaper reports whether the windows are the paper's, too. Only then can its figures be
// compared.
func (o *options) isPaper(list []*centre) bool {
	for _, c := range list {
		if c.Known < 0 || c.From != paperFrom[c.Known] {
			return false
		}
	}
	return arePaperLogs(list) && o.Hours == paperHours
}
