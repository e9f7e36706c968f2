package run

import (
	"linerate/internal/base/method"
	"linerate/internal/design/fabric"
	"linerate/internal/design/plan"
	"linerate/internal/facts"
	"linerate/internal/run/command"
	"linerate/internal/run/experiment"
	"linerate/internal/run/filecopy"
	"linerate/internal/run/halo"
	"linerate/internal/run/network"
	"linerate/internal/run/storage"
)

// expanders is the table of the methods. Each makes the combinations of an experiment that names it, in the order of
// the file; parameters multiply, a later one running fastest. A combination that cannot be measured has the reason in
// NotRun.
var expanders = map[string]func(*plan.Plan, *fabric.Experiment, experiment.Options) []*experiment.Combination{
	method.Throughput: network.Throughput,
	method.Latency:    network.Latency,
	method.RDMA:       network.RDMA,
	method.Acceptance: network.Acceptance,
	method.Lossless:   network.Lossless,
	method.Halo:       halo.Expand,
	method.Command:    command.Expand,
	method.Storage:    storage.Expand,
	method.Copy:       filecopy.Expand,
}

// offloadState is on if any feature of an offload is, as ethtool -k shows it.
func offloadState(nic *facts.Interface, short string) string {
	if nic == nil {
		return "no interface of this name"
	}
	have := "not known"
	for _, feature := range plan.OffloadFeatures(short) {
		on, ok := nic.Offloads[feature]
		switch {
		case ok && on:
			return "on"
		case ok:
			have = "off"
		}
	}
	return have
}
