package room

import (
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"errors"
	"math"
	"strings"
)

// Long lists travel as text of base64, little end first: "i:" and 32-bit integers, "f:" and
// 32-bit floats. To write and to read them as numbers of JSON would take longer than to
// compute them. A list of numbers is read, too.

type ints []int

func (list *ints) UnmarshalJSON(text []byte) error {
	if len(text) > 0 && text[0] == '[' {
		return json.Unmarshal(text, (*[]int)(list))
	}
	s, ok := strings.CutPrefix(strings.Trim(string(text), `"`), "i:")
	data, err := base64.StdEncoding.DecodeString(s)
	if !ok || err != nil || len(data)%4 != 0 {
		return errors.New("no list of whole numbers")
	}
	*list = make(ints, len(data)/4)
	for i := range *list {
		(*list)[i] = int(int32(binary.LittleEndian.Uint32(data[4*i:])))
	}
	return nil
}

type floats []float64

func (list ints) appendTo(b []byte) []byte {
	data := make([]byte, 0, 4*len(list))
	for _, v := range list {
		data = binary.LittleEndian.AppendUint32(data, uint32(int32(v))) // at most maxDemand
	}
	return appendPacked(b, "i:", data)
}

func (list floats) appendTo(b []byte) []byte {
	data := make([]byte, 0, 4*len(list))
	for _, v := range list {
		data = binary.LittleEndian.AppendUint32(data, math.Float32bits(float32(v)))
	}
	return appendPacked(b, "f:", data)
}

func (list ints) MarshalJSON() ([]byte, error)   { return list.appendTo(nil), nil }
func (list floats) MarshalJSON() ([]byte, error) { return list.appendTo(nil), nil }

func appendPacked(b []byte, kind string, data []byte) []byte {
	b = append(b, '"')
	b = append(b, kind...)
	return append(base64.StdEncoding.AppendEncode(b, data), '"')
}

// A heavy answer has fields that encoding/json would look at byte by byte, and appends them
// by itself, each as a comma, its name and its value.
type heavy interface{ appendHeavy(b []byte) []byte }

func appendField(b []byte, name string, list interface{ appendTo([]byte) []byte }) []byte {
	b = append(append(append(b, `,"`...), name...), `":`...)
	return list.appendTo(b)
}

// lists are several lists in a field.
type lists[L interface{ appendTo([]byte) []byte }] []L

func (all lists[L]) appendTo(b []byte) []byte {
	b = append(b, '[')
	for i, l := range all {
		if i > 0 {
			b = append(b, ',')
		}
		b = l.appendTo(b)
	}
	return append(b, ']')
}
