package main

// A set has the benchmarks of one package that are followed from change to change.
type set struct {
	pkg     string // folder
	pattern string // names of benchmarks without the prefix, separated by |, or the first parts of names
	was     string // where the benchmarks were before, if the package has moved since
}

// flagship are the benchmarks that stand for the library: the hot loop of each package
// at the size of its users, without files. Their names do not change without a line in
// CHANGELOG.md, since users compare them between versions.
var flagship = []set{
	{"pricing", `Bill/classes=6/slots=26280|Money/Over|SpotHistory/Quantile/days=30/prices=5000`, ""},
	{"forecast", `Update/model=blend|Forecast/what=quantile/steps=156/model=blend`, ""},
	{"forecast/smoothing", `Fit/model=blend/points=144/missing=0`, "forecast"},
	{"reserve/rules", `Plan/alg=hgr/slots=26280/instances=300/term=8760h|Plan/alg=sec/slots=26280/instances=300/term=8760h|Observe/rule=robust/term=720`, "reserve"},
	{"reserve/internal/flow", `Solve/classes=year|Solve/classes=six`, "internal/flow"},
	{"reserve/savings", `Savings/alg=exact/slots=26280/types=1/term=8760h/every=168|Savings/alg=exact/slots=26280/types=3/term=26280h/every=168`, "reserve"},
	{"schedule", `AppendStarts/alg=easy/waiting=10000|AppendStarts/alg=conservative/waiting=1000|Flow/alg=easy/order=submit/waiting=1000`, ""},
	{"schedule/elastic", `Policy/policy=AQTP/jobs=1000|Policy/policy=OD\+\+/jobs=1000|Environment/policy=aqtp/arrivals=poisson`, "schedule"},
	{"schedule/sim", `Waiting/alg=easy/jobs=2000|Waiting/alg=fcfs/jobs=20000|Run/log=lublin/mode=individual`, ""},
	{"schedule/spot", `BidPlannerSolve/work=4/deadline=24/every=0s/step=10m0s/levels=6|ChainEstimator/days=30/levels=6`, "schedule"},
	{"schedule/spot/spotsim", `SpotRun/rule=hedged`, "schedule/sim"},
	{"schedule/trace", `Next/in=plain|AppendDemand/rule=none`, ""},
	{"schedule/workload", `AppendLublin/jobs=typed|EstimatesTo`, ""},
	{"placement", `AppendSelect/policy=max-margin/idle=1000|Choose`, ""},
	{"preempt", `Victims/alg=exact/jobs=1000/nodes=3981|Victims/alg=greedy/jobs=1000/nodes=3981|ValuesTo/nodes=1000000/jobs=1000/policy=pap`, ""},
	{"preempt/exchange", `Exchange/do=renew/nodes=1000|Exchange/do=preempt/nodes=1000`, "preempt"},
	{"perfmodel", `Fit/model=cap3|Machine/fit/runs=42`, ""},
	{"perfmodel/sizing", `Plan/model=loglinear/confidence=0.95`, "perfmodel"},
	{"perfmodel/lsq", `LeastSquares/alg=ours/rows=100/cols=6`, "perfmodel"},
	{"federation", `Theta/alg=select/slots=1000|Share/centres=8/tasks=10000`, ""},
}
