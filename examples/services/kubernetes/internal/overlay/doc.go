// Package overlay publishes the prices of package marginal in a cluster: it counts the
// running instances, and keeps one NodeOverlay of Karpenter for each kind that costs less
// than on demand.
//
//	c := overlay.Controller{Kube: client, Dynamic: dynamic, Inputs: inputs, Options: options}
//	err := c.Run(ctx) // until ctx ends
//
// # What is owned
//
// The controller writes NodeOverlay objects that carry its label, and nothing else. An
// object of the same name without the label stays as it is, and the log says so. All state
// is in the cluster and in the files, so a controller that starts again goes on where the
// last one was, and two controllers with the same files write the same objects.
//
// # How far a commitment can be overbooked
//
// A price holds for one more round of launches. Karpenter plans a round for the pods that
// wait, and a NodeOverlay has no number of instances in it. So a round can launch more
// instances of a kind than are left, and the next round cannot. An instance counts from the
// moment its NodeClaim names the kind, before the node is there. The controller then
// withdraws the overlay or raises its price at once. Options.Round prices a whole round
// instead of one instance, so that a round which mostly runs on demand is not cheap.
package overlay
