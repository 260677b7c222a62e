// Package provider has who rents out instances: on this machine (Local), or whatever a
// user's own commands reach (Exec).
package provider

import (
	"context"
	"errors"
	"time"
)

// ErrRefused: the provider does not create the instance, and has not done so. Any other
// error of Create leaves open whether it has.
var ErrRefused = errors.New("refused")

// An Instance is rented from Created to Ended.
type Instance struct {
	ID      string    `json:"id"`
	Token   string    `json:"token"` // as it was asked for
	Node    string    `json:"node"`  // its name in Slurm
	Created time.Time `json:"created"`
	Ended   time.Time `json:"ended,omitzero"` // zero while it is rented
}

// Live reports whether the instance is rented still.
func (i *Instance) Live() bool { return i.Ended.IsZero() }

// A Reservation is instances that are paid for ahead.
type Reservation struct {
	Token string
	Class string // its name in the list of prices
	Count int
	Term  time.Duration
}

// A Buyer buys reservations, and returns what the provider calls them. A second Buy with
// the same token buys nothing more. ErrRefused says that nothing has been bought; any
// other error leaves it open.
type Buyer interface {
	Buy(ctx context.Context, r Reservation) (id string, err error)
}

// A Provider rents out instances. Several goroutines may call its methods. A method ends
// with an error when its context ends.
//
// Create rents an instance that joins Slurm under the name of a node. A token is a name that
// the caller makes up. A second Create with the same token rents nothing more, and returns
// the same instance, even if the instance has ended since.
//
// Delete ends an instance. A second Delete changes nothing, and returns the same end.
//
// List returns, in any order, all instances that are rented, and ended instances for as long
// as the provider remembers them.
type Provider interface {
	Create(ctx context.Context, token, node string) (Instance, error)
	Delete(ctx context.Context, id string) (Instance, error)
	List(ctx context.Context) ([]Instance, error)
}
