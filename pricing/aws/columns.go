package aws

import (
	"strings"

	"github.com/plimsoll/plimsoll/pricing/internal/billtable"
)

// The columns that are read. Legacy reports name them "lineItem/UsageType", reports
// 2.0 "line_item_usage_type"; billtable.Name makes one of both.
const (
	start = iota
	end
	unblended
	usageAmount
	normalized
	publicCost
	reservedCost  // effective cost of usage under a reservation
	unusedFee     // of a fee of a reservation: the recurring part that nothing used
	unusedUpfront // and the upfront part
	reservedUnits
	unusedUnits
	reservedNormalized
	unusedNormalized
	planCost // effective cost of usage under a savings plan
	planTotal
	planUsed
	netCost     // unblended cost after the customer's own discounts
	netReserved // reservedCost after them

	// From here on columns have few different values.
	periodStart
	periodEnd
	payer
	itemType
	currency
	productCode
	usageType
	operation
	zone
	description
	unit
	lease
	purchaseOption
	offeringClass
	product // a map, of reports 2.0
	productFamily
	instanceType
	operatingSystem
	software
	tenancy
	region
	regionCode
	engine
	edition
	deployment
	reservationARN
	reservationStart
	reservationEnd
	planARN
	planStart
	planEnd
	planOffering
	planRegion
)

var names = billtable.Columns{
	start: {"lineItem/UsageStartDate"}, end: {"lineItem/UsageEndDate"}, unblended: {"lineItem/UnblendedCost"}, usageAmount: {"lineItem/UsageAmount"},
	normalized: {"lineItem/NormalizedUsageAmount"}, publicCost: {"pricing/publicOnDemandCost"},
	reservedCost: {"reservation/EffectiveCost"}, unusedFee: {"reservation/UnusedRecurringFee"}, unusedUpfront: {"reservation/UnusedAmortizedUpfrontFeeForBillingPeriod"},
	reservedUnits: {"reservation/TotalReservedUnits"}, unusedUnits: {"reservation/UnusedQuantity"},
	reservedNormalized: {"reservation/TotalReservedNormalizedUnits"}, unusedNormalized: {"reservation/UnusedNormalizedUnitQuantity"},
	planCost: {"savingsPlan/SavingsPlanEffectiveCost"}, planTotal: {"savingsPlan/TotalCommitmentToDate"}, planUsed: {"savingsPlan/UsedCommitment"},
	netCost: {"lineItem/NetUnblendedCost"}, netReserved: {"reservation/NetEffectiveCost"},
	periodStart: {"bill/BillingPeriodStartDate"}, periodEnd: {"bill/BillingPeriodEndDate"}, payer: {"bill/PayerAccountId"},
	itemType: {"lineItem/LineItemType"}, currency: {"lineItem/CurrencyCode"}, productCode: {"lineItem/ProductCode"}, usageType: {"lineItem/UsageType"},
	operation: {"lineItem/Operation"}, zone: {"lineItem/AvailabilityZone"}, description: {"lineItem/LineItemDescription"}, unit: {"pricing/unit"},
	lease: {"pricing/LeaseContractLength"}, purchaseOption: {"pricing/PurchaseOption"}, offeringClass: {"pricing/OfferingClass"},
	product: {"product"}, productFamily: {"product/productFamily"}, instanceType: {"product/instanceType"}, operatingSystem: {"product/operatingSystem"},
	software: {"product/preInstalledSw"}, tenancy: {"product/tenancy"}, region: {"product/region"}, regionCode: {"product/regionCode"},
	engine: {"product/databaseEngine"}, edition: {"product/databaseEdition"}, deployment: {"product/deploymentOption"},
	reservationARN: {"reservation/ReservationARN"}, reservationStart: {"reservation/StartTime"}, reservationEnd: {"reservation/EndTime"},
	planARN: {"savingsPlan/SavingsPlanARN"}, planStart: {"savingsPlan/StartTime"}, planEnd: {"savingsPlan/EndTime"},
	planOffering: {"savingsPlan/OfferingType"}, planRegion: {"savingsPlan/Region"},
}

// Form returns "cost and usage report" for the columns of a legacy report, "cost and
// usage report 2.0" for those of a report in snake case, and "" for other columns.
func Form(header []string) string {
	at := names[:unblended+1].Index(header, nil)
	switch {
	case at[start] < 0 || at[unblended] < 0:
		return ""
	case strings.Contains(header[at[start]], "/"):
		return "cost and usage report"
	}
	return "cost and usage report 2.0"
}
