// Package forecasts answers the questions of the room Forecast.
package forecasts

import "github.com/plimsoll/plimsoll/examples/tools/page/internal/ask"

// Rooms are the questions of the room.
var Rooms = ask.Rooms{
	"forecasts/read":    ask.Decoded(read),
	"forecast":          ask.Decoded(forecastLook),
	"forecast/models":   ask.Decoded(forecastModels),
	"forecast/backtest": ask.Decoded(forecastBacktest),
	"forecast/runaway":  ask.Decoded(forecastRunaway),
	"forecast/export":   ask.Decoded(forecastExport),
}
