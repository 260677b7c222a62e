package plans

import (
	"bytes"
	"unicode"

	"github.com/plimsoll/plimsoll/examples/internal/decimal"
	"github.com/plimsoll/plimsoll/examples/internal/demandfile"
	"github.com/plimsoll/plimsoll/examples/internal/infile"
	"github.com/plimsoll/plimsoll/examples/tools/page/internal/ask"
	"github.com/plimsoll/plimsoll/pricing"
)

// readers read the forms that the programs read.
var readers = ask.Readers{
	"demand": func(name string, data []byte) (any, error) {
		demand, err := demandfile.From(name, bytes.NewReader(column(data)))
		if err != nil {
			return nil, err
		}
		for t, d := range demand.Slots {
			if d > maxDemand {
				return nil, ask.Mistakef("demand", "%s: slot %d: %d: the page takes at most %s instances; examples/tools/plan takes more", name, t+1, d, decimal.Int(maxDemand))
			}
		}
		return map[string]any{"demand": ask.Ints(demand.Slots)}, nil
	},
	"made-up": func(string, []byte) (any, error) {
		return map[string]any{"demand": ask.Ints(demandfile.MadeUp())}, nil
	},
	"classes": func(name string, data []byte) (any, error) {
		list, err := infile.From(name, bytes.NewReader(data), pricing.ReadList)
		if err != nil {
			return nil, err
		}
		classes := []classQuestion{}
		for _, c := range list.Classes {
			classes = append(classes, classQuestion{Name: c.Name, Term: c.Term.String(), Upfront: c.Upfront.String(), Hourly: c.Hourly.String(), Always: c.Billed == pricing.Always})
		}
		return map[string]any{"on_demand": list.OnDemand.String(), "classes": classes}, nil
	},
}

func read(q *ask.Text) (any, error) { return q.Read(readers) }

// column returns a text of whole numbers alone, as a person pastes them from a sheet or
// types them, as the file that the programs read: a header and a number a line. It returns
// any other text as it is, so that an error names the line of that text.
func column(text []byte) []byte {
	numbers := bytes.FieldsFunc(text, func(r rune) bool { return unicode.IsSpace(r) || r == ',' || r == ';' })
	for _, n := range numbers {
		if len(bytes.Trim(n, "0123456789")) > 0 {
			return text
		}
	}
	return append([]byte("instances\n"), bytes.Join(numbers, []byte("\n"))...)
}
