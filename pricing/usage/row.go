package usage

import (
	"time"

	"github.com/plimsoll/plimsoll/internal/enum"
)

// A Kind is a kind of instance that a plan can buy reservations for. Its fields are
// those of an offer of package offers, so that demand meets its prices.
type Kind struct {
	Provider string // "aws", "azure", "gcp" or "oci"; another cloud's name in lower case
	Region   string // the cloud's code, such as "eu-west-1"
	Type     string // such as "m5.large"; "" is no kind at all
	System   string // operating system or database, in lower case, such as "linux"; "" where the bill does not say
	Tenancy  string // "shared", "dedicated" or "host"; "" where the bill does not say
	// Owner is whose commitments alone serve it, "" for those of all; see [Collector.Alone]. It is
	// no field of an offer.
	Owner string
}

// A Charge says what a row of a bill charges for.
type Charge uint8

const (
	// LeftOut: the row is neither demand nor part of a commitment. Row.Reason says
	// what it is.
	LeftOut Charge = iota
	// OnDemand: hours of an instance at the price on demand.
	OnDemand
	// Covered: hours of an instance that a commitment covers, and amounts that offset
	// their price on demand.
	Covered
	// Unused: the part of a commitment that nothing used.
	Unused
	// Purchase: the fee of a commitment, once or again and again.
	Purchase
)

var charges = enum.New[Charge]("usage", "Charge", ErrRange, "left_out", "on_demand", "covered", "unused", "purchase")

// String returns "left_out", "on_demand", "covered", "unused" or "purchase".
func (c Charge) String() string { return charges.String(c) }

// Reasons for which readers leave rows out. A reader may have others.
const (
	Tax        = "tax"
	Credit     = "credit"
	Refund     = "refund or correction"
	Spot       = "spot usage, which no commitment covers"
	OtherUsage = "usage of something other than instances"
	OtherHours = "hours of something without a type of instance"
	Surcharge  = "fees of software and of services beside an instance"
	OtherFee   = "support, subscriptions and other fees"
	Discount   = "negotiated and volume discounts"
	LongUsage  = "usage over neither whole hours nor a day"
)

// A Row is a line of a bill in terms that all clouds share. A reader fills one and
// passes it to [Collector.Add].
type Row struct {
	Line int    // in the file, from 1
	Raw  []byte // the line itself, to find lines that are there twice; nil if that cannot be
	// Account is whom the bill is sent to. Bills of one account do not overlap in time.
	Account  string
	Currency string
	// Owner is who used what the row charges for: an account below Account, or what
	// [Collector.Owner] asks for. "" is Account.
	Owner string

	Start, End time.Time // the time that is charged for, End not in it
	Charge     Charge
	Reason     string // of a row that is left out

	// Billed is what the invoice has for the row, Effective the same with the fees of
	// commitments spread over their use, List the price without any discount. List is
	// there for usage and for purchases: the two must not be added.
	Billed, Effective, List Amount
	NoEffective             bool // the bill has no effective cost: Effective is 0
	// Contracted is what usage on demand costs at the customer's own prices, 0 where that is
	// Billed, and what covered usage costs effectively at these prices, 0 where nobody says. It is no
	// part of the account of rows.
	Contracted Amount

	// Kind is the kind of instance of OnDemand and Covered, and the one that a Purchase
	// is for if it is for one, or a Discount takes money off on demand; other rows have the
	// Provider at least. Hours are instance-hours, negative in corrections.
	Kind  Kind
	Hours Amount

	// Commitment is that of Covered, Unused and Purchase, and of usage that is left
	// out though a commitment covers it.
	Commitment Commitment
}

// A Decoder is a function that decodes a row of a bill and adds it to a collector. line is the line
// of the row in its file; the header is line 1. row has the fields. raw is the whole text of the
// row in the file, or nil. The collector finds repeated rows by raw. The error is an
// [*pricing.InputError] with the line, the number of the column and its name. A Decoder panics if
// the row has fewer fields than the header. Two goroutines must not use a Decoder at once.
type Decoder func(line int, row [][]byte, raw []byte) error

// A Commitment is a discount that somebody has committed to: a reservation, a
// savings plan, a committed use discount.
type Commitment struct {
	ID   string
	Name string // such as "ComputeSavingsPlan-1yr-NoUpfront"
	Type string // the cloud's word, such as "Savings Plan"
	// Spend tells a commitment to money from a commitment to hours of instances.
	Spend bool
	Unit  string // of Quantity, such as "USD", "Hours" or "Normalized Hours"
	// Quantity is what the row uses, leaves unused or buys, in Unit. Once says that a
	// purchase is not repeated each hour or month: an upfront fee.
	Quantity Amount
	Once     bool
	// Unused is how much of Quantity nothing used, for clouds that say so in the row of
	// the purchase; the effective cost of the row is that of the unused part then.
	Unused     Amount
	Start, End time.Time // of the whole commitment; zero where the row does not say
	// Region is where it is valid, "" everywhere or where the row does not say.
	Region string
}

// A Contract is a row of FOCUS's contract commitments: what was committed to, in
// all, from when to when.
type Contract struct {
	Line        int
	ID          string
	Type        string // such as "Savings Plan", "Reserved Instance", "Minimum Spend"
	Description string
	Spend       bool
	Cost        Amount // over the whole time
	Quantity    Amount // over the whole time, in Unit; 0 for money
	Unit        string
	Currency    string
	Start, End  time.Time
}
