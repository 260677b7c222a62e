package room

import (
	"bytes"
	"encoding/base64"

	"github.com/plimsoll/plimsoll/examples/internal/cli"
	"github.com/plimsoll/plimsoll/examples/internal/demandfile"
	"github.com/plimsoll/plimsoll/examples/internal/infile"
	"github.com/plimsoll/plimsoll/pricing"
)

// readQuestion is a text that a person pasted, or a file that a person dropped.
type readQuestion struct {
	Form string `json:"form"` // what the text is to be, see readers
	Name string `json:"name"` // of the file; "" is pasted
	Text string `json:"text"`
	Data string `json:"data"` // base64, instead of Text
}

// readers read the forms that the programs read.
var readers = map[string]func(name string, data []byte) (any, error){
	"demand": func(name string, data []byte) (any, error) {
		demand, err := demandfile.From(name, bytes.NewReader(data))
		return map[string]any{"demand": ints(demand)}, err
	},
	"made-up": func(string, []byte) (any, error) {
		return map[string]any{"demand": ints(demandfile.MadeUp())}, nil
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

func read(q *readQuestion) (any, error) {
	form, ok := readers[q.Form]
	if !ok {
		return nil, mistakef("", "%s is no form of a file", quote(q.Form))
	}
	data := []byte(q.Text)
	if q.Data != "" {
		var err error
		if data, err = base64.StdEncoding.DecodeString(q.Data); err != nil {
			return nil, mistakef(q.Form, "%v", err)
		}
	}
	name := q.Name
	if name == "" {
		name = "the pasted text"
	}
	answer, err := form(name, data)
	if err != nil {
		return nil, mistakef(q.Form, "%v", cli.Plain(err))
	}
	return answer, nil
}
