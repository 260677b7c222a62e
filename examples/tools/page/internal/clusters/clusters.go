// Package clusters answers the questions of the rooms Cluster, Take back and Federation.
package clusters

import "github.com/plimsoll/plimsoll/examples/tools/page/internal/ask"

// Rooms are the questions of the rooms.
var Rooms = ask.Rooms{
	"clusters/read":   ask.Decoded(read),
	"cluster":         ask.Decoded(cluster),
	"cluster/compare": ask.Decoded(clusterCompare),
	"cluster/export":  ask.Decoded(clusterExport),

	"takeback":        ask.Decoded(takeBack),
	"takeback/export": ask.Decoded(takeExport),

	"federation":         ask.Decoded(federate),
	"federation/optimum": ask.Decoded(federationOptimum),
	"federation/tasks":   ask.Decoded(federationTasks),
	"federation/export":  ask.Decoded(federationExport),
	"federation/made-up": ask.Decoded(func(*struct{}) (*federationQuestion, error) { return federationMadeUp(), nil }),
}
