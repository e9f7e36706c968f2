package ethtool

import (
	"strings"

	"linerate/internal/facts/parse"
)

// features are a device's offloads by the kernel's names. Fixed ones cannot be changed; requested ones are not in
// effect as requested.
type features struct {
	On, Fixed map[string]bool
}

// FeatureGroups are ethtool's own names for kernel features, in its order. The name of a single feature is printed
// instead of it, the name of several before them. Source: ethtool's common.c, off_flag_def.
func FeatureGroups() []featureGroup {
	return []featureGroup{
		{"rx-checksumming", []string{"rx-checksum"}},
		{"tx-checksumming", []string{"tx-checksum-ipv4", "tx-checksum-ip-generic", "tx-checksum-ipv6",
			"tx-checksum-fcoe-crc", "tx-checksum-sctp"}},
		{"scatter-gather", []string{"tx-scatter-gather", "tx-scatter-gather-fraglist"}},
		{"tcp-segmentation-offload", []string{"tx-tcp-segmentation", "tx-tcp-ecn-segmentation",
			"tx-tcp-mangleid-segmentation", "tx-tcp6-segmentation", "tx-tcp-accecn-segmentation"}},
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
	Name     string
	Features []string
}

// parseEthtoolFeatures reads "ethtool -k X": "NAME: on|off [fixed]|[requested on]". It converts ethtool's own names to
// the kernel's. A name of several features counts for the first one if the output (of old releases) lists none. Format:
// https://man7.org/linux/man-pages/man8/ethtool.8.html, ethtool's netlink/features.c.
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
		return features{}, parse.ToolError(text)
	}
	for _, g := range FeatureGroups() {
		on, ok := f.On[g.Name]
		fixed := f.Fixed[g.Name]
		delete(f.On, g.Name)
		delete(f.Fixed, g.Name)
		if _, listed := f.On[g.Features[0]]; !ok || listed || anyListed(f.On, g.Features) {
			continue
		}
		f.On[g.Features[0]] = on
		if fixed {
			f.Fixed[g.Features[0]] = true
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

func putEthtoolFeatures(f *parse.Builder, args []string, v features) {
	nic := f.Interface(args[0])
	nic.Offloads, nic.Fixed = v.On, v.Fixed
}
