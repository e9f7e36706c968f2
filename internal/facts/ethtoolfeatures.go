package facts

import (
	"strings"
)

// features are a device's offloads by the kernel's names. Fixed ones cannot be
// switched; requested ones are wanted but not in effect, or the other way round.
type features struct {
	On, Fixed map[string]bool
}

// featureGroups are the names of ethtool's own that stand for kernel features, in
// its order. Those of one feature are printed instead of it, those of several
// before them.
// Source: ethtool's common.c, off_flag_def.
func featureGroups() []featureGroup {
	return []featureGroup{
		{"rx-checksumming", []string{"rx-checksum"}},
		{"tx-checksumming", []string{"tx-checksum-ipv4", "tx-checksum-ip-generic", "tx-checksum-ipv6", "tx-checksum-fcoe-crc", "tx-checksum-sctp"}},
		{"scatter-gather", []string{"tx-scatter-gather", "tx-scatter-gather-fraglist"}},
		{"tcp-segmentation-offload", []string{"tx-tcp-segmentation", "tx-tcp-ecn-segmentation", "tx-tcp-mangleid-segmentation", "tx-tcp6-segmentation", "tx-tcp-accecn-segmentation"}},
		{"udp-fragmentation-offload", []string{"tx-udp-fragmentation"}},
		{"generic-segmentation-offload", []string{"tx-generic-segmentation"}},
		{"generic-receive-offload", []string{"rx-gro"}},
		{"large-receive-offload", []string{"rx-lro"}},
		{"rx-vlan-offload", []string{"rx-vlan-hw-parse"}},
		{"tx-vlan-offload", []string{"tx-vlan-hw-insert"}},
		{"ntuple-filters", []string{"rx-ntuple-filter"}},
		{"receive-hashing", []string{"rx-hashing"}},
	}
}

type featureGroup struct {
	name     string
	features []string
}

// parseEthtoolFeatures reads "ethtool -k X": "NAME: on|off [fixed]|[requested on]".
// Names of ethtool's own are turned into the kernel's; one that stands for several
// counts for its first feature where the output (of old releases) lists none.
// Format: https://man7.org/linux/man-pages/man8/ethtool.8.html, ethtool's netlink/features.c.
func parseEthtoolFeatures(text []byte) (features, error) {
	f := features{On: map[string]bool{}, Fixed: map[string]bool{}}
	for line := range strings.Lines(string(text)) {
		name, value, ok := strings.Cut(line, ":")
		words := strings.Fields(value)
		if !ok || len(words) == 0 || words[0] != "on" && words[0] != "off" {
			continue
		}
		name = strings.ReplaceAll(strings.TrimSpace(name), " ", "-") // releases before 3.x
		f.On[name] = words[0] == "on"
		if len(words) > 1 && words[1] == "[fixed]" {
			f.Fixed[name] = true
		}
	}
	if len(f.On) == 0 {
		return features{}, toolError(text)
	}
	for _, g := range featureGroups() {
		on, ok := f.On[g.name]
		fixed := f.Fixed[g.name]
		delete(f.On, g.name)
		delete(f.Fixed, g.name)
		if _, listed := f.On[g.features[0]]; !ok || listed || anyListed(f.On, g.features) {
			continue
		}
		f.On[g.features[0]] = on
		if fixed {
			f.Fixed[g.features[0]] = true
		}
	}
	return f, nil
}

func anyListed(on map[string]bool, names []string) bool {
	for _, name := range names {
		if _, ok := on[name]; ok {
			return true
		}
	}
	return false
}

func putEthtoolFeatures(f *Facts, args []string, v features) {
	nic := f.nic(args[0])
	nic.Offloads, nic.Fixed = v.On, v.Fixed
}
