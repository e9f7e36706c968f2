package lab

import (
	"fmt"
	"strings"

	"github.com/safchain/ethtool"

	"linerate/plan"
)

// features are the kernel's names behind the short names of ethtool -K.
func features(short string) []string {
	switch short {
	case "tso", "tcp-segmentation-offload":
		return []string{"tx-tcp-segmentation", "tx-tcp6-segmentation", "tx-tcp-ecn-segmentation", "tx-tcp-mangleid-segmentation"}
	case "gso", "generic-segmentation-offload":
		return []string{"tx-generic-segmentation"}
	case "gro", "generic-receive-offload":
		return []string{"rx-gro"}
	case "lro", "large-receive-offload":
		return []string{"rx-lro"}
	case "rx", "rx-checksumming":
		return []string{"rx-checksum"}
	case "tx", "tx-checksumming":
		return []string{"tx-checksum-ip-generic", "tx-checksum-ipv4", "tx-checksum-ipv6", "tx-checksum-sctp"}
	case "sg", "scatter-gather":
		return []string{"tx-scatter-gather", "tx-scatter-gather-fraglist"}
	case "rxvlan", "rx-vlan-offload":
		return []string{"rx-vlan-hw-parse"}
	case "txvlan", "tx-vlan-offload":
		return []string{"tx-vlan-hw-insert"}
	case "rxhash", "receive-hashing":
		return []string{"rx-hashing"}
	case "ntuple", "ntuple-filters":
		return []string{"rx-ntuple-filter"}
	}
	return []string{short}
}

// offload switches a feature of the interface on or off. It runs on the host's thread.
func offload(s plan.Setting) (note string) {
	want := s.Value == "on"
	what := fmt.Sprintf("offload %s %s on %s", s.Key, s.Value, s.Interface)
	e, err := ethtool.NewEthtool()
	if err != nil {
		return fmt.Sprintf("%s: %v", what, err)
	}
	defer e.Close()
	state, err := e.FeaturesWithState(s.Interface)
	if err != nil {
		return fmt.Sprintf("%s: %v", what, err)
	}
	change := map[string]bool{}
	for _, name := range features(s.Key) {
		if f, ok := state[name]; ok && f.Available && f.Active != want {
			change[name] = want
		}
	}
	if len(change) > 0 {
		if err := e.Change(s.Interface, change); err != nil {
			return fmt.Sprintf("%s: the kernel refused it (%v)", what, err)
		}
	}
	after, err := e.Features(s.Interface)
	if err != nil {
		return fmt.Sprintf("%s: %v", what, err)
	}
	var wrong []string
	found := false
	for _, name := range features(s.Key) {
		got, ok := after[name]
		found = found || ok && got == want
		if ok && got != want && state[name].Available {
			wrong = append(wrong, name)
		}
	}
	if len(wrong) > 0 {
		return fmt.Sprintf("%s: it stayed as it was (%s)", what, strings.Join(wrong, ", "))
	}
	if !found && want {
		return fmt.Sprintf("%s: a virtual link does not have it", what)
	}
	return ""
}
