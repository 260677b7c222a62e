package ask

import (
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"errors"
	"math"
	"strconv"
	"strings"
)

// Long Lists travel as text of base64, little end first: "i:" and 32-bit integers, "f:" and
// 32-bit floats. To write and to read them as numbers of JSON would take longer than to
// compute them. A list of numbers is read, too.

// Ints is a long list of whole numbers.
type Ints []int

func (list *Ints) UnmarshalJSON(text []byte) error {
	if len(text) > 0 && text[0] == '[' {
		return json.Unmarshal(text, (*[]int)(list))
	}
	s, ok := strings.CutPrefix(strings.Trim(string(text), `"`), "i:")
	data, err := base64.StdEncoding.DecodeString(s)
	if !ok || err != nil || len(data)%4 != 0 {
		return errors.New("no list of whole numbers")
	}
	*list = make(Ints, len(data)/4)
	for i := range *list {
		(*list)[i] = int(int32(binary.LittleEndian.Uint32(data[4*i:])))
	}
	return nil
}

// Floats is a long list of numbers, which lose digits on their way: for pictures alone.
type Floats []float64

func (list Ints) AppendTo(b []byte) []byte {
	data := make([]byte, 0, 4*len(list))
	for _, v := range list {
		data = binary.LittleEndian.AppendUint32(data, uint32(int32(v))) // at most maxDemand
	}
	return appendPacked(b, "i:", data)
}

func (list Floats) AppendTo(b []byte) []byte {
	data := make([]byte, 0, 4*len(list))
	for _, v := range list {
		data = binary.LittleEndian.AppendUint32(data, math.Float32bits(float32(v)))
	}
	return appendPacked(b, "f:", data)
}

func (list Ints) MarshalJSON() ([]byte, error)   { return list.AppendTo(nil), nil }
func (list Floats) MarshalJSON() ([]byte, error) { return list.AppendTo(nil), nil }

func appendPacked(b []byte, kind string, data []byte) []byte {
	b = append(b, '"')
	b = append(b, kind...)
	return append(base64.StdEncoding.AppendEncode(b, data), '"')
}

// A heavy answer has fields that encoding/json would look at byte by byte, and appends them
// by itself, each as a comma, its name and its value.
type heavy interface{ AppendHeavy(b []byte) []byte }

// AppendField appends a field of a heavy answer.
func AppendField(b []byte, name string, list interface{ AppendTo([]byte) []byte }) []byte {
	b = append(append(append(b, `,"`...), name...), `":`...)
	return list.AppendTo(b)
}

// Lists are several lists in a field.
type Lists[L interface{ AppendTo([]byte) []byte }] []L

func (all Lists[L]) AppendTo(b []byte) []byte {
	b = append(b, '[')
	for i, l := range all {
		if i > 0 {
			b = append(b, ',')
		}
		b = l.AppendTo(b)
	}
	return append(b, ']')
}

// Series is a list of numbers that keeps all digits; a missing number is null.
type Series []float64

func (list Series) MarshalJSON() ([]byte, error) {
	b := []byte{'['}
	for i, v := range list {
		if i > 0 {
			b = append(b, ',')
		}
		if v-v != 0 { // missing, or out of range
			b = append(b, "null"...)
		} else {
			b = strconv.AppendFloat(b, v, 'g', -1, 64)
		}
	}
	return append(b, ']'), nil
}

func (list *Series) UnmarshalJSON(text []byte) error {
	var all []*float64
	if err := json.Unmarshal(text, &all); err != nil {
		var packed Ints
		if packed.UnmarshalJSON(text) != nil {
			return err
		}
		*list = nil
		for _, v := range packed {
			*list = append(*list, float64(v))
		}
		return nil
	}
	*list = make(Series, len(all))
	for i, v := range all {
		if (*list)[i] = math.NaN(); v != nil {
			(*list)[i] = *v
		}
	}
	return nil
}
