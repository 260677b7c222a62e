package ask

import (
	"encoding/base64"
	"errors"

	"github.com/plimsoll/plimsoll/examples/internal/cli"
)

// A Text is a text that a person pasted, or a file that a person dropped.
type Text struct {
	Form string `json:"form"` // what the text is to be, a key of the Readers
	Name string `json:"name"` // of the file; "" is pasted
	Text string `json:"text"`
	Data string `json:"data"` // base64, instead of Text
}

// Readers read the forms that the programs read.
type Readers map[string]func(name string, data []byte) (any, error)

// Read reads the text.
func (q *Text) Read(readers Readers) (any, error) {
	form, ok := readers[q.Form]
	if !ok {
		return nil, Mistakef("", "%s is no form of a file", Quote(q.Form))
	}
	data := []byte(q.Text)
	if q.Data != "" {
		var err error
		if data, err = base64.StdEncoding.DecodeString(q.Data); err != nil {
			return nil, Mistakef(q.Form, "%v", err)
		}
	}
	name := q.Name
	if name == "" {
		name = "the pasted text"
	}
	answer, err := form(name, data)
	var m *Mistake
	if errors.As(err, &m) {
		return nil, Mistakef(q.Form, "%s", m.Text)
	}
	if err != nil {
		return nil, Mistakef(q.Form, "%v", cli.Plain(err))
	}
	return answer, nil
}
