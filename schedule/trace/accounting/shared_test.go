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
		format  Format
		records int
		jobs    int // after conversion
		says    string
	}{
		{"sacct/phillips.log.gz", Table, 4285, 0, ""},
		{"sacct/robertson-filter-test.log", Table, 1, 1, ""},
		{"sacct/hpc-cost-simulator_jobs.csv", Table, 0, 0, ""},
		{"sacct/sarc_sacct_25.05_fromage_1706227200.json", SlurmJSON, 9, 0, ""},
		{"sacct/sarc_sacct_25.05_raisin_base_job.json", SlurmJSON, 1, 1, ""},
		{"sacct/slurmdb_22.05_v0.0.38.json", SlurmJSON, 5, 5, ""},
		{"sacct/squeue_21.08_v0.0.37.json", SlurmJSON, 2, 0, ""},
		{"sacct/squeue_rest.json", SlurmJSON, 2, 0, ""},
		{"sacct/pbs_qstat_ssh.json", None, 0, 0, `without "jobs"`},
		{"pbs/pbs_accounting_2026_casper.log", PBS, 2, 2, ""},
		{"lsf/lsb.acct_10.108", LSF, 1, 1, ""},
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
		got, _ := r.Format()
		s := r.stats
		t.Logf("%s: %v, %+v\n%v; %d users, %d accounts, %d partitions", want.file, got, s, &report, len(r.Users()), len(r.Accounts()), len(r.Partitions()))
		if got != want.format || want.records > 0 && s.Records != want.records || s.Records != s.Jobs+s.Steps+s.Others || report.Records != s.Jobs ||
			want.jobs > 0 && len(jobs) != want.jobs || len(jobs) == 0 && s.Running+s.Pending < s.Jobs {
			t.Errorf("%s: %v, %d jobs, %+v; want %v, %d records, %d jobs", want.file, got, len(jobs), s, want.format, want.records, want.jobs)
		}
	}
}
