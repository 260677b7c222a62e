// Package trace reads and writes job logs in the Standard Workload Format and
// turns them into jobs that hold instances.
package trace
