// Package mpiprofile reads what profilers of MPI programs write, TAU and mpiP, and models
// the communication of a program by MPI function.
//
//	first, err := mpiprofile.ReadTAU(file0) // profile.0.0.0, a file for each process
//	second, err := mpiprofile.ReadTAU(file1)
//	run, err := mpiprofile.Mean([]mpiprofile.Process{first, second}) // seconds, and seconds by function
//	...
//	var model mpiprofile.Model
//	err = model.Fit(&profile) // profile.Runs has the times, profile.Seconds those of the functions
//	estimate, err := perfmodel.At(&model, []float64{32e6}, 64)
//
// The program examples/tools/cap3 does this for folders and reports: cap3 profile.
//
// A profile of a few runs is enough to predict the time of each MPI function on more
// processes, and so to decide how many processes to rent (package perfmodel).
//
//	You have                                  You want                            Call
//	profile.N.0.0, written by TAU             the times of one process            ReadTAU
//	the times of all processes                the mean times of the run           Mean
//	a report of mpiP                          the mean times of the run           ReadMPIP
//	a table with columns such as MPI_Send     profiles with functions             ReadProfiles
//	a profile with functions                  a table                             WriteProfiles
//	the same                                  the run time on other processes     Model.Fit, Model.EstimateTo
//
// # Problem
//
// [Huang13] section II.B profiles a program with TAU, takes the mean time of each function,
// and classifies the time: what MPI functions take is communication, T_N, and the rest is
// computation, T_C. The paper fits T_N by the operation: proportional to log P or to
// P·log P, as [PjesivacGrbovic07] says of each MPI function.
//
// # Algorithms
//
// Model fits T_C by Eq. (2), and the time of each MPI function by Eq. (3) or Eq. (4), as the
// function's messages travel, and adds the predictions. A function needs a time above 0 in
// every run on more than one process. The times of all other functions are added
// and fitted together, by Eq. (3). If that sum is 0 in some run, it is added to the function
// that takes most. So the parts of a run add up to its communication. No bound is known for
// the error of a prediction.
//
// # Formats
//
// TAU writes a text file for each thread. The file has a line with the number of functions,
// a line of titles, and a line for each function with calls, subroutines, exclusive and
// inclusive microseconds. Then come the numbers of aggregates and of user events. Call
// paths ("main => f") repeat times of other lines and are left out. The titles may have
// metadata: the time at which the process started, and the number of processes of the run.
// Without that number, the caller must compare Run.Processes with the number of processes
// that the program was started on: nothing else tells whether files are missing. mpiP writes a report with the
// application's and MPI's seconds of each process, and the milliseconds of each call site.
// A file that ends early is an error: its times would be too short. So are files of
// different runs.
//
// # Units
//
// Times are seconds. Times of a run are means over its processes.
//
// # Allocation and concurrency
//
// The readers allocate. A fitted Model estimates without allocating. A Model is for one
// goroutine at a time.
//
// # References
//
// [Huang13] and [PjesivacGrbovic07]: see package perfmodel.
//
// [Shende06] S. Shende, A. Malony, "The TAU Parallel Performance System", International
// Journal of High Performance Computing Applications 20(2), 2006.
//
// [Vetter05] J. Vetter, C. Chambreau, "mpiP: Lightweight, Scalable MPI Profiling", 2005.
package mpiprofile
