// Package expander answers the cluster-autoscaler which node group to grow: the one whose
// nodes add least to the bill, given what is committed.
//
// The cluster-autoscaler asks over gRPC (--expander=grpc): service grpcplugin.Expander,
// method BestOptions. The messages on the wire are
//
//	BestOptionsRequest   1: repeated Option; 2: map<string, Node>; 3: map<string, bytes>
//	BestOptionsResponse  1: repeated Option
//	Option               1: string nodeGroupId; 2: int32 nodeCount; 3: string debug;
//	                     4: repeated Pod; 5: repeated bytes, a Pod each
//
// Fields 2 and 4 are those of a cluster-autoscaler before 1.35, fields 3 and 5 of a later
// one. A message inside a message looks on the wire like bytes, so one decoder reads both.
// Of a pod only the presence counts.
//
// # The choice
//
// The price of an option is what its nodes add to the bill of an hour, together, divided by
// the pods that the option helps. The least wins, at equal prices the option with fewer
// nodes, and then the group whose name is first in the order of bytes. The answer has that
// one option, and its nodes count as running from the answer on. A group
// of spot instances has the spot price of its kind. Options without a known price lose to
// options with one. If no option has a price, the answer has all of them: the expander has
// no opinion.
//
// A request with an option of fewer than 0 or more than [MaxNodes] nodes is refused.
package expander
