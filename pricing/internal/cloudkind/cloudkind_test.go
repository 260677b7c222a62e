package cloudkind_test

import (
	"fmt"
	"testing"

	"github.com/plimsoll/plimsoll/pricing/internal/cloudkind"
)

func TestWords(t *testing.T) {
	for _, c := range []struct {
		name string
		f    func(string) string
		in   map[string]string
	}{
		{"Provider", cloudkind.Provider, map[string]string{"AWS": "aws", "Amazon Web Services": "aws", "Microsoft": "azure", "Microsoft Azure": "azure", "Google Cloud": "gcp", "Oracle": "oci", "Alibaba Cloud": "alibaba cloud", "": ""}},
		{"System", cloudkind.System, map[string]string{"Linux/UNIX": "linux", "Linux": "linux", "Windows": "windows", "Windows with SQL Server Standard": "windows sql std",
			"Red Hat Enterprise Linux": "rhel", "SUSE Linux": "suse", "Ubuntu Pro": "ubuntu pro", "Windows BYOL": "windows byol", "macOS": "", "Windows Bring your own license": "windows byol", "Windows Server": "windows", "SQL Server Web on Linux": "linux", "Windows SQL Ent": "windows sql ent", "Windows with SQL Server Enterprise": "windows sql ent",
			"Windows with SQL Web": "windows sql web", "Windows SQL Std": "windows sql std", "Windows with SQL": "windows", "Linux standard": "linux", "Windows standard": "windows", "Windows web": "windows", "Windows Enterprise": "windows", "SLES": "suse", "RHEL": "rhel", "linux sql web": "linux sql web", "RHEL HA": "rhel ha"}},
		{"Database", cloudkind.Database, map[string]string{"PostgreSQL": "postgresql", "Aurora MySQL": "aurora mysql", "SQLServer": "sql server", "Amazon Aurora PostgreSQL": "aurora postgresql", "Valkey": "valkey", "DynamoDB": ""}},
		{"AWSTypeIn", cloudkind.AWSTypeIn, map[string]string{
			"$0.0464 per On Demand Linux t2.medium Instance Hour": "t2.medium", "Linux/UNIX (Amazon VPC), c4.large reserved instance applied": "c4.large",
			"$0.034 per RDS db.t3.small Single-AZ instance hour (or partial hour) running MySQL": "db.t3.small", "$0.045 per NAT Gateway Hour": "",
			"m5.metal": "m5.metal", "u-6tb1.112xlarge": "u-6tb1.112xlarge", "r6g.large.search": "r6g.large.search", "v1.0 large": "", "0.0464": "", "x.large": "", "a1.large": "a1.large", "z1d.large": "z1d.large", "m9.large": "m9.large", "m0.large": "m0.large", "ab.large": "", "1m.large": "", "mX1.large": "", "m_1.large": "", "m5.-2xlarge": "", "a.b": "", "m5.x": "", "m{5.large": "", "m5.1xlarge": "m5.1xlarge", "-5.large": "", "M5.large": "", "m5.0xlarge": "", "m5.": "",
		}},
		{"AWSSystem", cloudkind.AWSSystem, map[string]string{"RunInstances": "linux", "RunInstances:0002": "windows", "NatGateway": ""}},
		{"Tenancy", cloudkind.Tenancy, map[string]string{"Shared": "shared", "default": "shared", "Dedicated": "dedicated"}},
		{"GCPResource", cloudkind.GCPResource, map[string]string{"N2 Instance Core running in Americas": "N2 core", "E2 Instance Ram running in Belgium": "E2 ram", "T2D AMD Instance Core running in Iowa": "T2D core",
			"Spot Preemptible N2 Instance Core running in Americas": "", "Custom Instance Core running in Americas": "", "Network Internet Egress from Americas to APAC": "", "N2 Instance Core in Americas": "", "Core running in x": "", "Instance Core running in x": "", "N2 Machine Core running in x": "", "N2 Instance Disk running in x": "", "e2-standard-4 running": ""}},
	} {
		for in, want := range c.in {
			if got := c.f(in); got != want {
				t.Errorf("%s(%q) = %q, want %q", c.name, in, got, want)
			}
		}
	}
}

func TestSurcharge(t *testing.T) {
	for text, want := range map[string]bool{
		"$0.00 for 175 Mbps per t3a.small instance-hour (or partial hour)": true, "USW2-EBSOptimized:m3.xlarge": true, "$0.0464 per On Demand Linux t2.medium Instance Hour": false,
		"EUW1-BoxUsage:m5.large": false, "USE2-CPUCredits:t3": true, "": false,
	} {
		if cloudkind.Surcharge(text) != want {
			t.Errorf("%q: %v", text, !want)
		}
	}
}

func TestAWSUsage(t *testing.T) {
	for in, want := range map[string][2]string{
		"EUW1-BoxUsage:m5.large": {"BoxUsage", "m5.large"}, "BoxUsage:m5.large": {"BoxUsage", "m5.large"}, "BoxUsage": {"BoxUsage", "m1.small"},
		"USE2-Multi-AZUsage:db.r5.large": {"Multi-AZUsage", "db.r5.large"}, "APS3-SpotUsage:c5.large": {"SpotUsage", "c5.large"},
		"DataTransfer-Out-Bytes": {"DataTransfer-Out-Bytes", ""}, "-x": {"-x", ""}, "USW22-BoxUsage:m5.large": {"USW22-BoxUsage", "m5.large"}, "LAX1-SpotUsage:c5.large": {"SpotUsage", "c5.large"}, "USW2-LAX1-SpotUsage:c5.large": {"SpotUsage", "c5.large"}, "USW2-LAX1-BoxUsage:m5.large": {"BoxUsage", "m5.large"}, "EUN1-": {"", ""}, "EBS:VolumeUsage.gp3": {"EBS", ""}, "": {"", ""},
	} {
		if what, kind := cloudkind.AWSUsage(in); what != want[0] || kind != want[1] {
			t.Errorf("%q: %q and %q, want %q", in, what, kind, want)
		}
	}
}

func TestHours(t *testing.T) {
	for in, want := range map[string]cloudkind.Time{
		"Hours": {1, 1}, "Hour": {1, 1}, "Hrs": {1, 1}, "100 Hours": {100, 1}, "1 Hour": {1, 1}, "seconds": {1, 3600}, "Minutes": {1, 60}, "Normalized Hours": {},
		"GB-Seconds": {}, "USD": {}, "GB Hours": {}, "OCPU Hours": {}, "Units/Hour": {}, "": {}, "0 Hours": {}, "-1 Hours": {}, " Hours": {1, 1}, "10 seconds": {10, 3600}, "min": {1, 60}, "x Hours": {}, "9999999999 Hours": {}, "Hours ": {1, 1},
	} {
		if got := cloudkind.Hours(in); got != want {
			t.Errorf("%q: %v, want %v", in, got, want)
		}
	}
}

func TestServerless(t *testing.T) {
	for in, want := range map[string]string{
		"EUW1-Fargate-vCPU-Hours:perCPU": "Fargate-vCPU 1", "Fargate-GB-Hours": "Fargate-GB 1", "USE2-Fargate-ARM-GB-Hours": "Fargate-ARM-GB 1", "EUW1-Lambda-GB-Second": "Lambda-GB 3600",
		"Lambda-GB-Second-ARM": "Lambda-GB-ARM 3600", "Lambda-Provisioned-GB-Second": "Lambda-Provisioned-GB 3600", "Lambda-Edge-GB-Second": " 0", "Fargate-EphemeralStorage-GB-Hours": " 0", "BoxUsage:m5.large": " 0", "": " 0",
	} {
		if kind, time := cloudkind.Serverless(in); fmt.Sprint(kind, " ", time.Den) != want {
			t.Errorf("%q: %q %v, want %s", in, kind, time, want)
		}
	}
}
