package run

import (
	"linerate/internal/design/plan"
	"linerate/internal/facts"
)

// offload is what an interface has of an offload: on if any of its features is, as ethtool -k shows it.
func offload(nic *facts.Interface, short string) string {
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
