package rules

import (
	"bytes"
	"encoding/json"
	"math"
	"slices"
	"time"

	"github.com/plimsoll/plimsoll/internal/inputerr"
	"github.com/plimsoll/plimsoll/pricing"
	"github.com/plimsoll/plimsoll/reserve"
)

// onlineState is the JSON form of an Online.
type onlineState struct {
	Slot       time.Duration   `json:"slot_ns"`
	Every      int             `json:"every"`
	Terms      []int           `json:"terms"`
	Seen       int             `json:"seen"`
	Recent     []int           `json:"recent"`
	Active     []heldState     `json:"active"`
	Forecaster json.RawMessage `json:"forecaster"`
}

type heldState struct {
	Class int `json:"class"`
	Count int `json:"count"`
	Until int `json:"until"`
}

// MarshalJSON returns the state: the demand seen, the reservations held, and the state of the
// forecaster as encoding/json encodes it. The state does not have the fields of o or the
// prices.
func (o *Online) MarshalJSON() ([]byte, error) {
	if o.every == 0 {
		return nil, badInput("state", -1, reserve.ErrRange, "there is none before a Reset that succeeded")
	}
	f, err := json.Marshal(o.Forecaster)
	if err != nil {
		return nil, &inputerr.Error{Package: "rules", Field: "Forecaster", Index: -1, Err: err}
	}
	s := onlineState{Slot: o.slot, Every: o.every, Terms: o.terms, Seen: o.seen, Recent: o.recent, Forecaster: f}
	for _, h := range o.active {
		s.Active = append(s.Active, heldState{h.Class, h.Count, h.Until})
	}
	return json.Marshal(s)
}

// UnmarshalJSON restores a state that MarshalJSON returned; o then continues in place of the
// portfolio that wrote the state. Before the call, o must have been reset with the same problem,
// with the same fields and with a Forecaster of the same type.
//
// The error for a state that does not fit is a *reserve.InputError or an error of encoding/json.
// After an error o is unchanged. Its Forecaster is unchanged if the Forecaster's own UnmarshalJSON
// changes nothing after an error.
func (o *Online) UnmarshalJSON(data []byte) error {
	if o.every == 0 {
		return badInput("state", -1, reserve.ErrRange, "want a Reset that succeeded before a state")
	}
	var s onlineState
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(&s); err != nil {
		return &inputerr.Error{Package: "rules", Field: "state", Index: -1, Err: err}
	}
	switch {
	case s.Slot != o.slot || s.Every != o.every || !slices.Equal(s.Terms, o.terms):
		return badInput("state", -1, reserve.ErrRange, "it is of intervals of %d slots of %v and terms of %v slots: want %d slots of %v and %v",
			s.Every, s.Slot, s.Terms, o.every, o.slot, o.terms)
	case s.Seen < 0 || s.Seen > min(math.MaxInt32, math.MaxInt/2/s.Every-1):
		return badInput("state.seen", -1, reserve.ErrRange, "%d intervals: want 0 to %d", s.Seen, min(math.MaxInt32, math.MaxInt/2/s.Every-1))
	case len(s.Recent)%s.Every != 0 || len(s.Recent)/s.Every > min(s.Seen, o.window()):
		return badInput("state.recent", -1, reserve.ErrRange, "%d slots: want whole intervals, %d at most", len(s.Recent), min(s.Seen, o.window()))
	case s.Forecaster == nil || string(s.Forecaster) == "null":
		return badInput("state.forecaster", -1, reserve.ErrRange, "there is none")
	}
	for t, d := range s.Recent {
		if d < 0 || d > math.MaxInt32 {
			return badInput("state.recent[]", t, reserve.ErrRange, "%d: want 0 to %d instances", d, math.MaxInt32)
		}
	}
	for i, h := range s.Active {
		if h.Class < 0 || h.Class >= len(o.terms) || h.Count < 1 || h.Count > math.MaxInt32 || h.Until <= s.Seen*s.Every {
			return badInput("state.active[]", i, reserve.ErrRange, "%d reservations of class %d until slot %d: want some of a class below %d that last beyond slot %d",
				h.Count, h.Class, h.Until, len(o.terms), s.Seen*s.Every)
		}
	}
	if err := json.Unmarshal(s.Forecaster, o.Forecaster); err != nil {
		return &inputerr.Error{Package: "rules", Field: "state.forecaster", Index: -1, Err: err}
	}
	o.seen = s.Seen
	o.recent = append(o.recent[:0], s.Recent...)
	o.active = o.active[:0]
	for _, h := range s.Active {
		o.active = append(o.active, pricing.Holding{Class: h.Class, Count: h.Count, Until: h.Until})
	}
	return nil
}
