package main

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/plimsoll/plimsoll/examples/internal/programtest"
	"github.com/plimsoll/plimsoll/examples/internal/shared"
)

// By hand, TestIndividual's log with job 9 of nobody: jobs 1, 3 and 4 of user 1 use 600 + 30
// + 400 instance-seconds, job 2 of user 2 uses 8,000, job 9 60, of 9,090. Alone they are
// 6, 4 and 1 instance-hours of 2.40, 26.40 in all, which is what the users of individual pay.
func TestUsers(t *testing.T) {
	log := strings.Replace(small, "9 7200 0 60 1 -1 -1 1 60 -1 1 1 ", "9 7200 0 60 1 -1 -1 1 60 -1 1 -1 ", 1)
	path := programtest.Write(t, "log", log)
	users := filepath.Join(t.TempDir(), "users.csv")
	text, _ := tested.Must(t, "-trace", path, "-cores-per-node", "2", "-mode", "individual", "-users", users)
	want := "user,jobs,instance_hours,pays,alone,saved_by_use,saved_by_shapley,standard_error,pays_by_shapley\n" +
		"1,3,0.286111,14.4,14.4,0,0,0,14.4\n" +
		"2,1,2.222222,9.6,9.6,0,0,0,9.6\n" +
		"unknown,1,0.016667,2.4,2.4,0,0,0,2.4\n"
	if diff := cmp.Diff(want, programtest.Read(t, users)); diff != "" {
		t.Errorf("-users (-want +got):\n%s", diff)
	}
	if !strings.Contains(text, "Users of individual: each pays for the instances of the user's own jobs, $26.40\n  in all.") || strings.Contains(text,
		"than alone") {
		t.Errorf("the text does not say that nothing is divided:\n%s", text)
	}
	if plain, _ := tested.Must(t, "-trace", path, "-cores-per-node", "2", "-mode", "individual"); strings.Contains(plain, "alone") {
		t.Errorf("users without -users:\n%s", plain)
	}
}

// The users of SDSC-DS (BENCHMARKS.md): who pays more than alone without reservations, and
// that nobody does with them.
func TestUsersOfDataStar(t *testing.T) {
	path := shared.File(t, "traces/SDSC-DS-2004-2.1-cln.swf.gz")
	for mode, want := range map[string]string{
		"sec": "Users of sec: 455 users pay $1,824,163.20 by use; 364 less than alone, 91 more.\n" +
			"More than alone: user 69, $41,325.53 instead of $35,769.60 (+15.5%);",
		"hybrid": "Users of hybrid: 455 users pay $798,731.04 by use; 455 less than alone, 0 more.\n" +
			"Nobody pays more than alone. The nearest is user 69, $18,094.86 instead of",
	} {
		if text, _ := tested.Must(t, "-trace", path, "-mode", mode, "-users", filepath.Join(t.TempDir(), "users.csv")); !strings.Contains(text, want) {
			t.Errorf("%s: want %q:\n%s", mode, want, text)
		}
	}
}

// Job 2 has no user, and job 3 that of a weight: it starts first when the node is free.
func TestWeightsAndAJobWithoutAUser(t *testing.T) {
	line := func(id, submit, user int) string {
		return fmt.Sprintf("%d %d -1 600 1 -1 -1 1 600 -1 1 %d 1 -1 -1 -1 -1 -1\n", id, submit, user)
	}
	path := programtest.Write(t, "log", line(1, 0, 2)+line(2, 10, -1)+line(3, 20, 3))
	jobs := filepath.Join(t.TempDir(), "jobs.csv")
	for weights, want := range map[string]string{
		"user,3,1\n":  "id,submit_s,start_s,wait_s,nodes,user\n1,0,0,0,1,2\n2,10,1200,1190,1,-1\n3,20,600,580,1,3\n",
		"user,3,-1\n": "id,submit_s,start_s,wait_s,nodes,user\n1,0,0,0,1,2\n2,10,600,590,1,-1\n3,20,1200,1180,1,3\n",
	} {
		tested.Must(t, "-trace", path, "-cores-per-node", "1", "-mode", "local", "-nodes", "1", "-weights", programtest.Write(t, "w", weights), "-jobs", jobs)
		if diff := cmp.Diff(want, programtest.Read(t, jobs)); diff != "" {
			t.Errorf("%q (-want +got):\n%s", weights, diff)
		}
	}
}
