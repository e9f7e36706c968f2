package facts

import "testing"

// reads makes a parser of a source that writes into the facts itself, for the interface e1.
func reads(read func(f *Facts, args []string, text []byte) error) func([]byte) (*Facts, error) {
	return func(text []byte) (*Facts, error) {
		f := new(Facts)
		err := read(f, []string{"e1"}, text)
		return f, err
	}
}

// counted is what holds of any counters and events.
func countedRight(t *testing.T, f *Facts) {
	if len(f.Counts) > 1<<16 || len(f.Events) > 1<<16 {
		t.Fatalf("%d counters, %d events", len(f.Counts), len(f.Events))
	}
	for _, e := range f.Events {
		if e.Count < 1 || e.What == "" {
			t.Fatal(e)
		}
	}
	for _, c := range f.Counts {
		if c.What == "" {
			t.Fatal(c)
		}
	}
}

func FuzzEthtoolModule(f *testing.F) {
	fuzz(f, "ethtool -m *", reads(readEthtoolModule), func(t *testing.T, v *Facts) {
		if o := v.nic("e1").Wire.Optic; o == nil || len(o.Lanes) > 16 {
			t.Fatal(o)
		}
	})
}
func FuzzEthtoolFEC(f *testing.F) {
	fuzz(f, "ethtool --show-fec *", reads(readEthtoolFEC), countedRight)
}
func FuzzEthtoolPause(f *testing.F)    { fuzz(f, "ethtool -a *", reads(readEthtoolPause), nil) }
func FuzzEthtoolRings(f *testing.F)    { fuzz(f, "ethtool -g *", reads(readEthtoolRings), nil) }
func FuzzEthtoolCoalesce(f *testing.F) { fuzz(f, "ethtool -c *", parseEthtoolCoalesce, nil) }
func FuzzEthtoolFlags(f *testing.F)    { fuzz(f, "ethtool --show-priv-flags *", parseEthtoolFlags, nil) }
func FuzzEthtoolCounts(f *testing.F)   { fuzz(f, "ethtool -S *", reads(readEthtoolStats), countedRight) }
func FuzzIPAddressText(f *testing.F)   { fuzz(f, "ip address", reads(readIPAddress), countedRight) }
func FuzzLinuxIfconfig(f *testing.F)   { fuzz(f, "ifconfig", reads(readLinuxIfconfig), countedRight) }
func FuzzNetstatInterfaces(f *testing.F) {
	fuzz(f, "netstat -i", reads(readNetstatInterfaces), countedRight)
}
func FuzzSoftnetCounts(f *testing.F) {
	fuzz(f, "proc/net/softnet_stat", reads(readSoftnet), countedRight)
}
func FuzzLinuxLog(f *testing.F) {
	fuzz(f, "dmesg", func(text []byte) (*Facts, error) {
		v := new(Facts)
		return v, readLinuxLog(v, text)
	}, countedRight)
}
