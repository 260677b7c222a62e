// Package rules plans purchases of reservations by published rules: the planners that papers and
// tools use instead of the optimum, online rules, and the online portfolio.
package rules
