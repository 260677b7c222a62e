package billtable

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
)

// accounts are the columns of the accounts below the one that is billed, of all forms.
var accounts = []string{"lineItem/UsageAccountId", "SubAccountId", "SubscriptionId", "SubscriptionGuid", "project.id"}

// An owner reads who used what the rows charge for.
type owner struct {
	column int    // -1 for none
	key    string // of its JSON object, "" where the column is the owner
	// last are texts that were read of late, with what they say, by the last character.
	last [16]struct {
		text []byte
		word string
	}
	words map[string]string // by the text of the column
}

// newOwner finds the column of a name, or of an account.
func newOwner(name string, header []string) owner {
	o := owner{column: -1}
	find := func(name string) int {
		return slices.IndexFunc(header, func(h string) bool { return Name(h) == Name(name) })
	}
	names := accounts
	if name != "" {
		names = []string{name}
	}
	for _, n := range names {
		if o.column = find(n); o.column >= 0 {
			return o
		}
	}
	if i := strings.LastIndexByte(name, ':'); i > 0 {
		o.column, o.key = find(name[:i]), name[i+1:]
	}
	return o
}

// word returns what the column says in a row.
func (o *owner) word(text []byte) string {
	if len(text) == 0 {
		return ""
	}
	last := &o.last[text[len(text)-1]%16]
	if bytes.Equal(last.text, text) {
		return last.word
	}
	w, known := o.words[string(text)]
	if !known {
		if w = o.read(text); len(o.words) >= mostMemo || o.words == nil {
			o.words = map[string]string{}
		}
		o.words[string(text)] = w
	}
	last.text, last.word = append(last.text[:0], text...), w
	return w
}

// read reads the column, or the key of its object. Azure leaves out the braces.
func (o *owner) read(text []byte) string {
	text = bytes.TrimSpace(text)
	if Null(text) {
		return ""
	}
	if o.key == "" {
		return string(text)
	}
	if text[0] != '{' {
		text = slices.Concat([]byte("{"), text, []byte("}"))
	}
	var object map[string]any
	if json.Unmarshal(text, &object) != nil {
		return ""
	}
	s, _ := object[o.key].(string)
	return s
}
