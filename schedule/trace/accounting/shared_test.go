package accounting

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/plimsoll/plimsoll/internal/shared"
	"github.com/plimsoll/plimsoll/schedule/trace"
)

// Every sample is read whole, or refused with a sentence that is right. The counts
// are of the files' lines and of their states (grep).
func TestSamples(t *testing.T) {
	dir := shared.File(t, "inputs")
	for _, want := range []struct {
		file    string
		format  form
		records int
		jobs    int // after conversion
		says    string
	}{
		{"sacct/phillips.log.gz", tableForm, 4285, 0, ""},
		{"sacct/robertson-filter-test.log", tableForm, 1, 1, ""},
		{"sacct/hpc-cost-simulator_jobs.csv", tableForm, 0, 0, ""},
		{"sacct/sarc_sacct_25.05_fromage_1706227200.json", slurmForm, 9, 0, ""},
		{"sacct/sarc_sacct_25.05_raisin_base_job.json", slurmForm, 1, 1, ""},
		{"sacct/slurmdb_22.05_v0.0.38.json", slurmForm, 5, 5, ""},
		{"sacct/squeue_21.08_v0.0.37.json", slurmForm, 2, 0, ""},
		{"sacct/squeue_rest.json", slurmForm, 2, 0, ""},
		{"sacct/pbs_qstat_ssh.json", noForm, 0, 0, `without "jobs"`},
		{"pbs/pbs_accounting_2026_casper.log", pbsForm, 2, 2, ""},
		{"lsf/lsb.acct_10.108", lsfForm, 1, 1, ""},
	} {
		f, err := os.Open(filepath.Join(dir, want.file))
		if err != nil {
			t.Fatal(err)
		}
		r := NewReader(f, Options{})
		jobs, report, err := trace.Convert(r.Records(), trace.Options{})
		f.Close()
		if want.says != "" {
			if err == nil || !strings.Contains(err.Error(), want.says) {
				t.Errorf("%s: %v, want an error that says %q", want.file, err, want.says)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", want.file, err)
			continue
		}
		got, _ := r.begin()
		t.Logf("%s: %v\n%v; %d users, %d accounts, %d partitions", want.file, got, &report, len(r.Users()), len(r.Accounts()), len(r.Partitions()))
		if got != want.format || want.records > 0 && report.Records != want.records || want.jobs > 0 && len(jobs) != want.jobs {
			t.Errorf("%s: %v, %d jobs, %+v; want %v, %d records, %d jobs", want.file, got, len(jobs), &report, want.format, want.records, want.jobs)
		}
	}
}
