package facts

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/safchain/ethtool"
	"golang.org/x/sys/unix"
)

// ethtool adds what the drivers say of their devices, in the form in which ethtool
// prints it. Loopback has nothing to say.
func (c *collector) ethtool(links []ipLink) {
	e, err := ethtool.NewEthtool()
	if err != nil {
		c.unknown("ethtool", err)
		return
	}
	defer e.Close()
	for _, l := range links {
		if l.LinkType == "loopback" {
			continue
		}
		name := l.Name
		c.read("ethtool "+name, func() ([]byte, error) { return renderLinkSettings(e, name) })
		c.read("ethtool -i "+name, func() ([]byte, error) {
			d, err := e.DriverInfo(name)
			if err != nil {
				return nil, err
			}
			return fmt.Appendf(nil, "driver: %s\nversion: %s\nfirmware-version: %s\nexpansion-rom-version: %s\nbus-info: %s\n",
				d.Driver, d.Version, d.FwVersion, d.EromVersion, d.BusInfo), nil
		})
		c.read("ethtool -k "+name, func() ([]byte, error) {
			states, err := e.FeaturesWithState(name)
			if err != nil {
				return nil, err
			}
			return renderFeatures(name, states), nil
		})
		c.read("ethtool -l "+name, func() ([]byte, error) {
			ch, err := e.GetChannels(name)
			if err != nil {
				return nil, err
			}
			return fmt.Appendf(nil, "Channel parameters for %s:\nPre-set maximums:\nRX:\t\t%d\nTX:\t\t%d\nOther:\t\t%d\nCombined:\t%d\n"+
				"Current hardware settings:\nRX:\t\t%d\nTX:\t\t%d\nOther:\t\t%d\nCombined:\t%d\n",
				name, ch.MaxRx, ch.MaxTx, ch.MaxOther, ch.MaxCombined, ch.RxCount, ch.TxCount, ch.OtherCount, ch.CombinedCount), nil
		})
		c.read("ethtool -S "+name, func() ([]byte, error) {
			counters, err := e.Stats(name)
			if err != nil {
				return nil, err
			}
			if len(counters) == 0 {
				return nil, unix.EOPNOTSUPP
			}
			var b strings.Builder
			b.WriteString("NIC statistics:\n")
			for _, key := range slices.Sorted(maps.Keys(counters)) {
				fmt.Fprintf(&b, "     %s: %d\n", key, counters[key])
			}
			return []byte(b.String()), nil
		})
	}
}

// renderLinkSettings asks the older call: the newer one's binding may print to
// standard output, which the agent's protocol runs over.
func renderLinkSettings(e *ethtool.Ethtool, name string) ([]byte, error) {
	var cmd ethtool.EthtoolCmd
	speed, err := e.CmdGet(&cmd, name)
	if err != nil {
		return nil, err
	}
	var b strings.Builder
	fmt.Fprintf(&b, "Settings for %s:\n", name)
	if speed == 0 || speed >= 1<<31 {
		b.WriteString("\tSpeed: Unknown!\n")
	} else {
		fmt.Fprintf(&b, "\tSpeed: %dMb/s\n", speed)
	}
	switch cmd.Duplex {
	case 0: // DUPLEX_HALF of linux/ethtool.h
		b.WriteString("\tDuplex: Half\n")
	case 1: // DUPLEX_FULL
		b.WriteString("\tDuplex: Full\n")
	default:
		fmt.Fprintf(&b, "\tDuplex: Unknown! (%d)\n", cmd.Duplex)
	}
	if up, err := e.LinkState(name); err == nil {
		fmt.Fprintf(&b, "\tLink detected: %s\n", map[bool]string{true: "yes", false: "no"}[up != 0])
	}
	return []byte(b.String()), nil
}

// renderFeatures prints the groups first, each with its features if there are
// several, then the features of no group.
func renderFeatures(name string, states map[string]ethtool.FeatureState) []byte {
	var b strings.Builder
	fmt.Fprintf(&b, "Features for %s:\n", name)
	grouped := map[string]bool{}
	for _, g := range featureGroups() {
		var all ethtool.FeatureState
		n := 0
		for _, feature := range g.features {
			if s, ok := states[feature]; ok {
				grouped[feature] = true
				n++
				all.Active = all.Active || s.Active
				all.Requested = all.Requested || s.Requested
				all.Available = all.Available || s.Available && !s.NeverChanged
			}
		}
		if n == 0 {
			continue
		}
		if len(g.features) == 1 {
			renderFeature(&b, "", g.name, states[g.features[0]])
			continue
		}
		fmt.Fprintf(&b, "%s: %s\n", g.name, onOff(all.Active))
		for _, feature := range g.features {
			if s, ok := states[feature]; ok {
				renderFeature(&b, "\t", feature, s)
			}
		}
	}
	for _, feature := range slices.Sorted(maps.Keys(states)) {
		if !grouped[feature] {
			renderFeature(&b, "", feature, states[feature])
		}
	}
	return []byte(b.String())
}

func renderFeature(b *strings.Builder, indent, name string, s ethtool.FeatureState) {
	note := ""
	switch {
	case !s.Available || s.NeverChanged:
		note = " [fixed]"
	case s.Requested != s.Active:
		note = " [requested " + onOff(s.Requested) + "]"
	}
	fmt.Fprintf(b, "%s%s: %s%s\n", indent, name, onOff(s.Active), note)
}

func onOff(on bool) string {
	if on {
		return "on"
	}
	return "off"
}
