package main

import (
	"testing"
	"time"
)

// Discounts that a customer has agreed on are rows of their own where no column has costs after
// them: rows of a month by type, or of an hour. At 40% off no reservation at 37% off pays; at 25% off
// one does, if the discount counts once.
func TestDiscountRows(t *testing.T) {
	const price = 10 * .192
	line := func(what, kind string, at time.Time, cost float64) fields {
		return reportRow(at, "m5.xlarge", 0, fields{"lineItem/LineItemType": what, "lineItem/UsageType": kind, "lineItem/UnblendedCost": number(cost), "lineItem/UsageAmount": "",
			"pricing/publicOnDemandCost": "", "product/instanceType": "", "lineItem/NormalizedUsageAmount": ""})
	}
	for name, c := range map[string]struct {
		row  func(h int, at time.Time) []fields
		with fields // of the usage
		want int
		says string
	}{
		"a month": {func(h int, at time.Time) []fields {
			if h > 0 {
				return nil
			}
			return []fields{line("EdpDiscount", "EU-BoxUsage:m5.xlarge", at, -.4*price*21*24)}
		}, nil, 0, "on demand counts at 0.1152 an hour, 40.0% below the list, as the bill was charged"},
		"an hour": {func(_ int, at time.Time) []fields {
			return []fields{line("PrivateRateDiscount", "EU-BoxUsage:m5.xlarge", at, -.4*price)}
		}, nil, 0, "40.0% below the list"},
		"bundled": {func(_ int, at time.Time) []fields {
			return []fields{line("BundledDiscount", "EU-BoxUsage:m5.xlarge", at, -.4*price)}
		}, nil, 0, "40.0% below the list"},
		"with net": {func(_ int, at time.Time) []fields {
			return []fields{line("EdpDiscount", "EU-BoxUsage:m5.xlarge", at, -.25*price)}
		}, fields{"lineItem/NetUnblendedCost": number(.75 * price)}, 10, "25.0% below the list"},
		"of no kind": {func(_ int, at time.Time) []fields { return []fields{line("EdpDiscount", "", at, -.4*price)} }, nil, 10,
			"discounts of USD -387.072 are of no kind on demand, and in no price"},
		"of reservations": {func(_ int, at time.Time) []fields {
			return []fields{line("RiVolumeDiscount", "EU-HeavyUsage:m5.xlarge", at, -.4*price)}
		}, nil, 10,
			"discounts of USD -387.072 are of no kind on demand, and in no price"},
	} {
		t.Run(name, func(t *testing.T) {
			var b textBill
			hourly(21, func(h int, at time.Time) {
				b.add(reportRow(at, "m5.xlarge", 10, c.with))
				b.add(c.row(h, at)...)
			})
			got, text := advised(t, "agreed", &b, offersOf("m5.xlarge"))
			wants(t, got, text, c.want)
			says(t, text, c.says)
		})
	}
}

// Reservations that are held say what the customer pays for one: 30% below the list, where on demand
// is 40% below it, ten more pay.
func TestNetReservations(t *testing.T) {
	for net, want := range map[string]int{"0.042336": 10, "0.06048": 0, "": 0} { // of .063 in parts of .096
		var b textBill
		hourly(21, func(h int, at time.Time) {
			b.add(reportRow(at, "m5.large", 10, fields{"lineItem/NetUnblendedCost": number(10 * .096 * .6)}),
				reportRow(at, "m5.large", 1, fields{"lineItem/LineItemType": "DiscountedUsage", "lineItem/UnblendedCost": "0", "reservation/EffectiveCost": "0.06048",
					"reservation/NetEffectiveCost": net, "reservation/ReservationARN": "ri-1", "reservation/EndTime": "2027-03-01T00:00:00.000Z"}))
		})
		got, text := advised(t, "net", &b, offersOf("m5.large"))
		wants(t, got, text, want)
		if want > 0 {
			says(t, text, "40.0% below the list, as the bill was charged; reservations count 30.0% below the list, as those of the bill were charged")
		}
	}
}

// Ten are bought in the middle of April, and the row of April's fee has the month: they are ten.
func TestFeeOfHalfAMonth(t *testing.T) {
	for name, start := range map[string]string{"with its start": "2026-04-16T00:00:00.000Z", "without": ""} {
		t.Run(name, func(t *testing.T) {
			var b textBill
			id := fields{"reservation/ReservationARN": "ri-april", "reservation/StartTime": start, "reservation/EndTime": "2027-04-16T00:00:00.000Z", "lineItem/UnblendedCost": "0"}
			from := time.Date(2026, 4, 16, 0, 0, 0, 0, time.UTC)
			hourly(60, func(_ int, at time.Time) {
				row := reportRow(at, "m5.large", 10, nil)
				if !at.Before(from) {
					row = reportRow(at, "m5.large", 10, id)
					row["lineItem/LineItemType"], row["reservation/EffectiveCost"] = "DiscountedUsage", "0.6048"
				}
				b.add(row)
			})
			fee := reportRow(from.AddDate(0, 0, -15), "m5.large", 10*15*24, id)
			fee["lineItem/LineItemType"], fee["lineItem/UsageType"], fee["lineItem/UsageEndDate"] = "RIFee", "EU-HeavyUsage:m5.large", "2026-05-01T00:00:00Z"
			fee["reservation/TotalReservedNormalizedUnits"], fee["reservation/UnusedNormalizedUnitQuantity"], fee["reservation/UnusedRecurringFee"] = number(4*10*15*24), "0", "0"
			b.add(fee)
			got, text := advised(t, "april", &b, offersOf("m5.large"))
			wants(t, got, text, 0) // 5 before
			says(t, text, "held: 10 instances of ri-april, until 2027-04-16")
		})
	}
}

// A savings plan that pays for fourteen is fourteen, of which the night uses three: two more pay, and
// six, beside the mean of what it paid for, do not.
func TestHeldPlanBySize(t *testing.T) {
	const rate = .192 * .72
	need := office(16, 3)
	for _, fee := range []bool{false, true} {
		var b textBill
		plan := fields{"savingsPlan/SavingsPlanARN": "sp-1", "savingsPlan/EndTime": "2026-08-01T00:00:00.000Z"}
		hourly(28, func(h int, at time.Time) {
			n := min(14, need(h))
			row := reportRow(at, "m5.xlarge", n, plan)
			row["lineItem/LineItemType"], row["savingsPlan/SavingsPlanEffectiveCost"] = "SavingsPlanCoveredUsage", number(n*rate)
			back := reportRow(at, "m5.xlarge", n, plan)
			back["lineItem/LineItemType"], back["lineItem/UnblendedCost"] = "SavingsPlanNegation", number(-n*.192)
			b.add(row, back)
			if rest := need(h) - n; rest > 0 {
				b.add(reportRow(at, "m5.xlarge", rest, nil))
			}
			if fee {
				b.add(reportRow(at, "", 0, fields{"lineItem/LineItemType": "SavingsPlanRecurringFee", "lineItem/UsageType": "ComputeSP:1yrNoUpfront", "lineItem/UnblendedCost": number(14 * rate),
					"savingsPlan/SavingsPlanARN": "sp-1", "savingsPlan/EndTime": "2026-08-01T00:00:00.000Z", "savingsPlan/TotalCommitmentToDate": number(14 * rate),
					"savingsPlan/UsedCommitment": number(n * rate), "product/instanceType": ""}))
			}
		})
		got, text := advised(t, "plan", &b, offersOf("m5.xlarge@0.45"))
		wants(t, got, text, 2) // 7 before
		says(t, text, "held: 14 instances of sp-1, until 2026-08-01")
	}
}

// Money that pays for two kinds counts for each with its part, and the answer says so.
func TestHeldPlanOfTwo(t *testing.T) {
	var b textBill
	hourly(28, func(_ int, at time.Time) {
		for _, kind := range []string{"m5.xlarge", "c5.xlarge"} {
			row := reportRow(at, kind, 4, fields{"lineItem/LineItemType": "SavingsPlanCoveredUsage", "savingsPlan/SavingsPlanARN": "sp-1", "savingsPlan/EndTime": "2026-08-01T00:00:00.000Z",
				"savingsPlan/SavingsPlanEffectiveCost": "0.5"})
			b.add(row, reportRow(at, kind, 6, nil))
		}
	})
	got, text := advised(t, "plan", &b, offersOf("m5.xlarge", "c5.xlarge"))
	wants(t, got, text, 12)
	says(t, text, "held: 4 instances of sp-1", "sp-1 pays for 2 kinds, and counts for each with its part of the money")
}
