// Package cloudkind reads the words in which bills name providers, types of
// instances, operating systems and units of time, for the readers of bills.
package cloudkind

import (
	"slices"
	"strconv"
	"strings"
)

// Provider returns the short name of a cloud: "aws", "azure", "gcp" or "oci", or the
// given name in lower case.
func Provider(name string) string {
	s := strings.ToLower(strings.TrimSpace(name))
	switch {
	case s == "aws" || strings.HasPrefix(s, "amazon"):
		return "aws"
	case s == "azure" || strings.HasPrefix(s, "microsoft"):
		return "azure"
	case s == "gcp" || strings.HasPrefix(s, "google"):
		return "gcp"
	case s == "oci" || strings.HasPrefix(s, "oracle"):
		return "oci"
	}
	return s
}

// System returns the operating system that a text names, in the words of package
// offers: "linux", "windows", "rhel", "suse"; "" if it names none.
func System(text string) string {
	s := strings.ToLower(text)
	for _, known := range awsSystems {
		if s == known {
			return s
		}
	}
	has := func(t string) bool { return strings.Contains(s, t) }
	switch {
	case has("windows") && (has("byol") || has("bring your own")):
		return "windows byol"
	case has("windows") && has("sql") && (has("enterprise") || strings.HasSuffix(s, " ent")):
		return "windows sql ent"
	case has("windows") && has("sql") && (has("standard") || strings.HasSuffix(s, " std")):
		return "windows sql std"
	case has("windows") && has("sql") && has("web"):
		return "windows sql web"
	case has("windows"):
		return "windows"
	case has("red hat"), has("rhel"):
		return "rhel"
	case has("suse"), has("sles"):
		return "suse"
	case has("ubuntu pro"):
		return "ubuntu pro"
	case has("linux"), has("ubuntu"):
		return "linux"
	}
	return ""
}

// databases are engines as offers name them.
var databases = []string{"mysql", "postgresql", "mariadb", "aurora mysql", "aurora postgresql", "oracle", "sql server", "redis", "memcached", "valkey"}

// Database returns the engine that a text names, in lower case, or "".
func Database(text string) string {
	s := strings.ReplaceAll(strings.ToLower(text), "sqlserver", "sql server")
	best := ""
	for _, d := range databases {
		if len(d) > len(best) && strings.Contains(s, d) {
			best = d
		}
	}
	return best
}

// sizes are the sizes of AWS's types besides metal and multiples of xlarge.
var sizes = map[string]bool{"nano": true, "micro": true, "small": true, "medium": true, "large": true, "xlarge": true}

// IsAWSType reports whether a word is a type of instance of AWS, such as "m5.large",
// "db.r6g.2xlarge" or "u-6tb1.metal".
func IsAWSType(word string) bool {
	i := strings.LastIndexByte(word, '.')
	if i < 2 || i+1 == len(word) {
		return false
	}
	family, size := word[:i], word[i+1:]
	if size == "search" || size == "elasticsearch" { // such as r6g.large.search
		return IsAWSType(family)
	}
	digit := false
	for _, c := range family {
		switch {
		case c >= '0' && c <= '9':
			digit = true
		case c >= 'a' && c <= 'z' || c == '-' || c == '.':
		default:
			return false
		}
	}
	if !digit || family[0] < 'a' {
		return false
	}
	if sizes[size] || strings.HasPrefix(size, "metal") {
		return true
	}
	n, err := strconv.Atoi(strings.TrimSuffix(size, "xlarge"))
	return err == nil && n > 0 && strings.HasSuffix(size, "xlarge")
}

// AWSTypeIn returns the first word of a text that is a type of instance of AWS, such
// as that of "$0.0464 per On Demand Linux t2.medium Instance Hour", or "".
func AWSTypeIn(text string) string {
	for word := range strings.FieldsFuncSeq(text, func(r rune) bool { return r == ' ' || r == ',' || r == '(' || r == ')' || r == ':' || r == ';' }) {
		if IsAWSType(word) {
			return word
		}
	}
	return ""
}

// Surcharge reports whether a text, a description or a meter of AWS, names a type of
// instance and charges for something else: throughput to volumes, processor credits,
// load balancers.
func Surcharge(text string) bool {
	for _, s := range [...]string{"Mbps", "EBSOptimized", "EBS-Optimized", "EBS Optimized", "CPUCredits", "CPU Credits", "DataTransfer"} {
		if strings.Contains(text, s) {
			return true
		}
	}
	return false
}

// Beside reports whether hours of a usage type of AWS, as [AWSUsage] returns it, are charged
// beside those of the instance itself: software of the marketplace, and reservations of capacity,
// whose use and unused part are rows of their own.
func Beside(what string) bool {
	return what == "SoftwareUsage" || what == "Reservation" || what == "DedicatedRes"
}

// IsEC2Type reports whether a type of instance of AWS has the form of EC2's own types. Those of
// databases, searches and notebooks have a prefix or a suffix, and nodes of Redshift have
// families of their own.
func IsEC2Type(kind string) bool {
	family, _, _ := strings.Cut(kind, ".")
	return strings.Count(kind, ".") == 1 && IsAWSType(kind) && family != "dc2" && family != "ds2" && family != "ra3"
}

// AWSUsage splits a usage type of AWS such as "EUW1-BoxUsage:m5.large", or
// "USW2-LAX1-BoxUsage:m5.large" of a local zone, into what is used ("BoxUsage") and the type of
// instance; the type is "" where there is none.
func AWSUsage(usage string) (what, kind string) {
	head, kind, found := strings.Cut(usage, ":")
	for { // a region has one prefix, a local zone a second
		i := strings.IndexByte(head, '-')
		if i <= 0 || i > 4 || strings.ToUpper(head[:i]) != head[:i] {
			break
		}
		head = head[i+1:]
	}
	if !found && head == "BoxUsage" { // the first type that there was
		return head, "m1.small"
	}
	if !IsAWSType(kind) {
		kind = ""
	}
	return head, kind
}

// serverless are what compute savings plans of AWS pay for beside instances, with what a unit of
// theirs is of an hour.
var serverless = map[string]Time{
	"Fargate-vCPU-Hours": {1, 1}, "Fargate-GB-Hours": {1, 1}, "Fargate-ARM-vCPU-Hours": {1, 1}, "Fargate-ARM-GB-Hours": {1, 1},
	"Lambda-GB-Second": {1, 3600}, "Lambda-GB-Second-ARM": {1, 3600}, "Lambda-Provisioned-GB-Second": {1, 3600}, "Lambda-Provisioned-GB-Second-ARM": {1, 3600},
}

// Serverless returns the kind of a usage type of AWS that is no instance and that compute savings
// plans pay for: "Fargate-vCPU" or "Lambda-GB", whose hours are those of a vCPU or a GB. The kind is
// "" for other usage types. Time is what one of the usage type's units is of an hour.
func Serverless(usage string) (kind string, t Time) {
	what, _ := AWSUsage(usage)
	if t = serverless[what]; t.Num == 0 {
		return "", t
	}
	return strings.Replace(strings.TrimSuffix(what, "-Hours"), "-Second", "", 1), t
}

// AWSSystem returns the system of an operation of EC2, such as "RunInstances:0002",
// in the words of package offers; "" for other operations.
func AWSSystem(operation string) string { return awsSystems[operation] }

// awsSystems are EC2's operations, from its documentation of billing codes.
var awsSystems = map[string]string{
	"RunInstances": "linux", "RunInstances:0002": "windows", "RunInstances:0010": "rhel", "RunInstances:000g": "suse",
	"RunInstances:0800": "windows byol", "RunInstances:0g00": "ubuntu pro", "RunInstances:1010": "rhel ha", "RunInstances:00g0": "rhel byol",
	"RunInstances:0202": "windows sql web", "RunInstances:0006": "windows sql std", "RunInstances:0102": "windows sql ent",
	"RunInstances:0200": "linux sql web", "RunInstances:0004": "linux sql std", "RunInstances:0100": "linux sql ent",
	"RunInstances:0210": "rhel sql web", "RunInstances:0014": "rhel sql std", "RunInstances:0110": "rhel sql ent",
	"RunInstances:1014": "rhel ha sql std", "RunInstances:1110": "rhel ha sql ent",
}

// Tenancy returns "shared", "dedicated" or "host" for the words of bills, the word in
// lower case for others.
func Tenancy(word string) string {
	s := strings.ToLower(strings.TrimSpace(word))
	if s == "default" {
		return "shared"
	}
	return s
}

// GCPResource reads the description of a SKU of Compute Engine, such as "N2 Instance
// Core running in Americas". It returns the resource as package offers names it, "N2
// core" or "N2 ram", and "" for others and for spot.
func GCPResource(description string) string {
	head, _, ok := strings.Cut(description, " running in ")
	words := strings.Fields(head)
	if !ok || len(words) < 3 || words[len(words)-2] != "Instance" || slices.Contains(words, "Preemptible") || slices.Contains(words, "Spot") {
		return ""
	}
	kind, _ := GCPKind(description)
	return kind
}

// GCPKind returns the resource that a SKU's description names, such as "E2 core" or "E2 ram". The
// second result reports whether the description is that of cores or memory of machines. Examples of
// such descriptions are "E2 Instance Core running in Americas", "T2D AMD Instance Ram running in
// Singapore" and "Commitment v1: E2 Cpu in Americas for 1 Year".
func GCPKind(text string) (string, bool) {
	text = strings.TrimPrefix(text, "Commitment v1: ")
	for _, cut := range []string{" running in ", " in "} {
		if head, _, ok := strings.Cut(text, cut); ok {
			text = head
			break
		}
	}
	words := strings.Fields(text)
	if len(words) < 2 {
		return "", false
	}
	resource := ""
	switch strings.ToLower(words[len(words)-1]) {
	case "core", "cpu", "cores":
		resource = "core"
	case "ram", "memory":
		resource = "ram"
	default:
		return "", false
	}
	for _, w := range words {
		if w == "Custom" || w == "Sole" || w == "Tenancy" || w == "Extended" || w == "Premium" || w == "Reserved" {
			return "", false
		}
	}
	return words[0] + " " + resource, true
}

// A Time is what a unit measures: Num/Den hours of one thing. Num is 0 for units of
// something else.
type Time struct{ Num, Den int64 }

// Hours reads a unit such as "Hours", "Hrs", "100 Hours" or "Seconds".
func Hours(unit string) Time {
	s := strings.ToLower(strings.TrimSpace(unit))
	block := int64(1)
	if i := strings.IndexByte(s, ' '); i > 0 {
		if n, err := strconv.ParseInt(s[:i], 10, 32); err == nil && n > 0 {
			block, s = n, s[i+1:]
		}
	}
	switch s {
	case "hours", "hour", "hrs", "hr", "h", "instance hours", "instance-hours", "instance hour", "vm hours":
		return Time{block, 1}
	case "minutes", "minute", "mins", "min":
		return Time{block, 60}
	case "seconds", "second", "secs", "sec", "s":
		return Time{block, 3600}
	}
	return Time{}
}
