package offers

import (
	"bufio"
	"bytes"
	"cmp"
	"compress/gzip"
	"errors"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/plimsoll/plimsoll/internal/inputerr"
	"github.com/plimsoll/plimsoll/pricing"
)

// An Offer is what one cloud asks for one kind of instance in one region.
type Offer struct {
	Provider string // "aws", "azure" or "gcp"
	Region   string // the cloud's code, such as "eu-west-1"; its name where the file has no code
	Kind     string // the type of instance, such as "m5.large" or "Standard_E4s_v3"; for GCP a resource, such as "E2 core"
	System   string // operating system or database, in lower case: "linux", "windows", "rhel", "mysql single-az"
	Tenancy  string // "shared", "dedicated" or "host"
	Currency string // ISO 4217, such as "USD"
	Family   string // what reservations of flexible size share: "m5"; "" where there is no such thing
	// Factor is the size in normalised units, in hundredths: a small has 100, a large
	// 400. It is 0 where the file does not say and the name does not tell.
	Factor int
	List   pricing.List // the price on demand, and a class for each reservation for sale
}

// A Rate is what one kind of instance costs an hour of a savings plan's
// commitment while the plan covers it.
type Rate struct {
	Provider, Region, Kind, System, Tenancy, Currency string

	Plan   string        // such as "3y-ec2-partial-upfront" or "1y-savings-plan"
	Family string        // the family that the plan is bound to, "" where it covers every one
	Term   time.Duration // of the plan
	Hourly pricing.Money // per instance-hour, out of the commitment
}

// Options choose what is kept. Published files hold hundreds of thousands of
// offers; what is not kept costs no memory. The zero value keeps all.
type Options struct {
	Regions  []string // by code or by name; empty keeps every region
	Kinds    []string // by type of instance; empty keeps every one
	Systems  []string // such as "linux"; empty keeps every one
	Tenancy  string   // "" keeps every one
	Currency string   // "" keeps the currency of the first price; others are left out and counted
}

func (o *Options) keep(region, regionName, kind, system, tenancy string) bool {
	in := func(list []string, names ...string) bool {
		return len(list) == 0 || slices.ContainsFunc(list, func(s string) bool {
			return slices.ContainsFunc(names, func(n string) bool { return n != "" && strings.EqualFold(s, n) })
		})
	}
	return in(o.Regions, region, regionName) && in(o.Kinds, kind) && in(o.Systems, system) && (o.Tenancy == "" || strings.EqualFold(o.Tenancy, tenancy))
}

// A Prices is what a file of prices holds. Offers and rates are sorted by region, kind, system
// and tenancy, rates also by plan. Every price is counted once: Prices = Used + the sum of Left.
type Prices struct {
	Offers []Offer
	Rates  []Rate

	Form    string // "aws offer (csv)", "azure retail prices", ...
	Prices  int    // rows, or prices of JSON; a price for several regions counts in each
	Used    int    // in an offer or a rate
	Rounded int    // of those, rounded to the nano: more than nine decimals
	// Left is how many prices were left out for each reason, most first.
	Left []struct {
		Reason string
		Prices int
	}
}

// Read reads a file of prices, plain or gzip, and recognises its form by the content:
//
//   - AWS offer files as JSON or as CSV (five lines of metadata, the header on the sixth), of EC2,
//     RDS and other services that sell instances;
//   - AWS savings plan rates as JSON or as CSV;
//   - answers of the Azure retail prices API, one or several after the other;
//   - lists of GCP SKUs (services.skus.list).
//
// The error is an [*pricing.InputError] with the line of a table or the index in a list. Time is
// linear in the file. Memory is linear in the prices that Read keeps. Read panics if src is nil.
func Read(src io.Reader, opts Options) (*Prices, error) {
	if src == nil {
		panic("offers: nil source")
	}
	br := bufio.NewReaderSize(src, 64<<10)
	if head, _ := br.Peek(2); len(head) == 2 && head[0] == 0x1f && head[1] == 0x8b {
		zip, err := gzip.NewReader(br)
		if err != nil {
			return nil, badLine(1, "file", ErrSyntax, "%v: want plain text or whole gzip data", err)
		}
		br = bufio.NewReaderSize(zip, 64<<10)
	}
	if head, _ := br.Peek(3); bytes.Equal(head, []byte("\xef\xbb\xbf")) {
		br.Discard(3)
	}
	b := &builder{opts: opts, left: map[string]int{}, aws: map[string]*awsProduct{}, azure: map[offerKey]*Offer{}}
	head, _ := br.Peek(64 << 10)
	var err error
	switch text := bytes.TrimSpace(head); {
	case len(text) == 0:
		return nil, badLine(1, "file", ErrForm, "an empty file: want %s", wanted)
	case text[0] == '{':
		err = b.readJSON(br)
	default:
		err = b.readCSV(br)
	}
	if err != nil {
		return nil, err
	}
	return b.finish()
}

const wanted = "an AWS offer file or savings plan rates, an answer of the Azure retail prices API, or a list of GCP SKUs"

// builder collects what is kept.
type builder struct {
	opts  Options
	out   Prices
	left  map[string]int
	aws   map[string]*awsProduct // by SKU
	azure map[offerKey]*Offer
}

type offerKey struct{ region, kind, system, tenancy string }

// leave counts a price that is left out.
func (b *builder) leave(reason string, n int) {
	if n > 0 {
		b.left[reason] += n
	}
}

// noPrice is why reservations are left out, and prices of 0.
const noPrice = "no price on demand in the file"

// price reads an amount in the currency that is kept.
func (b *builder) price(text, currency string) (pricing.Money, error) {
	if b.opts.Currency == "" {
		b.opts.Currency = currency
	}
	m, err := pricing.ParseMoney(text)
	if errors.Is(err, pricing.ErrPrecision) {
		if i := strings.IndexByte(text, '.'); i >= 0 && len(text)-i > 10 {
			// Half up at the tenth decimal; prices are not negative.
			up := text[i+10] >= '5'
			if m, err = pricing.ParseMoney(text[:i+10]); err == nil && up {
				m++
			}
			b.out.Rounded++
		}
	}
	if err == nil && m < 0 {
		return 0, pricing.ErrRange
	}
	return m, err
}

// years is the term of a reservation that is named by years: as every cloud sells
// it, a year is 365 days.
func years(n int) time.Duration { return time.Duration(n) * 8760 * time.Hour }

func (b *builder) finish() (*Prices, error) {
	b.finishAWS()
	b.finishAzure()
	for i := range b.out.Offers {
		o := &b.out.Offers[i]
		slices.SortStableFunc(o.List.Classes, func(x, y pricing.Class) int {
			return cmp.Or(cmp.Compare(x.Term, y.Term), cmp.Compare(x.Name, y.Name))
		})
		if err := o.List.Validate(); err != nil {
			return nil, inputerr.New("offers", "Offers", i, ErrRange, "%s in %s: %w", o.Kind, o.Region, err)
		}
	}
	slices.SortStableFunc(b.out.Offers, func(x, y Offer) int {
		return cmp.Or(cmp.Compare(x.Region, y.Region), cmp.Compare(x.Kind, y.Kind), cmp.Compare(x.System, y.System), cmp.Compare(x.Tenancy, y.Tenancy))
	})
	slices.SortStableFunc(b.out.Rates, func(x, y Rate) int {
		return cmp.Or(cmp.Compare(x.Region, y.Region), cmp.Compare(x.Kind, y.Kind), cmp.Compare(x.System, y.System), cmp.Compare(x.Tenancy, y.Tenancy), cmp.Compare(x.Plan, y.Plan))
	})
	reasons := slices.SortedFunc(maps.Keys(b.left), func(x, y string) int {
		return cmp.Or(cmp.Compare(b.left[y], b.left[x]), cmp.Compare(x, y))
	})
	out := &b.out
	out.Left = slices.Grow(out.Left, len(reasons))[:len(reasons)]
	out.Used = out.Prices
	for i, reason := range reasons {
		out.Left[i].Reason, out.Left[i].Prices = reason, b.left[reason]
		out.Used -= b.left[reason]
	}
	return out, nil
}

func badLine(line int, field string, sentinel error, format string, args ...any) error {
	return inputerr.At("offers", line, 0, field, sentinel, format, args...)
}
