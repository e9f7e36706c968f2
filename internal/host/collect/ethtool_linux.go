package collect

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/safchain/ethtool"
	"golang.org/x/sys/unix"

	ethtooltext "linerate/internal/facts/parse/ethtool"
	"linerate/internal/facts/parse/iproute"
)

// ethtool adds what the drivers report of their devices, in the form in which ethtool prints it. Loopback has no
// driver.
func (c *collector) ethtool(links []iproute.Link) {
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
		if l.Device != "" {
			c.wire(e, name)
		}
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
			return fmt.Appendf(nil, "Channel parameters for %s:\nPre-set "+
				"maximums:\nRX:\t\t%d\nTX:\t\t%d\nOther:\t\t%d\nCombined:\t%d\n"+
				"Current hardware settings:\nRX:\t\t%d\nTX:\t\t%d\nOther:\t\t%d\nCombined:\t%d\n",
				name, ch.MaxRx, ch.MaxTx, ch.MaxOther, ch.MaxCombined, ch.RxCount, ch.TxCount, ch.OtherCount, ch.CombinedCount), nil
		})
		c.statistics(e, name)
	}
}

// nicStatistics adds the adapters' own counters.
func (c *collector) nicStatistics(links []iproute.Link) {
	e, err := ethtool.NewEthtool()
	if err != nil {
		c.unknown("ethtool", err)
		return
	}
	defer e.Close()
	for _, l := range links {
		if l.LinkType != "loopback" {
			c.statistics(e, l.Name)
		}
	}
}

func (c *collector) statistics(e *ethtool.Ethtool, name string) {
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

// renderFeatures prints the groups first, each with its features if there are several, then the features of no group.
func renderFeatures(name string, states map[string]ethtool.FeatureState) []byte {
	var b strings.Builder
	fmt.Fprintf(&b, "Features for %s:\n", name)
	grouped := map[string]bool{}
	for _, g := range ethtooltext.FeatureGroups() {
		var all ethtool.FeatureState
		n := 0
		for _, feature := range g.Features {
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
		if len(g.Features) == 1 {
			renderFeature(&b, "", g.Name, states[g.Features[0]])
			continue
		}
		fmt.Fprintf(&b, "%s: %s\n", g.Name, onOff(all.Active))
		for _, feature := range g.Features {
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
