package elastic

import (
	"errors"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll/internal/inputerr"
	"github.com/plimsoll/plimsoll/pricing"
	"github.com/plimsoll/plimsoll/schedule"
)

// paperClouds is the environment of [Marshall12] section V: 64 local cores, of
// which busy run jobs, a free private cloud of 512 and a commercial one.
func paperClouds(busy int) []Cloud {
	local := make([]Instance, 64)
	for i := range local {
		local[i].Due = schedule.Never
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

func paperSnapshot(busy int, jobs ...schedule.Job) *Snapshot {
	b := Marshall12Budget()
	return &Snapshot{Every: 300 * time.Second, Jobs: jobs, Clouds: paperClouds(busy), Credits: b.Hourly, Budget: b}
}

// 512 private instances and, with the debt of one instance-hour, the 59 of
// [Marshall12] section V.B (58-59); without debt floor(5/.085) = 58.
func TestSMPaper(t *testing.T) {
	s := paperSnapshot(0)
	want := []Action{{Launch: true, Cloud: 2, Count: 512, Reason: sustainMax}, {Launch: true, Cloud: 1, Count: 59, Reason: sustainMax}}
	if diff := cmp.Diff(want, new(SM).AppendActions(nil, s)); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	s.Budget.Debt = 0
	want[1].Count = 58
	if diff := cmp.Diff(want, new(SM).AppendActions(nil, s)); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// idleDue makes n idle instances that are charged at due.
func idleDue(n int, due time.Duration) []Instance {
	in := make([]Instance, n)
	for i := range in {
		in[i].Due = due
	}
	return in
}

func launch(cloud, count int, why string) Action {
	return Action{Launch: true, Cloud: cloud, Count: count, Reason: why}
}

func terminate(cloud, instance int, why string) Action {
	return Action{Cloud: cloud, Count: 1, Instance: instance, Reason: why}
}

// limit gives the private cloud a limit, and instances that run jobs.
func limit(s *Snapshot, most, busy int) {
	s.Clouds[2].Limit, s.Clouds[2].Instances = most, idleDue(busy, schedule.Never)
	for i := range s.Clouds[2].Instances {
		s.Clouds[2].Instances[i].State = Busy
	}
}

// Each case is small enough to be worked out from section III of [Marshall12] by
// hand. Cloud 0 is the local cluster of 64, cloud 1 commercial, cloud 2 private;
// $5 and a debt of $0.085 pay for 59 instances.
func TestPolicies(t *testing.T) {
	const minute = time.Minute
	job := func(n int, queued time.Duration) schedule.Job {
		return schedule.Job{Nodes: n, Submit: 10*time.Hour - queued, Estimate: time.Hour}
	}
	for _, c := range []struct {
		name string
		p    Policy
		busy int // local cores
		jobs []schedule.Job
		edit func(*Snapshot)
		want []Action
	}{
		{name: "SM in the second hour: 512 and 59 run, nothing is missing although credits are there", p: &SM{}, edit: func(s *Snapshot) {
			s.Clouds[1].Instances, s.Clouds[2].Instances, s.Credits = idleDue(59, schedule.Never), idleDue(512, schedule.Never), 40*pricing.Unit
		}},
		{name: "SM replaces what was refused", p: &SM{}, edit: func(s *Snapshot) {
			s.Clouds[1].Instances, s.Clouds[2].Instances = idleDue(59, schedule.Never), idleDue(461, schedule.Never)
		}, want: []Action{launch(2, 51, sustainMax)}},

		// 20 at $0.085 leave $5.085 - $1.70 = $3.385 an hour: 19 at $0.17.
		{name: "SM: a debt is paid once, and does not sustain more", p: &SM{}, edit: func(s *Snapshot) {
			s.Credits, s.Budget.Debt, s.Clouds[2].Limit = 40*pricing.Unit, 50*pricing.Unit, 0
		}, want: []Action{launch(1, 59, sustainMax)}},
		{name: "SM: 59 at 10 cents are $5.90, 50 are what $5 pay for: nothing is rounded up", p: &SM{}, edit: func(s *Snapshot) {
			s.Credits, s.Budget.Debt, s.Clouds[2].Limit = 40*pricing.Unit, 50*pricing.Unit, 0
			s.Clouds[1].Price = 100 * pricing.Milli
		}, want: []Action{launch(1, 50, sustainMax)}},
		{name: "SM: a debt of less than the 1.5 cents that the 59th lacks", p: &SM{}, edit: func(s *Snapshot) {
			s.Credits, s.Budget.Debt, s.Clouds[2].Limit = 40*pricing.Unit, 14*pricing.Milli, 0
		}, want: []Action{launch(1, 58, sustainMax)}},

		{name: "SM: what is accumulated cannot be sustained", p: &SM{}, edit: func(s *Snapshot) {
			s.Credits, s.Clouds[1].Limit = 40*pricing.Unit, 20
			s.Clouds[2].Price, s.Clouds[2].Limit = 170*pricing.Milli, NoLimit
		}, want: []Action{launch(1, 20, sustainMax), launch(2, 19, sustainMax)}},

		{name: "OD: the local cluster has room", p: &OD{}, jobs: []schedule.Job{job(32, 0), job(32, 0)}},
		{name: "OD: 40 local cores are free, the second job goes to the free cloud", p: &OD{}, busy: 24, jobs: []schedule.Job{job(32, 0), job(32, 0)},
			want: []Action{launch(2, 32, queueNeeds)}},
		{name: "OD: what boots counts", p: &OD{}, busy: 64, jobs: []schedule.Job{job(8, 0)}, edit: func(s *Snapshot) {
			s.Clouds[2].Instances = make([]Instance, 5)
			for i := range s.Clouds[2].Instances {
				s.Clouds[2].Instances[i].State = Booting
			}
		}, want: []Action{launch(2, 3, queueNeeds)}},
		{name: "OD: a job does not span clouds: 4 free here and 4 there are not 8", p: &OD{}, busy: 60, jobs: []schedule.Job{job(8, 0)}, edit: func(s *Snapshot) {
			s.Clouds[2].Instances = idleDue(4, schedule.Never)
		}, want: []Action{launch(2, 4, queueNeeds)}},
		{name: "OD: the private cloud is full, credits for 59: one job, and nothing that costs towards the other", p: &OD{}, busy: 64, jobs: []schedule.Job{job(32, 0), job(32, 0)},
			edit: func(s *Snapshot) { s.Clouds[2].Limit = 0 }, want: []Action{launch(1, 32, queueNeeds)}},
		{name: "OD: 20 private ones towards the first job; the credits that would serve the second are saved for it", p: &OD{}, busy: 64, jobs: []schedule.Job{job(64, 0), job(8, 0)},
			edit: func(s *Snapshot) { limit(s, 64, 44) }, want: []Action{launch(2, 20, queueNeeds)}},
		{name: "OD: a job larger than the private cloud has no use for a part of it", p: &OD{}, busy: 64, jobs: []schedule.Job{job(600, 0)}},
		{name: "OD: credits are saved for 100 cores: the idle one that is due goes, the other is paid for", p: &OD{}, busy: 64, jobs: []schedule.Job{job(100, 0)}, edit: func(s *Snapshot) {
			s.Clouds[1].Instances, s.Clouds[2].Limit = []Instance{{Due: s.Now + minute}, {Due: s.Now + 9*minute}}, 0
		}, want: []Action{terminate(1, 0, chargeDue)}},
		{name: "OD: 59 are missing to 100, and $5.085 pay for them: none goes", p: &OD{}, busy: 64, jobs: []schedule.Job{job(100, 0)}, edit: func(s *Snapshot) {
			s.Clouds[1].Instances, s.Clouds[2].Limit = idleDue(41, s.Now+9*minute), 0
		}, want: []Action{launch(1, 59, queueNeeds)}},
		// Those of the 41 that will be charged before the others are up have to be
		// paid for as well.
		{name: "OD: 59 are missing to 100, and for the one that is due nothing would be left", p: &OD{}, busy: 64, jobs: []schedule.Job{job(100, 0)}, edit: func(s *Snapshot) {
			s.Clouds[1].Instances, s.Clouds[2].Limit = append(idleDue(40, s.Now+9*minute), Instance{Due: s.Now}), 0
		}, want: []Action{terminate(1, 40, chargeDue)}},
		{name: "OD: two thirds boot, and one of the others is due before they are up", p: &OD{}, busy: 64, jobs: []schedule.Job{job(3, 0)}, edit: func(s *Snapshot) {
			s.Clouds[1].Instances = []Instance{{State: Booting, Ready: s.Now + minute, Due: s.Now + 59*minute}, {State: Booting, Ready: s.Now + minute, Due: s.Now + 59*minute}, {Due: s.Now}}
			s.Clouds[2].Limit, s.Credits = 0, -pricing.Milli
		}, want: []Action{terminate(1, 2, chargeDue)}},
		{name: "OD: the same, and it can be paid for", p: &OD{}, busy: 64, jobs: []schedule.Job{job(3, 0)}, edit: func(s *Snapshot) {
			s.Clouds[1].Instances = []Instance{{State: Booting, Ready: s.Now + minute, Due: s.Now + 59*minute}, {State: Booting, Ready: s.Now + minute, Due: s.Now + 59*minute}, {Due: s.Now}}
			s.Clouds[2].Limit, s.Credits = 0, 0
		}},
		// An hour's estimate is charged once more, since nothing is up at once: $0.17
		// an instance. $5.085 cover 29.
		{name: "OD, covered: 29 cores can be covered, with the second hour that they will be charged", p: &OD{}, busy: 64, jobs: []schedule.Job{job(29, 0), job(1, 0)},
			edit: func(s *Snapshot) { s.Clouds[2].Limit, s.Budget.Covered = 0, true }, want: []Action{launch(1, 29, queueNeeds)}},
		{name: "OD, covered: 30 cannot", p: &OD{}, busy: 64, jobs: []schedule.Job{job(30, 0), job(1, 0)},
			edit: func(s *Snapshot) { s.Clouds[2].Limit, s.Budget.Covered = 0, true }},
		{name: "OD, covered: 60 that are there can, as they are paid for; none is left for another", p: &OD{}, busy: 64, jobs: []schedule.Job{job(59, 0), job(1, 0)},
			edit: func(s *Snapshot) {
				s.Clouds[1].Instances, s.Clouds[2].Limit, s.Budget.Covered = idleDue(60, s.Now+9*minute), 0, true
			}},
		{name: "MCOP, covered", p: &MCOP{Rand: newRand(1)}, busy: 64, jobs: []schedule.Job{job(30, 0)},
			edit: func(s *Snapshot) { s.Clouds[2].Limit, s.Budget.Covered = 0, true }},
		{name: "OD: the second round asks the next cloud for what the first refused", p: &OD{}, busy: 64, jobs: []schedule.Job{job(10, 0)}, edit: func(s *Snapshot) {
			s.Again, s.Clouds[2].Refused = true, 10
		}, want: []Action{launch(1, 10, afterRefuse)}},
		{name: "OD: in debt only what is free can be had", p: &OD{}, busy: 64, jobs: []schedule.Job{job(8, 0), job(8, 0)}, edit: func(s *Snapshot) {
			s.Credits, s.Clouds[2].Limit = -pricing.Unit, 12
		}, want: []Action{launch(2, 12, queueNeeds)}},
		{name: "OD terminates at once when no job waits", p: &OD{}, edit: func(s *Snapshot) {
			s.Clouds[1].Instances = idleDue(2, s.Now+50*minute)
			s.Clouds[1].Instances[0].State = Busy
		}, want: []Action{terminate(1, 1, queueEmpty)}},
		{name: "OD keeps idle instances while one waits", p: &OD{}, busy: 64, jobs: []schedule.Job{job(1, 0)}, edit: func(s *Snapshot) {
			s.Clouds[1].Instances = idleDue(2, s.Now)
		}},
		{name: "OD, free ones kept", p: &OD{KeepFree: true}, edit: func(s *Snapshot) {
			s.Clouds[1].Instances, s.Clouds[2].Instances = idleDue(1, s.Now), idleDue(1, s.Now)
		}, want: []Action{terminate(1, 0, queueEmpty)}},

		// $5.085 pay for 59 at $0.085.
		{name: "OD, printed: the credits go for a part of the second job", p: &OD{Printed: true}, busy: 64, jobs: []schedule.Job{job(32, 0), job(32, 0)},
			edit: func(s *Snapshot) { s.Clouds[2].Limit = 0 }, want: []Action{launch(1, 59, queueNeeds)}},
		{name: "OD, printed: 44 private ones and 20 that cost, for a job that can run in neither", p: &OD{Printed: true}, busy: 64, jobs: []schedule.Job{job(64, 0)},
			edit: func(s *Snapshot) { limit(s, 64, 20) }, want: []Action{launch(2, 44, queueNeeds), launch(1, 20, queueNeeds)}},
		{name: "OD, printed: what is idle or boots anywhere counts", p: &OD{Printed: true}, busy: 60, jobs: []schedule.Job{job(8, 0)}, edit: func(s *Snapshot) {
			s.Clouds[2].Instances = []Instance{{Due: schedule.Never}, {State: Booting, Due: schedule.Never}}
		}, want: []Action{launch(2, 2, queueNeeds)}},
		{name: "OD, printed: more is there than is asked for", p: &OD{Printed: true}, jobs: []schedule.Job{job(8, 0)}},
		{name: "OD, printed: keeps idle instances while one waits, also those that are due", p: &OD{Printed: true}, busy: 64, jobs: []schedule.Job{job(100, 0)}, edit: func(s *Snapshot) {
			s.Clouds[1].Instances, s.Clouds[2].Limit = []Instance{{Due: s.Now + minute}}, 0
		}, want: []Action{launch(1, 59, queueNeeds)}},
		{name: "OD, printed: terminates at once when no job waits", p: &OD{Printed: true}, edit: func(s *Snapshot) {
			s.Clouds[1].Instances = idleDue(1, s.Now+50*minute)
		}, want: []Action{terminate(1, 0, queueEmpty)}},
		{name: "OD, printed: the second round asks the next cloud for what the first refused", p: &OD{Printed: true}, busy: 64, jobs: []schedule.Job{job(10, 0)}, edit: func(s *Snapshot) {
			s.Again, s.Clouds[2].Refused = true, 10
		}, want: []Action{launch(1, 10, afterRefuse)}},
		{name: "OD++, printed: all that is due goes, though a job waits for it", p: &OD{Plus: true, Printed: true}, busy: 64, jobs: []schedule.Job{job(2, 0)}, edit: func(s *Snapshot) {
			s.Clouds[1].Instances = idleDue(2, s.Now)
		}, want: []Action{terminate(1, 0, chargeDue), terminate(1, 1, chargeDue)}},

		{name: "OD++: what is charged within five minutes goes, at five minutes exactly it can wait", p: &OD{Plus: true}, edit: func(s *Snapshot) {
			s.Clouds[1].Instances = []Instance{{Due: s.Now}, {Due: s.Now + 4*minute}, {Due: s.Now + 5*minute}, {Due: s.Now + 59*minute}, {Due: schedule.Never}}
		}, want: []Action{terminate(1, 0, chargeDue), terminate(1, 1, chargeDue)}},
		{name: "OD++: three are due, a waiting job is counted on two", p: &OD{Plus: true}, busy: 64, jobs: []schedule.Job{job(2, 0)}, edit: func(s *Snapshot) {
			s.Clouds[1].Instances = idleDue(3, s.Now)
		}, want: []Action{terminate(1, 0, chargeDue)}},

		{name: "AQTP: the second job is not served out of turn", p: &AQTP{Response: time.Minute, Min: 2}, busy: 64, jobs: []schedule.Job{job(64, 60*minute), job(8, 0)},
			edit: func(s *Snapshot) { s.Clouds[2].Limit = 0 }},
		// 17 instances can be had, two jobs of 16: 16 are launched (section III.B).
		{name: "AQTP: whole jobs", p: &AQTP{Response: 2 * time.Hour, Min: 2}, busy: 64, jobs: []schedule.Job{job(16, 0), job(16, 0)}, edit: func(s *Snapshot) {
			s.Clouds[2].Limit = 17
		}, want: []Action{launch(2, 16, firstNeed)}},
		{name: "AQTP: the first three jobs only", p: &AQTP{Response: 2 * time.Hour, Min: 3}, busy: 64,
			jobs: []schedule.Job{job(1, 0), job(2, 0), job(4, 0), job(8, 0)}, want: []Action{launch(2, 7, firstNeed)}},
		{name: "AQTP: 1.9 desired responses are one cloud, the cheapest, which is full", p: &AQTP{Response: 2 * time.Hour}, busy: 64, jobs: []schedule.Job{job(4, 228*minute)},
			edit: func(s *Snapshot) { s.Clouds[2].Limit = 0 }},
		{name: "AQTP: two are two", p: &AQTP{Response: 2 * time.Hour}, busy: 64, jobs: []schedule.Job{job(4, 240*minute)},
			edit: func(s *Snapshot) { s.Clouds[2].Limit = 0 }, want: []Action{launch(1, 4, firstNeed)}},
		{name: "AQTP does not ask twice", p: &AQTP{Response: 2 * time.Hour}, busy: 64, jobs: []schedule.Job{job(4, 240*minute)},
			edit: func(s *Snapshot) { s.Again, s.Clouds[2].Refused = true, 4 }},

		// The local cores are busy for an hour. Launching 8 commercial ones now
		// costs $0.68 and saves nearly all of it; the front has two points, so
		// that the weights alone decide.
		{name: "MCOP-20-80 launches", p: &MCOP{CostWeight: .2, Rand: newRand(1)}, busy: 64, jobs: []schedule.Job{job(8, 0)},
			edit: func(s *Snapshot) { s.Clouds[2].Limit = 0 }, want: []Action{launch(1, 8, bestTrade)}},
		{name: "MCOP-50-50: the sums are equal, the cheaper one is chosen", p: &MCOP{CostWeight: .5, Rand: newRand(1)}, busy: 64, jobs: []schedule.Job{job(8, 0)},
			edit: func(s *Snapshot) { s.Clouds[2].Limit = 0 }},
		{name: "MCOP-80-20 waits", p: &MCOP{CostWeight: .8, Rand: newRand(1)}, busy: 64, jobs: []schedule.Job{job(8, 0)},
			edit: func(s *Snapshot) { s.Clouds[2].Limit = 0 }},
		{name: "MCOP-80-20 takes what is free", p: &MCOP{CostWeight: .8, Rand: newRand(1)}, busy: 64, jobs: []schedule.Job{job(8, 0)},
			want: []Action{launch(2, 8, bestTrade)}},
		{name: "MCOP terminates what its schedule leaves free", p: &MCOP{CostWeight: .8, Rand: newRand(1)}, busy: 64, jobs: []schedule.Job{job(2, 0)}, edit: func(s *Snapshot) {
			s.Clouds[1].Instances, s.Clouds[2].Limit = idleDue(3, s.Now), 0
		}, want: []Action{terminate(1, 0, chargeDue)}},
		// Without the local cluster: no configuration that $5.085 pay for holds the
		// first job, and so none is of use to the second.
		{name: "MCOP-0-100 saves for the first job", p: &MCOP{Rand: newRand(1)}, jobs: []schedule.Job{job(100, 0), job(8, 0)},
			edit: func(s *Snapshot) { s.Clouds[0].Instances, s.Clouds[2].Limit = nil, 0 }},
		{name: "MCOP asks no other cloud for what was refused", p: &MCOP{CostWeight: .2, Rand: newRand(1)}, busy: 64, jobs: []schedule.Job{job(8, 0)}, edit: func(s *Snapshot) {
			s.Again = true
		}},
		{name: "MCOP without a queue", p: &MCOP{Rand: newRand(1)}, edit: func(s *Snapshot) {
			s.Clouds[1].Instances = idleDue(1, s.Now)
		}, want: []Action{terminate(1, 0, chargeDue)}},
	} {
		s := paperSnapshot(c.busy, c.jobs...)
		s.Now = 10 * time.Hour
		for i := range s.Clouds[0].Instances {
			s.Clouds[0].Instances[i].Ready = 11 * time.Hour
		}
		if c.edit != nil {
			c.edit(s)
		}
		if err := s.Validate(); err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
		if diff := cmp.Diff(c.want, c.p.AppendActions(nil, s)); diff != "" {
			t.Errorf("%s (-want +got)\n%s", c.name, diff)
		}
	}
}

// The administrator's example of section III.B: r of two hours, θ of 45 minutes.
// Below 1:15 n falls, above 2:45 it grows, at these and between it stays.
func TestAQTPAdjusts(t *testing.T) {
	p := &AQTP{Response: 2 * time.Hour, Threshold: 45 * time.Minute, Min: 2, Start: 5, Max: 7}
	s := paperSnapshot(64)
	s.Now = 10 * time.Hour
	for i, c := range []struct {
		queued time.Duration
		want   int
	}{
		{2 * time.Hour, 5}, {75*time.Minute - 1, 4}, {0, 3}, {0, 2}, {0, 2}, {165 * time.Minute, 2}, {165*time.Minute + 1, 3},
		{9 * time.Hour, 4}, {9 * time.Hour, 5}, {9 * time.Hour, 6}, {9 * time.Hour, 7}, {9 * time.Hour, 7}, {75 * time.Minute, 7},
	} {
		s.Jobs = []schedule.Job{{Nodes: 1, Submit: s.Now - c.queued}}
		p.AppendActions(nil, s)
		if p.n != c.want {
			t.Errorf("evaluation %d: n = %d, want %d", i, p.n, c.want)
		}
	}
	p.Reset()
	s.Jobs = nil
	p.AppendActions(nil, s)
	if p.n != 4 {
		t.Errorf("after Reset, nothing queued: n = %d, want 5 - 1", p.n)
	}
}

// Below which credits SM rests, by hand: 58 instances at $0.085 leave 7 of the $5 an hour, and the
// debt of $0.085 lends the 1.5 cents for one more, which costs as much as the debt. 59 are all.
func TestSMRests(t *testing.T) {
	for _, c := range []struct {
		name          string
		private, rent int
		credits       pricing.Money
		edit          func(*Snapshot)
		want          pricing.Money
		rests         bool
	}{
		{name: "all", private: 512, rent: 59, credits: 40 * pricing.Unit, want: math.MaxInt64, rests: true},
		{name: "one is missing, and credits are there", private: 512, rent: 58, credits: 0},
		{name: "one is missing, and credits are not", private: 512, rent: 58, credits: -1, rests: true},
		{name: "a free one is missing", private: 511, rent: 59, credits: -1},
		{name: "the cloud is closed", private: 512, rent: 58, want: math.MaxInt64, rests: true, edit: func(s *Snapshot) { s.Clouds[1].Closed = true }},
		{name: "the cloud is full", private: 512, rent: 58, want: math.MaxInt64, rests: true, edit: func(s *Snapshot) { s.Clouds[1].Limit = 58 }},
		{name: "the cloud has room for one", private: 512, rent: 58, credits: -1, rests: true, edit: func(s *Snapshot) { s.Clouds[1].Limit = 59 }},
		{name: "one is going", private: 512, rent: 59, edit: func(s *Snapshot) { s.Clouds[1].Instances[9].State = Stopping }},
	} {
		s, p := paperSnapshot(0), new(SM)
		s.Credits = c.credits
		s.Clouds[2].Instances, s.Clouds[1].Instances = idleDue(c.private, schedule.Never), idleDue(c.rent, schedule.Never)
		if c.edit != nil {
			c.edit(s)
		}
		if got, rests := p.Rests(s); got != c.want || rests != c.rests {
			t.Errorf("%s: %v, %v; want %v, %v", c.name, got, rests, c.want, c.rests)
		}
	}
	// Instances that cost more than any budget leave nothing for others.
	s := paperSnapshot(0)
	s.Clouds[2].Price, s.Clouds[2].Instances = math.MaxInt64/2+1, idleDue(2, schedule.Never)
	if got := new(SM).AppendActions(nil, s); len(got) > 0 {
		t.Errorf("%v beside instances beyond the range of Money", got)
	}
}

func TestAWQT(t *testing.T) {
	// (1·3 h + 2·30 min + 5·0) / 8 = 30 min.
	jobs := []schedule.Job{{Nodes: 1, Submit: time.Hour}, {Nodes: 2, Submit: 210 * time.Minute}, {Nodes: 5, Submit: 4 * time.Hour}}
	if got := AWQT(jobs, 4*time.Hour); got != 30*time.Minute {
		t.Errorf("AWQT %v, want 30m", got)
	}
	// The sum is beyond 64 bits, the mean is not.
	big := []schedule.Job{{Nodes: 1 << 30}, {Nodes: 1 << 30, Submit: 2}}
	if got := AWQT(big, schedule.Never); got != schedule.Never-1 {
		t.Errorf("AWQT %v, want %v", got, schedule.Never-1)
	}
	if AWQT(nil, 0) != 0 {
		t.Error("the average over nothing is not 0")
	}
}

func TestBadInput(t *testing.T) {
	rnd := newRand(1)
	valid := func(edit func(*Snapshot)) error {
		s := paperSnapshot(0, schedule.Job{Nodes: 512})
		edit(s)
		return s.Validate()
	}
	for _, c := range []struct {
		err   error
		field string
		index int
		cause error
	}{
		{(&AQTP{}).Validate(), "AQTP.Response", -1, ErrRange},
		{(&AQTP{Response: -1}).Validate(), "AQTP.Response", -1, ErrRange},
		{(&AQTP{Response: 1, Threshold: -1}).Validate(), "AQTP.Threshold", -1, ErrRange},
		{(&AQTP{Response: 1, Min: -1}).Validate(), "AQTP.Min", -1, ErrRange},
		{(&AQTP{Response: 1, Min: 3, Max: 2}).Validate(), "AQTP.Max", -1, ErrRange},
		{(&AQTP{Response: 1, Max: -1}).Validate(), "AQTP.Max", -1, ErrRange},
		{(&AQTP{Response: 1, Min: 3, Start: 2}).Validate(), "AQTP.Start", -1, ErrRange},
		{(&AQTP{Response: 1, Max: 2, Start: 3}).Validate(), "AQTP.Start", -1, ErrRange},
		{(&MCOP{}).Validate(), "MCOP.Rand", -1, ErrRange},
		{(&MCOP{Rand: rnd, CostWeight: -.01}).Validate(), "MCOP.CostWeight", -1, ErrRange},
		{(&MCOP{Rand: rnd, CostWeight: 1.1}).Validate(), "MCOP.CostWeight", -1, ErrRange},
		{(&MCOP{Rand: rnd, CostWeight: math.NaN()}).Validate(), "MCOP.CostWeight", -1, ErrRange},
		{(&MCOP{Rand: rnd, Population: 2}).Validate(), "MCOP.Population", -1, ErrRange},
		{(&MCOP{Rand: rnd, Population: maxPopulation + 1}).Validate(), "MCOP.Population", -1, ErrRange},
		{(&MCOP{Rand: rnd, Generations: -1}).Validate(), "MCOP.Generations", -1, ErrRange},
		{(&MCOP{Rand: rnd, Mutation: 2}).Validate(), "MCOP.Mutation", -1, ErrRange},
		{(&MCOP{Rand: rnd, Crossover: -1}).Validate(), "MCOP.Crossover", -1, ErrRange},
		{Budget{Hourly: -1}.Validate(), "Budget.Hourly", -1, ErrRange},
		{Budget{Debt: -1}.Validate(), "Budget.Debt", -1, ErrRange},
		{valid(func(s *Snapshot) { s.Budget.Hourly = -1 }), "Budget.Hourly", -1, ErrRange},
		{valid(func(s *Snapshot) { s.Now = -1 }), "Now", -1, ErrRange},
		{valid(func(s *Snapshot) { s.Every = 0 }), "Every", -1, ErrRange},
		{valid(func(s *Snapshot) { s.Credits = 1<<63 - 1 }), "Credits", -1, pricing.ErrOverflow},
		{valid(func(s *Snapshot) { s.Clouds[1].Price = -1 }), "Clouds.Price", 1, ErrRange},
		{valid(func(s *Snapshot) { s.Clouds[1].Limit = -2 }), "Clouds.Limit", 1, ErrRange},
		{valid(func(s *Snapshot) { s.Clouds[1].Boot = -2 }), "Clouds.Boot", 1, ErrRange},
		{valid(func(s *Snapshot) { s.Clouds[2].Refused = -2 }), "Clouds.Refused", 2, ErrRange},
		{valid(func(s *Snapshot) { s.Clouds[2].Limit = NoLimit }), "Clouds.Limit", 2, ErrUnbounded},
		{valid(func(s *Snapshot) { s.Clouds[0].Instances[3].State = 4 }), "Clouds.Instances", 0, ErrRange},
		{valid(func(s *Snapshot) { s.Clouds[1].Limit, s.Clouds[2].Limit = 0, 511 }), "Jobs.Nodes", 0, ErrTooLarge},
		{valid(func(s *Snapshot) { s.Jobs[0].Nodes = 0 }), "Jobs.Nodes", 0, ErrRange},
		{valid(func(s *Snapshot) { s.Jobs[0].Estimate = -1 }), "Jobs.Estimate", 0, ErrRange},
		{valid(func(s *Snapshot) { s.Jobs[0].Submit = 1 }), "Jobs.Submit", 0, ErrRange},
	} {
		var e *inputerr.Error
		if !errors.As(c.err, &e) || !errors.Is(c.err, c.cause) || e.Field != c.field || e.Index != c.index {
			t.Errorf("%v: want field %s, index %d, %v", c.err, c.field, c.index, c.cause)
		}
	}
	for _, err := range []error{
		(&AQTP{Response: 1, Start: 1}).Validate(), (&AQTP{Response: 1, Min: 2, Max: 9, Start: 9}).Validate(), (&AQTP{Response: 1, Min: 2, Start: 2}).Validate(),
		(&MCOP{Rand: rnd, CostWeight: 1}).Validate(), (&MCOP{Rand: rnd, Population: 3, Generations: 1, Mutation: 1, Crossover: 1}).Validate(),
		(&MCOP{Rand: rnd, Population: maxPopulation}).Validate(),
		valid(func(*Snapshot) {}),
	} {
		if err != nil {
			t.Errorf("valid: %v", err)
		}
	}
	const want = "elastic: AQTP.Response: value out of range: a desired response of 0s: want more than 0, such as 2h"
	if got := (&AQTP{}).Validate().Error(); got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// Misuse panics with a message of the package.
func TestPolicyPanics(t *testing.T) {
	s := paperSnapshot(0, schedule.Job{Nodes: 1})
	for name, f := range map[string]func(){
		"AQTP without r":   func() { (&AQTP{}).AppendActions(nil, s) },
		"MCOP without rnd": func() { (&MCOP{}).AppendActions(nil, s) },
		"MCOP's weight":    func() { (&MCOP{Rand: newRand(1), CostWeight: 2}).AppendActions(nil, s) },
		"negative job":     func() { var d Draft; d.Reset(nil, s); d.Serve(&schedule.Job{Nodes: -5}, nil, "own") },
		"negative launch":  func() { var d Draft; d.Reset(nil, s); d.Launch(1, -1, "own") },
		"too many taken":   func() { var d Draft; d.Reset(nil, s); d.Take(1, 1) },
		"after now":        func() { AWQT([]schedule.Job{{Nodes: 1, Submit: 1}}, 0) },
	} {
		func() {
			defer func() {
				if v, ok := recover().(string); !ok || !strings.HasPrefix(v, "elastic: ") {
					t.Errorf("%s: recovered %q", name, v)
				}
			}()
			f()
		}()
	}
}

// What a policy of one's own may ask of a draft in any order: another subset of
// the clouds, launches that no job takes, clouds that cannot be asked.
func TestDraft(t *testing.T) {
	s := paperSnapshot(64)
	s.Clouds[2].Limit = 10
	var d Draft
	d.Reset(nil, s)
	if diff := cmp.Diff([]int{2, 1}, d.Cheapest()); diff != "" {
		t.Fatalf("cheapest first (-want +got)\n%s", diff)
	}
	if d.Serve(&schedule.Job{Nodes: 20}, d.Cheapest()[:1], "own") {
		t.Error("a job of 20 is served in a cloud of 10")
	}
	if !d.Serve(&schedule.Job{Nodes: 20}, d.Cheapest(), "own") || d.Room(1) != 39 || d.Left() != 3385*pricing.Milli {
		t.Errorf("room for %d more, %v left; want 39 of 59, and $5.085 less 20 times $0.085", d.Room(1), d.Left())
	}
	if d.Serve(&schedule.Job{Nodes: 40}, d.Cheapest(), "own") {
		t.Error("a job of 40 is served where 39 can be launched")
	}
	if n := d.Launch(2, 20, "other"); n != 10 || d.Spare(2) != 10 || d.Room(2) != 0 {
		t.Errorf("%d launched, %d spare: want the 10 that the limit allows", n, d.Spare(2))
	}
	if !d.Serve(&schedule.Job{Nodes: 10}, nil, "own") || d.Spare(2) != 0 {
		t.Error("a job of 10 is not served by 10 spare instances")
	}
	if n := d.Launch(0, 1, "own"); n != 0 || d.Room(0) != 0 {
		t.Errorf("%d launched in the local cluster", n)
	}
	d.Launch(1, 1, "third")
	want := []Action{launch(1, 20, "own"), launch(2, 10, "other"), launch(1, 1, "third")}
	if diff := cmp.Diff(want, d.Actions()); diff != "" {
		t.Errorf("actions (-want +got)\n%s", diff)
	}

	// What one list of clouds cannot do says nothing of another as long.
	d.Reset(nil, s)
	if d.Serve(&schedule.Job{Nodes: 100}, []int{0, 2}, "own") {
		t.Error("a job of 100 is served in clouds of 64 and 10")
	}
	s.Credits = 1000 * pricing.Unit
	d.Reset(nil, s)
	if d.Serve(&schedule.Job{Nodes: 100}, []int{0, 2}, "own") || !d.Serve(&schedule.Job{Nodes: 100}, d.Cheapest(), "own") {
		t.Error("a job of 100 is not served by the commercial cloud after others could not")
	}
	if d.Serve(&schedule.Job{Nodes: 100}, []int{0, 2}, "own") || !d.Serve(&schedule.Job{Nodes: 100}, []int{0, 1}, "own") {
		t.Error("nor with another list of two clouds")
	}
	d.Reset(nil, &Snapshot{Every: time.Hour, Clouds: s.Clouds[:1]})
	if d.Serve(&schedule.Job{Nodes: 100}, d.Cheapest(), "own") {
		t.Error("a job of 100 is served by a local cluster of 64")
	}

	// After a queue that is held up other jobs can still be served.
	d.Reset(nil, s)
	if n := d.ServeQueue([]schedule.Job{{Nodes: 1}, {Nodes: 1 << 20}, {Nodes: 64}}, d.Cheapest(), true, "own"); n != 1 {
		t.Errorf("%d jobs served, want 1", n)
	}
	if !d.Serve(&schedule.Job{Nodes: 64}, d.Cheapest(), "own") {
		t.Error("a job of 64 is not served although credits are there")
	}
	d.Reset(nil, s)
	if n := d.ServeQueue([]schedule.Job{{Nodes: 1 << 20}, {Nodes: 1 << 20}, {Nodes: 64}}, d.Cheapest(), false, "own"); n != 0 {
		t.Errorf("%d jobs served before the first that is not, want 0", n)
	}
	// Once all that is free is taken, the jobs behind are not looked at: this one would panic.
	d.Reset(nil, s)
	d.ServeQueue([]schedule.Job{{Nodes: 1 << 20}, {Nodes: 10}, {Nodes: 1}, {Nodes: -1}}, d.Cheapest(), true, "own")

	s.Clouds[1].Instances = idleDue(5, schedule.Never)
	d.Reset(nil, s)
	if d.ServeQueue([]schedule.Job{{Nodes: 1 << 20}, {Nodes: 64}}, d.Cheapest(), true, "own"); !d.Serve(&schedule.Job{Nodes: 5}, nil, "own") || d.Spare(1) != 0 {
		t.Error("a job of 5 is not served by the 5 that are idle in the commercial cloud")
	}
	s.Clouds[1].Instances = nil

	s.Clouds[2].Refused = 3
	d.Reset(nil, s)
	if n := d.Launch(2, 1, "own"); n != 0 || len(d.Cheapest()) != 1 {
		t.Errorf("%d launched in a cloud that has refused", n)
	}
}
