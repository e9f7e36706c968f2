package ethtool

import (
	"testing"

	"linerate/internal/facts"
	"linerate/internal/facts/parse/parsetest"
)

func FuzzEthtoolFeatures(f *testing.F) { parsetest.Fuzz(f, "ethtool -k *", parseEthtoolFeatures, nil) }

func FuzzEthtoolDriver(f *testing.F) { parsetest.Fuzz(f, "ethtool -i *", parseEthtoolDriver, nil) }

func FuzzEthtoolStats(f *testing.F) { parsetest.Fuzz(f, "ethtool -S *", parseEthtoolStats, nil) }

func FuzzEthtoolChannels(f *testing.F) {
	parsetest.Fuzz(f, "ethtool -l *", parseEthtoolChannels, func(t *testing.T, v ethtoolChannels) {
		if v.receive().Or(1) < 1 {
			t.Fatal(v)
		}
	})
}

func FuzzEthtoolLink(f *testing.F) {
	parsetest.Fuzz(f, "ethtool *", parsetest.Reading(ReadEthtoolLink), func(t *testing.T, v *facts.Facts) {
		if s := v.NIC("e1").Speed; s.IsKnown() && s.Or(0) <= 0 {
			t.Fatal(s)
		}
	})
}

func FuzzEthtoolModule(f *testing.F) {
	parsetest.Fuzz(f, "ethtool -m *", parsetest.Reading(readEthtoolModule), func(t *testing.T, v *facts.Facts) {
		if o := v.NIC("e1").Wire.Optic; o == nil || len(o.Lanes) > 16 {
			t.Fatal(o)
		}
	})
}

func FuzzEthtoolFEC(f *testing.F) {
	parsetest.Fuzz(f, "ethtool --show-fec *", parsetest.Reading(readEthtoolFEC), parsetest.CheckCounts)
}

func FuzzEthtoolPause(f *testing.F) {
	parsetest.Fuzz(f, "ethtool -a *", parsetest.Reading(readEthtoolPause), nil)
}

func FuzzEthtoolRings(f *testing.F) {
	parsetest.Fuzz(f, "ethtool -g *", parsetest.Reading(readEthtoolRings), nil)
}

func FuzzEthtoolCoalesce(f *testing.F) { parsetest.Fuzz(f, "ethtool -c *", parseEthtoolCoalesce, nil) }

func FuzzEthtoolFlags(f *testing.F) {
	parsetest.Fuzz(f, "ethtool --show-priv-flags *", parseEthtoolFlags, nil)
}

func FuzzEthtoolCounts(f *testing.F) {
	parsetest.Fuzz(f, "ethtool -S *", parsetest.Reading(readEthtoolStats), parsetest.CheckCounts)
}
