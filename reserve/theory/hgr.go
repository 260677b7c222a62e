// # HGR saves half, and Theorem 3 of [Liu21]
//
// Theorem 3 of [Liu21] says that HGR costs at most 2 - α times the optimum, α = F/(τp). The theorem
// is true for α ≥ 1/2, as a corollary of another theorem, and false for every α from above 0 to
// below 1/2. The printed proof charges a reservation of HGR to reservations of the optimum only as
// far as the two overlap, and the rest of the term to nothing, so the proof shows neither.
//
// A window is the slots of a reservation, and a slot is busy while demand is left in it. A
// purchase of HGR serves one instance in each busy slot of its window. HGR buys σ times in one
// window at once. That is the same as σ purchases one after another, since the window stays the
// best as long as all its busy slots stay busy.
//
// Theorem. HGR saves at least half of what the optimum saves over on demand, whatever the
// dates of purchases, for both horizons, and for every choice between windows that save the
// same amount.
//
// Proof. Write g(w) for what a reservation with the window w saves on the demand d: p for each
// busy slot, less its fee. Write G(d) for what an optimal plan saves. Let HGR buy in the window
// w, so that g(w) is the largest of all and not below 0, and let d' be the demand that is left.
// The claim is
//
//	G(d) ≤ G(d') + 2·g(w).
//
// Let O be an optimal plan for d. Remove two reservations from O: x, the latest of those that begin
// no later than w, and y, the earliest of those that begin later than w; or the one that there is.
// (An empty plan saves nothing, and the claim is plain.) Use the rest for d'. If O has a
// reservation active in a slot of w, then x or y is active in that slot. For if the reservation
// begins no later than w, then x begins no earlier and has not ended; otherwise y begins no later,
// and ends after w.
//
// Count what O and the rest serve by reservations. In a slot where d is 0 neither serves anything.
// In a busy slot outside w, d' is d, and the rest serves at most one instance less for x if x is
// active in the slot, and one for y. In a busy slot of w, d' is d - 1. If O has no reservation
// there, neither plan serves anything. Otherwise c of x and y are active, c = 1 or 2. With u
// reservations of O in the slot, O serves min(d, u) and the rest min(d - 1, u - c), which is at
// least min(d, u) - c. So the rest loses at most the busy slots of x and of y, and saves at least
// G(d) - g(x) - g(y) on d'. Since g(x) ≤ g(w) and g(y) ≤ g(w), the claim is proved.
//
// In the end no window saves anything. A plan saves at most the sum of what its windows save one
// by one, so that G is 0 then. The sum of the claims is G(d) ≤ 2·(what HGR saves). ∎
//
// For two terms of demand of which HGR buys the middle, half is all that HGR saves
// (TestHGRSavesHalf). Now let the horizon be Full and F ≤ τp.
//
// Corollary 1. cost(HGR) ≤ (1 + 1/α)/2 · optimum, which is at most 2 - α if α ≥ 1/2.
//
// Proof. A plan pays at least F/τ = αp for an instance in a slot, so on demand costs at most 1/α
// times the optimum. By the theorem HGR costs at most the mean of on demand and the optimum. And
// (1 + 1/α)/2 ≤ 2 - α is (2α - 1)(α - 1) ≤ 0. ∎
//
// Corollary 2. cost(HGR) ≤ (3/2 + ln(1/(2α)))·optimum if α ≤ 1/2.
//
// Proof. Stop HGR before the first purchase that serves fewer than 2F/p busy slots, or at its end
// if there is none. Let d' be the demand that is left then. HGR looks at the demand that is left
// and at nothing else, so its further purchases are those of HGR for d'. By the theorem they cost,
// with the rest on demand, at most half of the optimum for d' and half of what d' costs on demand.
// The optimum for d' is at most that for d, since d' ≤ d. So cost(HGR) is at most
//
//	optimum/2 + Σ prices,
//
// where each instance in each slot has a price: F/ν if a purchase before the stop that served ν
// busy slots has served it, and p/2 otherwise. No price is above p/2, since ν ≥ 2F/p before the
// stop.
//
// Now compare the prices with an optimal plan O. Number the instances of a slot in the order in
// which HGR serves them, those after the stop last. In each slot let each active reservation of O
// serve another instance, as long as there are any. An instance that O serves on demand costs O the
// amount p, which is at least its price. Take one reservation of O, and the at most τ instances
// that it serves, one a slot, in the order in which HGR serves them. Before HGR serves the i-th
// from the end, i of them wait, in i busy slots of one window. HGR takes the window with the most
// busy slots, so ν ≥ i, and the price F/ν is at most F/i. If the i-th from the end is served after
// the stop or never, then i < 2F/p, and its price p/2 is below F/i. In both cases its price is at
// most min(p/2, F/i), and the prices of the reservation are at most
//
//	Σ_{i=1}^τ min(p/2, F/i) ≤ ∫_0^τ min(p/2, F/x) dx = F + F·ln(τp/(2F)) = F·(1 + ln(1/(2α))).
//
// The integral is split at x = 2F/p, which is at most τ since α ≤ 1/2. So the prices sum to at most
// 1 + ln(1/(2α)) times the optimum. ∎
//
// The two are 1.25 at α = 2/3, 1.5 at 1/2, 1.91 at 1/3, and 2 at .303.
//
// Theorem 3 is false for every α, 0 < α < 1/2 (TestTheorem3IsFalse). Let p = 1, and let one
// instance be needed. A hole is one slot in which none is needed. Prices are whole, so α > 0 is
// rational. Take τ as large as needed, a multiple of 4, and such that F = ατ is whole and τ - F is
// even.
//
// For 1/3 ≤ α < 1/2 take two blocks of 2τ slots, with a gap of F slots between them. Let
// x = (τ - F)/2. The first block has holes at F - 1, at F + τ and at 2τ - x - 1, and the second
// block is its mirror image. Four terms serve all of the demand: the optimum is at most 4F. In
// each block one window is busy in all its slots, between the first two holes, and HGR buys both.
// Then the window over the gap is busy in x slots on either side, τ - F in all. Every other window
// is busy in fewer slots, and F ≤ τ - F: HGR buys it. Pieces of F - 1 and x - 2 slots are left in
// each block. x - 2 is below F, since τ ≤ 3F, and no window has slots of two pieces. So the
// pieces stay on demand, and HGR pays
//
//	3F + 2·(F - 1) + 2·(x - 2) = 4F + τ - 6.
//
// The ratio tends to 1 + 1/(4α) for large τ, and exceeds 2 - α by (1 - 2α)²/(4α).
//
// For smaller α take b blocks of 2τ slots with gaps of τ/2, and let x = τ/4. Each block has holes
// at τ/2 - 1 and 3τ/2, on either side of its middle term, and one hole beside each piece of x slots
// next to a gap. 2b terms serve all. HGR buys the b middle terms, and then the b - 1 windows over
// the gaps, each busy in 2x = τ/2 slots. What is left are 2b - 2 pieces of τ/4 - 2 slots and two of
// τ/2 - 1 slots at the ends, of which no window has two. If 1/4 ≤ α < 1/2, the short pieces stay on
// demand, for about τ/4 each; the two at the ends cost at most F each. So the ratio tends to 1 +
// 1/(4α) for large τ and b. If α < 1/4 and τ/4 - 2 ≥ F, HGR buys each piece: 4b - 1 purchases where
// k = 2b suffice. The ratio is at least 2 - 1/k, which is above 2 - α if k > 1/α. ∎
//
// With more than one instance HGR can cost more than twice the optimum. For τ = 15, F = p = 1 and
//
//	101101111110111221112011212221000122122112011112211111111111111
//
// HGR makes 13 purchases, and the optimum 6. On 378 slots with τ = 90 HGR makes 20 purchases, and
// the optimum 9 (TestHGRMoreThanTwice). No demand with a ratio above 20/9 is known. Whether a
// constant bounds HGR for all α is open. For one instance, and a fee that one slot pays back, there
// is one:
//
// Proposition. With the Full horizon, if 0 ≤ d ≤ 1, some demand is there, F ≤ p, and k purchases
// serve all of the demand, HGR makes at most 2k - 1, whatever the dates of purchases.
//
// Proof. HGR buys until no slot is busy. Take k reservations that serve the demand, by rising
// start. The part of a reservation is the demand that it serves and no earlier one serves. All
// terms have one length, so the parts follow each other in time.
//
// Let a purchase of HGR serve slots of one part alone. HGR takes a window with the most busy slots,
// and the window of the part's reservation was to be had, or one that has all its slots. So nothing
// of the part is left. There are at most k such purchases. Let another purchase serve a part x and
// later parts. What is left of x lies before its window, and what is left of later parts behind it.
// No window has slots of both. So there is at most one such purchase for each part but the last. ∎
package theory
