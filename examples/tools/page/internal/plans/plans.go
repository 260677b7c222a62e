// Package plans answers the questions of the room Reserve.
package plans

import "github.com/plimsoll/plimsoll/examples/tools/page/internal/ask"

// Rooms are the questions of the room.
var Rooms = ask.Rooms{
	"plans/read":     ask.Decoded(read),
	"reserve":        ask.Decoded(reservePlan),
	"reserve/rules":  ask.Decoded(reserveRules),
	"reserve/check":  ask.Decoded(reserveCheck),
	"reserve/export": ask.Decoded(reserveExport),

	"reserve/unsure":        ask.Decoded(reserveUnsure),
	"reserve/front":         ask.Decoded(reserveFront),
	"reserve/unsure-export": ask.Decoded(unsureExport),
}
