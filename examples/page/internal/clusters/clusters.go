// Package clusters answers the questions of the rooms Cluster, Take back and Federation.
package clusters

import "github.com/plimsoll/plimsoll/examples/page/internal/ask"

// Rooms are the questions of the rooms.
var Rooms = ask.Rooms{
	"clusters/read":   ask.Decoded(read),
	"cluster":         ask.Decoded(cluster),
	"cluster/compare": ask.Decoded(clusterCompare),
	"cluster/export":  ask.Decoded(clusterExport),
}
