//go:build unix

package provider

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/plimsoll/plimsoll/examples/internal/clock"
	"github.com/plimsoll/plimsoll/pricing"
)

// scripts is a cloud of shell commands: a file for each instance.
func scripts(t *testing.T) (*Exec, string) {
	t.Helper()
	dir := t.TempDir()
	now := `$(date -u +%Y-%m-%dT%H:%M:%SZ)`
	return &Exec{
		Environment:   []string{"CLOUD=" + dir},
		CreateCommand: `f=$CLOUD/$PLIMSOLL_TOKEN; [ -e $CLOUD/full ] && echo no capacity >&2 && exit 3; echo create >>$CLOUD/calls; echo "{\"id\":\"i-$PLIMSOLL_TOKEN\",\"token\":\"$PLIMSOLL_TOKEN\",\"node\":\"$PLIMSOLL_NODE\",\"created\":\"` + now + `\"" >$f.in; echo "$(cat $f.in)}"`,
		DeleteCommand: `f=$CLOUD/${PLIMSOLL_ID#i-}; echo delete >>$CLOUD/calls; echo ",\"ended\":\"` + now + `\"" >>$f.in; echo "$(cat $f.in)}"`,
		ListCommand:   `for f in $CLOUD/*.in; do [ -e "$f" ] && echo "$(cat $f)}"; done; true`,
	}, dir
}

func calls(t *testing.T, dir string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, "calls"))
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	return strings.Join(strings.Fields(string(text)), " ")
}

// What was done is not done again.
func TestExec(t *testing.T) {
	t.Parallel()
	e, dir := scripts(t)
	ctx := context.Background()
	in, err := e.Create(ctx, "c-1-n1", "n1")
	if err != nil || !in.Live() || in.Node != "n1" || in.ID != "i-c-1-n1" {
		t.Fatalf("%+v, %v", in, err)
	}
	again, err := e.Create(ctx, "c-1-n1", "n1")
	if err != nil || again != in {
		t.Errorf("created again: %+v, %v", again, err)
	}
	list, err := e.List(ctx)
	if err != nil || len(list) != 1 || list[0] != in {
		t.Errorf("%+v, %v", list, err)
	}
	gone, err := e.Delete(ctx, in.ID)
	if err != nil || gone.Live() {
		t.Errorf("%+v, %v", gone, err)
	}
	twice, err := e.Delete(ctx, in.ID)
	if err != nil || twice != gone {
		t.Errorf("deleted again: %+v, %v", twice, err)
	}
	if got := calls(t, dir); got != "create delete" {
		t.Errorf("the commands that had an effect: %s", got)
	}
	if err := os.WriteFile(filepath.Join(dir, "full"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := e.Create(ctx, "c-2-n2", "n2"); !errors.Is(err, ErrRefused) || !strings.Contains(err.Error(), "no capacity") {
		t.Errorf("refused: %v", err)
	}
	if _, err := e.Create(ctx, "../x", "n2"); !errors.Is(err, ErrRefused) {
		t.Errorf("a token that is a path: %v", err)
	}
}

// A command that fails halfway, after its effect, is seen by the list to have had it.
func TestExecHalfway(t *testing.T) {
	t.Parallel()
	e, dir := scripts(t)
	e.CreateCommand += `; exit 1`
	e.DeleteCommand += `; exit 1`
	ctx := context.Background()
	if _, err := e.Create(ctx, "c-1-n1", "n1"); err == nil || errors.Is(err, ErrRefused) {
		t.Errorf("created: %v", err)
	}
	in, err := e.Create(ctx, "c-1-n1", "n1")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := e.Delete(ctx, in.ID); err == nil {
		t.Error("a command that fails has not")
	}
	if in, err = e.Delete(ctx, in.ID); err != nil || in.Live() {
		t.Fatal(in, err)
	}
	if got := calls(t, dir); got != "create delete" {
		t.Errorf("the commands that had an effect: %s", got)
	}
}

// A command that hangs is ended with what it has started, and the error says so.
func TestExecHangs(t *testing.T) {
	t.Parallel()
	e, dir := scripts(t)
	e.CreateCommand = `sleep 300 & echo $! >$CLOUD/child; wait`
	e.Timeout = time.Second
	begin := time.Now()
	_, err := e.Create(context.Background(), "c-1-n1", "n1")
	if !errors.Is(err, context.DeadlineExceeded) || errors.Is(err, ErrRefused) {
		t.Errorf("got %v", err)
	}
	if d := time.Since(begin); d > 20*time.Second {
		t.Errorf("it took %v", d)
	}
	child, err := os.ReadFile(filepath.Join(dir, "child"))
	if err != nil {
		t.Fatal(err)
	}
	for range 200 {
		text, err := os.ReadFile(fmt.Sprintf("/proc/%s/cmdline", strings.TrimSpace(string(child))))
		if err != nil || !strings.Contains(string(text), "sleep") {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Error("what it has started runs on")
}

// What is no instance is an error.
func TestDecode(t *testing.T) {
	for text, want := range map[string]string{
		`{"id":"a","created":"2030-01-01T00:00:00Z"} x`: "instance 1 of its output",
		`{"token":"a"}`: "has no id",
		`{"id":"a"}`:    "no time of creation",
		`{"id":"a","created":"2030-01-01T00:00:00Z","ended":"2029-01-01T00:00:00Z"}`: "ended before it was created",
	} {
		if _, err := Decode([]byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", text, err)
		}
	}
}

func FuzzDecode(f *testing.F) {
	f.Add([]byte(`{"id":"a","token":"t","node":"n1","created":"2030-01-01T00:00:00Z"}` + "\n" + `{"id":"b","created":"2030-01-01T00:00:00Z","ended":"2030-01-01T00:00:01Z"}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		list, err := Decode(text)
		for _, in := range list {
			if err == nil && (in.ID == "" || in.Created.IsZero()) {
				t.Errorf("%+v", in)
			}
		}
	})
}

// local returns a provider of processes that sleep.
func local(t *testing.T, boot time.Duration) *Local {
	t.Helper()
	l := &Local{Dir: t.TempDir(), Boot: boot, Command: func(string) []string { return []string{"sleep", "300"} }}
	t.Cleanup(func() {
		list, err := l.List(context.Background())
		if err != nil {
			t.Error(err)
		}
		for _, in := range list {
			if _, err := l.Delete(context.Background(), in.ID); err != nil {
				t.Error(err)
			}
		}
	})
	return l
}

// count returns how many processes have an instance's mark.
func count(t *testing.T, l *Local, token string) int {
	t.Helper()
	files, err := filepath.Glob("/proc/[0-9]*/environ")
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, f := range files {
		if text, err := os.ReadFile(f); err == nil && strings.Contains(string(text), l.mark(token)+"\x00") {
			n++
		}
	}
	return n
}

// An instance that is created by several callers at once is one process, and an
// instance that is deleted while it is created is none, in whatever order.
func TestLocalRaces(t *testing.T) {
	t.Parallel()
	if _, err := os.Stat("/proc/self/environ"); err != nil {
		t.Skip("no /proc to find processes in")
	}
	ctx := context.Background()
	l := local(t, 20*time.Millisecond)
	for round := range 10 {
		token := fmt.Sprintf("race-%d-%d", os.Getpid(), round)
		var all sync.WaitGroup
		for range 4 {
			all.Add(1)
			go func() {
				defer all.Done()
				if _, err := l.Create(ctx, token, "n1"); err != nil {
					t.Error(err)
				}
			}()
		}
		all.Wait()
		deleted := round%2 == 0
		if deleted {
			if in, err := l.Delete(ctx, token); err != nil || in.Live() {
				t.Errorf("%+v, %v", in, err)
			}
		}
		// Whoever lost the race to be the instance ends by itself.
		want := 1
		if deleted {
			want = 0
		}
		got, steady := -1, 0
		for range 300 {
			if got = count(t, l, token); got == want {
				steady++
			} else {
				steady = 0
			}
			if steady == 10 {
				break
			}
			time.Sleep(10 * time.Millisecond)
		}
		if steady < 10 {
			t.Errorf("round %d: %d processes, want %d", round, got, want)
		}
	}
}

// With an instance go processes that its daemon started in sessions of their own, and so
// they do when whoever ended it was killed halfway: then a list ends them.
func TestLocalSessions(t *testing.T) {
	t.Parallel()
	if _, err := os.Stat("/proc/self/environ"); err != nil {
		t.Skip("there is no /proc")
	}
	ctx := context.Background()
	for _, halfway := range []bool{false, true} {
		dir := t.TempDir()
		l := &Local{Dir: dir, Command: func(string) []string {
			return []string{"/bin/sh", "-c", `setsid sleep 1000 & echo $! >` + dir + `/child.new; mv ` + dir + `/child.new ` + dir + `/child; exec sleep 1000`}
		}}
		in, err := l.Create(ctx, "t1", "n1")
		if err != nil {
			t.Fatal(err)
		}
		var child []byte
		for begin := time.Now(); len(child) == 0; time.Sleep(5 * time.Millisecond) {
			if child, _ = os.ReadFile(filepath.Join(dir, "child")); time.Since(begin) > 30*time.Second {
				t.Fatal("the daemon does not start")
			}
		}
		if halfway {
			if err := l.write("t1", "ended", []byte("2031-02-03T04:05:06Z")); err != nil {
				t.Fatal(err)
			}
			if _, err := l.List(ctx); err != nil {
				t.Fatal(err)
			}
		} else if _, err := l.Delete(ctx, in.ID); err != nil {
			t.Fatal(err)
		}
		for _, pid := range append(strings.Fields(string(child)), "daemon") {
			if pid == "daemon" {
				if runs, err := l.Running("t1"); runs || err != nil {
					t.Errorf("halfway %v: the daemon runs: %v, %v", halfway, runs, err)
				}
				continue
			}
			for begin := time.Now(); ; time.Sleep(5 * time.Millisecond) { // it is killed, and ends when it can
				stat, err := os.ReadFile("/proc/" + pid + "/stat")
				if err != nil || strings.Contains(string(stat), ") Z ") {
					break
				}
				if time.Since(begin) > 10*time.Second {
					t.Errorf("halfway %v: its child is left: %s", halfway, stat)
					if n, err := strconv.Atoi(pid); err == nil {
						syscall.Kill(n, syscall.SIGKILL)
					}
					break
				}
			}
		}
	}
}

// What a command says of its failure is cut, and acts on no terminal; what it says of a
// purchase is the reservations' name.
func TestExecSays(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	e := &Exec{ListCommand: `yes 0123456789 | head -c 3000000 >&2; printf 'the \033[2J end' >&2; exit 1`, Timeout: 20 * time.Second}
	if _, err := e.List(ctx); err == nil || len(err.Error()) > 700 || !strings.HasSuffix(err.Error(), `the \x1b[2J end`) {
		t.Errorf("it fails with %d bytes: %.900v", len(err.Error()), err)
	}
	e.BuyCommand = `echo "r-$PLIMSOLL_TOKEN: $PLIMSOLL_COUNT of $PLIMSOLL_CLASS for $PLIMSOLL_HOURS h"`
	r := Reservation{Token: "c-period1-0", Class: "1y light", Count: 3, Term: 36 * time.Hour}
	if id, err := e.Buy(ctx, r); err != nil || id != "r-c-period1-0: 3 of 1y light for 36 h" {
		t.Errorf("bought: %q, %v", id, err)
	}
	e.BuyCommand = "echo sold out >&2; exit 3"
	if _, err := e.Buy(ctx, r); !errors.Is(err, ErrRefused) || !strings.Contains(err.Error(), "sold out") {
		t.Errorf("refused: %v", err)
	}
}

// A quota refuses, and what is deleted makes room.
func TestLocalQuota(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	l := local(t, 0)
	l.Quota = 1
	if _, err := l.Create(ctx, "a", "n1"); err != nil {
		t.Fatal(err)
	}
	if _, err := l.Create(ctx, "b", "n2"); !errors.Is(err, ErrRefused) {
		t.Errorf("beyond the quota: %v", err)
	}
	if _, err := l.Delete(ctx, "a"); err != nil {
		t.Fatal(err)
	}
	if _, err := l.Create(ctx, "b", "n2"); err != nil {
		t.Error(err)
	}
	if in, err := l.Create(ctx, "a", "n1"); err != nil || in.Live() {
		t.Errorf("an instance that has ended, by its token: %+v, %v", in, err)
	}
}

// Leases are charged by hours begun, on a clock on which an hour takes two seconds.
func TestCharge(t *testing.T) {
	start := time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC)
	c := clock.New(start, 2*time.Second)
	all := []Instance{
		{Created: start, Ended: start.Add(2 * time.Second)},              // 1 h
		{Created: start, Ended: start.Add(2001 * time.Millisecond)},      // 2 h
		{Created: start.Add(time.Second)},                                // up to now: 2.5 h, 3 h
		{Created: start.Add(time.Second), Ended: start.Add(time.Second)}, // 1 h: it was begun
	}
	got, err := Charge(all, start.Add(6*time.Second), c, pricing.EC2Hourly, 2_400_000_000)
	want := Bill{Leases: 4, Charged: 7 * time.Hour, Cost: 7 * 2_400_000_000}
	if err != nil || got != want {
		t.Errorf("%+v, %v, want %+v", got, err, want)
	}
}
