package programtest

import _ "embed"

// Logs of a few jobs, in the Standard Workload Format.
var (
	//go:embed logs/five.swf
	FiveJobs string // of eight records; two have not run, and one has no processors

	//go:embed logs/six.swf
	SixJobs string // one of them wider than four nodes, and a record that is none

	//go:embed logs/twelve.swf
	TwelveJobs string // of three users, who ask for longer run times, on five nodes
)
