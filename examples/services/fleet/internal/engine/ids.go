package engine

import (
	"context"
	"strings"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/util/hooks"
	fnpb "github.com/apache/beam/sdks/v2/go/pkg/beam/model/fnexecution_v1"
)

// A worker numbers its counters from 1, and tells the engine once what each number means.
// Prism 2.77 keeps one table of numbers for a job, so that two workers would overwrite each
// other's. ownNumbers puts a prefix before the numbers of this process.
func ownNumbers(prefix string) {
	const name = "fleet: own numbers of counters"
	hooks.RegisterHook(name, func(args []string) hooks.Hook {
		prefix := args[0]
		return hooks.Hook{
			Req: func(ctx context.Context, req *fnpb.InstructionRequest) (context.Context, error) {
				ids := req.GetMonitoringInfos().GetMonitoringInfoId()
				for i := range ids {
					ids[i] = strings.TrimPrefix(ids[i], prefix)
				}
				return ctx, nil
			},
			Resp: func(_ context.Context, _ *fnpb.InstructionRequest, resp *fnpb.InstructionResponse) error {
				if r := resp.GetProcessBundle(); r != nil {
					r.MonitoringData = prefixed(prefix, r.MonitoringData)
				}
				if r := resp.GetProcessBundleProgress(); r != nil {
					r.MonitoringData = prefixed(prefix, r.MonitoringData)
				}
				if r := resp.GetMonitoringInfos(); r != nil {
					r.MonitoringInfo = prefixed(prefix, r.MonitoringInfo)
				}
				return nil
			},
		}
	})
	hooks.EnableHook(name, prefix)
	hooks.SerializeHooksToOptions()
}

func prefixed[V any](prefix string, m map[string]V) map[string]V {
	all := make(map[string]V, len(m))
	for id, v := range m {
		all[prefix+id] = v
	}
	return all
}
