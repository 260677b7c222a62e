package focus

import "github.com/plimsoll/plimsoll/pricing/internal/billtable"

// The columns that are read, by what billtable.Name makes of their names.
const (
	billedCost = iota
	effectiveCost
	listCost
	chargeStart
	chargeEnd
	pricingQuantity
	consumedQuantity
	commitmentQuantity
	contractedCost

	// From here on columns have few different values.
	firstWord
	accountID = iota - 1
	currency
	chargeCategory
	chargeClass
	chargeFrequency
	chargeSubcategory
	pricingCategory
	pricingUnit
	consumedUnit
	provider
	serviceProvider
	hostProvider
	serviceCategory
	serviceName
	skuMeterCategory
	region
	regionName
	skuID
	skuMeter
	skuPriceDetails
	description
	instanceType
	usageType
	operation
	skuDetails
	commitmentID
	commitmentName
	commitmentCategory
	commitmentType
	commitmentStatus
	commitmentUnit

	// Of contract commitments.
	contractID
	contractType
	contractCategory
	contractCost
	contractQuantity
	contractUnit
	contractDescription
	contractStart
	contractEnd
)

// names are the names of the columns, the specification's first; others are those
// of older versions and of clouds.
var names = billtable.Columns{
	billedCost: {"BilledCost"}, effectiveCost: {"EffectiveCost", "AmortizedCost"}, listCost: {"ListCost"},
	chargeStart: {"ChargePeriodStart"}, chargeEnd: {"ChargePeriodEnd"},
	pricingQuantity: {"PricingQuantity"}, consumedQuantity: {"ConsumedQuantity", "UsageQuantity"}, commitmentQuantity: {"CommitmentDiscountQuantity"},
	contractedCost: {"ContractedCost"},
	accountID:      {"BillingAccountId"}, currency: {"BillingCurrency"}, chargeCategory: {"ChargeCategory", "ChargeType"}, chargeClass: {"ChargeClass"},
	chargeFrequency: {"ChargeFrequency"}, chargeSubcategory: {"ChargeSubcategory"}, pricingCategory: {"PricingCategory"},
	pricingUnit: {"PricingUnit"}, consumedUnit: {"ConsumedUnit", "UsageUnit"}, provider: {"ProviderName", "Provider"},
	serviceProvider: {"ServiceProviderName"}, hostProvider: {"HostProviderName"}, serviceCategory: {"ServiceCategory"},
	serviceName: {"ServiceName"}, skuMeterCategory: {"x_SkuMeterCategory"},
	region: {"RegionId", "Region"}, regionName: {"RegionName"}, skuID: {"SkuId"}, skuMeter: {"SkuMeter"}, skuPriceDetails: {"SkuPriceDetails"},
	description: {"ChargeDescription"}, instanceType: {"x_InstanceType", "InstanceType", "x_SkuInstanceType"}, usageType: {"x_UsageType"}, operation: {"x_Operation"},
	skuDetails:   {"x_SkuDetails", "x_SkuPriceDetails"},
	commitmentID: {"CommitmentDiscountId"}, commitmentName: {"CommitmentDiscountName"}, commitmentCategory: {"CommitmentDiscountCategory"},
	commitmentType: {"CommitmentDiscountType"}, commitmentStatus: {"CommitmentDiscountStatus"}, commitmentUnit: {"CommitmentDiscountUnit"},
	contractID: {"ContractCommitmentId"}, contractType: {"ContractCommitmentType"}, contractCategory: {"ContractCommitmentCategory"},
	contractCost: {"ContractCommitmentCost"}, contractQuantity: {"ContractCommitmentQuantity"}, contractUnit: {"ContractCommitmentUnit"},
	contractDescription: {"ContractCommitmentDescription"}, contractStart: {"ContractCommitmentPeriodStart"}, contractEnd: {"ContractCommitmentPeriodEnd"},
}

// A version is told by a column that it has introduced or given up, newest first.
var versions = []struct{ column, version string }{
	{"CommitmentProgramEligibilityDetails", "1.4"}, {"CommitmentEligibilityDetails", "1.4"}, {"InvoiceDetailId", "1.4"}, {"ContractCommitmentFulfillmentInterval", "1.4"}, {"ContractCommitmentModel", "1.4"},
	{"ContractApplied", "1.3"}, {"ServiceProviderName", "1.3"}, {"HostProviderName", "1.3"}, {"AllocatedMethodId", "1.3"}, {"ContractCommitmentId", "1.3"},
	{"BillingAccountType", "1.2"}, {"InvoiceId", "1.2"}, {"PricingCurrency", "1.2"}, {"SubAccountType", "1.2"},
	{"SkuPriceDetails", "1.1"}, {"SkuMeter", "1.1"}, {"CommitmentDiscountQuantity", "1.1"}, {"CapacityReservationId", "1.1"}, {"ServiceSubcategory", "1.1"},
	{"ChargeSubcategory", "1.0-preview"}, {"UsageQuantity", "1.0-preview"},
}

// Version returns the version of FOCUS that has the columns of a header, such as
// "1.2", or "" if it is not the header of a FOCUS export: neither of cost and usage
// nor of contract commitments.
func Version(header []string) string {
	seen := map[string]bool{}
	for _, h := range header {
		seen[billtable.Name(h)] = true
	}
	has := func(column string) bool { return seen[billtable.Name(column)] }
	charges := (has("ChargeCategory") || has("ChargeType") && has("ChargePeriodStart")) && (has("BilledCost") || has("EffectiveCost"))
	if !charges && !has("ContractCommitmentId") {
		return ""
	}
	for _, v := range versions {
		if has(v.column) {
			return v.version
		}
	}
	return "1.0"
}
