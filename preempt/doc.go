// Package preempt decides which nodes a partition gives back when its host
// wants some of them, and carries the exchange between the two.
package preempt
