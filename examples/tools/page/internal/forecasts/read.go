package forecasts

import (
	"bytes"

	"github.com/plimsoll/plimsoll/examples/internal/demandfile"
	"github.com/plimsoll/plimsoll/examples/internal/seriesfile"
	"github.com/plimsoll/plimsoll/examples/tools/page/internal/ask"
)

// readers read the forms that the programs read.
var readers = ask.Readers{
	"series": func(name string, data []byte) (any, error) {
		list, err := seriesfile.From(name, bytes.NewReader(data))
		if err != nil {
			return nil, err
		}
		return map[string]any{"series": ask.Series(list[0].Values), "name": list[0].Name, "others": len(list) - 1}, nil
	},
	"series-made-up": func(name string, _ []byte) (any, error) {
		var values []float64
		switch name {
		case "hours":
			for _, d := range demandfile.MadeUp()[300*24 : 342*24] {
				values = append(values, float64(d))
			}
		case "quadratic":
			for t := range 120 {
				values = append(values, 20+float64(t*t)/100)
			}
		default:
			values = seriesfile.MadeUp()
		}
		return map[string]any{"series": ask.Series(values)}, nil
	},
}

func read(q *ask.Text) (any, error) { return q.Read(readers) }
