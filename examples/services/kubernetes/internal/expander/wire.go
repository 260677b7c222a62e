package expander

import (
	"errors"
	"fmt"
	"math"

	"google.golang.org/grpc/mem"
	"google.golang.org/protobuf/encoding/protowire"
)

// An option is a node group that could grow. raw is the option as it came: the answer sends
// it back.
type option struct {
	group string
	count int
	pods  int
	raw   []byte
}

// A request is the question of the cluster-autoscaler.
type request struct {
	options []option
	nodes   map[string][]byte // a node of each group, as protocol buffers
}

// A response is the answer.
type response struct{ options []option }

// codec reads requests and writes responses. Its name is that of protocol buffers, which is
// what is on the wire.
type codec struct{}

func (codec) Name() string { return "proto" }

func (codec) Marshal(v any) (mem.BufferSlice, error) {
	r, ok := v.(*response)
	if !ok {
		return nil, fmt.Errorf("a %T cannot be written", v)
	}
	var b []byte
	for i := range r.options {
		b = protowire.AppendTag(b, 1, protowire.BytesType)
		b = protowire.AppendBytes(b, r.options[i].raw)
	}
	return mem.BufferSlice{mem.SliceBuffer(b)}, nil
}

func (codec) Unmarshal(data mem.BufferSlice, v any) error {
	r, ok := v.(*request)
	if !ok {
		return fmt.Errorf("a %T cannot be read", v)
	}
	return r.unmarshal(data.Materialize())
}

var errWire = errors.New("the message is not of the form of grpcplugin.Expander")

// fields calls f for each field of a message with the value of bytes or of a number.
func fields(b []byte, f func(n protowire.Number, bytes []byte, number uint64) error) error {
	for len(b) > 0 {
		n, kind, size := protowire.ConsumeTag(b)
		if size < 0 {
			return errWire
		}
		b = b[size:]
		var bytes []byte
		var number uint64
		switch kind {
		case protowire.BytesType:
			bytes, size = protowire.ConsumeBytes(b)
		case protowire.VarintType:
			number, size = protowire.ConsumeVarint(b)
		default:
			size = protowire.ConsumeFieldValue(n, kind, b)
			n = 0 // of a type that no field of ours has
		}
		if size < 0 {
			return errWire
		}
		b = b[size:]
		if n == 0 {
			continue
		}
		if bytes == nil && kind == protowire.BytesType {
			bytes = []byte{}
		}
		if err := f(n, bytes, number); err != nil {
			return err
		}
	}
	return nil
}

func (r *request) unmarshal(b []byte) error {
	*r = request{nodes: map[string][]byte{}}
	older := map[string][]byte{}
	err := fields(b, func(n protowire.Number, bytes []byte, _ uint64) error {
		switch {
		case n == 1 && bytes != nil:
			o := option{raw: bytes}
			old := 0
			err := fields(bytes, func(n protowire.Number, bytes []byte, number uint64) error {
				switch {
				case n == 1 && bytes != nil:
					o.group = string(bytes)
				case n == 2 && bytes == nil:
					o.count = int(max(math.MinInt32, min(math.MaxInt32, int64(number))))
				case n == 4 && bytes != nil:
					old++
				case n == 5 && bytes != nil:
					o.pods++
				}
				return nil
			})
			if o.pods == 0 {
				o.pods = old
			}
			r.options = append(r.options, o)
			return err
		case (n == 2 || n == 3) && bytes != nil:
			var name string
			var node []byte
			err := fields(bytes, func(n protowire.Number, bytes []byte, _ uint64) error {
				switch {
				case n == 1 && bytes != nil:
					name = string(bytes)
				case n == 2 && bytes != nil:
					node = bytes
				}
				return nil
			})
			if n == 3 {
				r.nodes[name] = node
			} else {
				older[name] = node
			}
			return err
		}
		return nil
	})
	for name, node := range older {
		if _, ok := r.nodes[name]; !ok {
			r.nodes[name] = node
		}
	}
	return err
}
