// Package theory explains and proves what package reserve does. The package has no
// code. Names without a package, such as Exact or Wang, are those of packages reserve
// and reserve/rules, and so is the notation.
//
//	Two theorems that do not hold   why planning purchases is a flow, and not NP-hard
//	Heuristics                      what the published planners have in common
//	HGR                             a half, two corollaries, and a theorem that does not hold
//	Demand that is not known        why paths are a flow too, what knowing is worth, risk
//	A tree of the future            one class is a flow, several are not, and how rare gaps are
//	The online portfolio            what a forecast is turned into, and what it costs
//	Online rules                    constants, proofs, and three claims that do not hold
package theory
