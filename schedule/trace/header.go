package trace

import (
	"iter"
	"strconv"
	"strings"
	"time"
)

// A Header is the comment lines that open a log, in order. A line of the form
// "; Key: value" is a field; every other line is free text. The zero value is
// an empty header.
type Header struct {
	lines []string // without the semicolon and the line's end
}

// Fields yields the fields in order as key and value, both without surrounding space. A
// key may come more than once ("Queue", "Note"). A key is one word of letters, digits,
// "_" and "-". Space or the line's end follows the colon, so "http://..." in a line that
// continues another line is not a field.
func (h *Header) Fields() iter.Seq2[string, string] {
	return func(yield func(string, string) bool) {
		for _, l := range h.lines {
			if k, v, ok := splitField(l); ok && !yield(k, v) {
				return
			}
		}
	}
}

func splitField(line string) (key, value string, ok bool) {
	key, value, ok = strings.Cut(strings.TrimLeft(line, " \t;"), ":")
	if !ok || key == "" || value != "" && value[0] != ' ' && value[0] != '\t' {
		return "", "", false
	}
	key = strings.TrimRight(key, " \t")
	if key == "" {
		return "", "", false
	}
	for i := range len(key) {
		c := key[i]
		if !('a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c == '_' || c == '-') {
			return "", "", false
		}
	}
	return key, strings.TrimSpace(value), true
}

// Get returns the value of the first field with the key, whose letter case
// does not matter, and whether there is one.
func (h *Header) Get(key string) (string, bool) {
	for k, v := range h.Fields() {
		if strings.EqualFold(k, key) {
			return v, true
		}
	}
	return "", false
}

// Int returns the whole number that the value of the first field with the key
// begins with: 338 for "MaxNodes: 338 (batch partition; 512 total)". It is
// false where there is no such field, where the value begins otherwise
// ("N/A"), and where the number does not fit.
func (h *Header) Int(key string) (int64, bool) {
	v, ok := h.Get(key)
	if !ok {
		return 0, false
	}
	n := 0
	if n < len(v) && v[n] == '-' {
		n++
	}
	for n < len(v) && '0' <= v[n] && v[n] <= '9' {
		n++
	}
	i, err := strconv.ParseInt(v[:n], 10, 64)
	return i, err == nil
}

// UnixStartTime is the instant of the log's time 0, in UTC, and whether the
// header states it.
func (h *Header) UnixStartTime() (time.Time, bool) {
	s, ok := h.Int("UnixStartTime")
	if !ok {
		return time.Time{}, false
	}
	return time.Unix(s, 0).UTC(), true
}

// Add appends the field "; key: value".
func (h *Header) Add(key, value string) { h.addLine(" " + key + ": " + value) }

// addLine appends a comment line, given without its semicolon.
// [Writer.WriteHeader] refuses a line that holds a line break.
func (h *Header) addLine(text string) { h.lines = append(h.lines, text) }

// Reset forgets all lines.
func (h *Header) Reset() { h.lines = h.lines[:0] }
