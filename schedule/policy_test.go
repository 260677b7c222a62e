package schedule

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll/pricing"
)

// paperClouds is the environment of [Marshall12] section V: 64 local cores, of
// which busy run jobs, a free private cloud of 512 and a commercial one.
func paperClouds(busy int) []Cloud {
	local := make([]Instance, 64)
	for i := range local {
		local[i].Due = Never
		if i < busy {
			local[i].State = Busy
			local[i].Ready = time.Hour
		}
	}
	return []Cloud{
		{Fixed: true, Instances: local},
		{Price: 85 * pricing.Milli, Limit: NoLimit, Boot: 50 * time.Second},
		{Limit: 512, Boot: 50 * time.Second},
	}
}

func paperSnapshot(busy int, jobs ...Job) *Snapshot {
	b := Marshall12Budget()
	return &Snapshot{Every: 300 * time.Second, Jobs: jobs, Clouds: paperClouds(busy), Credits: b.Hourly, Budget: b}
}

// 512 private instances and, with the debt of one instance-hour, the 59 of
// [Marshall12] section V.B (58-59); without debt floor(5/.085) = 58.
func TestSMPaper(t *testing.T) {
	s := paperSnapshot(0)
	want := []Action{{Kind: Launch, Cloud: 2, Count: 512, Reason: SustainMax}, {Kind: Launch, Cloud: 1, Count: 59, Reason: SustainMax}}
	if diff := cmp.Diff(want, new(SM).AppendActions(nil, s)); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	s.Budget.Debt = 0
	want[1].Count = 58
	if diff := cmp.Diff(want, new(SM).AppendActions(nil, s)); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}
