package mpiprofile_test

import (
	"fmt"
	"strings"

	"github.com/plimsoll/plimsoll/perfmodel"
	"github.com/plimsoll/plimsoll/perfmodel/mpiprofile"
)

// Does a faster network help? Profiles of small runs tell: on 64 processes the program
// spends its time in the all-to-all exchange, which grows with the number of processes.
func ExampleModel() {
	profiles, err := mpiprofile.ReadProfiles(strings.NewReader(`points,processes,seconds,MPI_Allreduce,MPI_Alltoall
1e6,1,40.0,0,0
1e6,2,21.2,0.2,1.0
1e6,4,14.4,0.4,4.0
1e6,8,17.6,0.6,12.0
4e6,1,160.0,0,0
4e6,2,84.2,0.2,4.0
4e6,4,56.4,0.4,16.0
4e6,8,68.6,0.6,48.0
`))
	if err != nil {
		panic(err)
	}
	var model mpiprofile.Model
	if err := model.Fit(&profiles[0]); err != nil {
		panic(err)
	}
	for _, processes := range []int{8, 64} {
		whole, err := perfmodel.At(&model, []float64{4e6}, processes)
		if err != nil {
			panic(err)
		}
		fmt.Printf("%d processes: %.0f s", processes, whole.Seconds)
		_, parts := model.Parts()
		for k, part := range parts {
			e, err := perfmodel.At(part, []float64{4e6}, processes)
			if err != nil {
				panic(err)
			}
			fmt.Printf(", %s %.1f s", model.Functions()[k], e.Seconds)
		}
		fmt.Println()
	}
	// Output:
	// 8 processes: 69 s, MPI_Allreduce 0.6 s, MPI_Alltoall 48.0 s
	// 64 processes: 772 s, MPI_Allreduce 1.2 s, MPI_Alltoall 768.0 s
}

// The files of a run on two processes, as TAU writes them.
func ExampleReadTAU() {
	files := []string{`2 templated_functions_MULTI_TIME
# Name Calls Subrs Excl Incl ProfileCalls
"main" 1 20 8000000 10000000 0 GROUP="TAU_USER"
"MPI_Allreduce()" 20 0 2000000 2000000 0 GROUP="MPI"
0 aggregates
`, `2 templated_functions_MULTI_TIME
# Name Calls Subrs Excl Incl ProfileCalls
"main" 1 20 7000000 10000000 0 GROUP="TAU_USER"
"MPI_Allreduce()" 20 0 3000000 3000000 0 GROUP="MPI"
0 aggregates
`}
	var processes []mpiprofile.Process
	for _, f := range files {
		p, err := mpiprofile.ReadTAU(strings.NewReader(f))
		if err != nil {
			panic(err)
		}
		processes = append(processes, p)
	}
	run, err := mpiprofile.Mean(processes)
	if err != nil {
		panic(err)
	}
	fmt.Printf("T %.1f s, T_C %.1f s, T_N %.1f s\n", run.Seconds, run.Computation(), run.Communication)
	begin, _, _ := strings.Cut(files[0], `"MPI_Allreduce`) // the disk was full
	_, err = mpiprofile.ReadTAU(strings.NewReader(begin))
	fmt.Println(err)
	// Output:
	// T 10.0 s, T_C 7.5 s, T_N 2.5 s
	// mpiprofile: line 4 (functions): the file ends early: after 1 of 2 functions: want all of them
}
