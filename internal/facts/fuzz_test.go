package facts

import (
	"net/netip"
	"os"
	"strings"
	"testing"
)

// seed gives a fuzz target the sources of the fixtures that its parser is for.
func seed(f *testing.F, pattern string) {
	entries, err := os.ReadDir("testdata")
	if err != nil {
		f.Fatal(err)
	}
	for _, e := range entries {
		text, err := os.ReadFile("testdata/" + e.Name())
		if e.IsDir() || err != nil {
			continue
		}
		for _, file := range parseArchive(text).Files {
			if _, ok := match(pattern, canonical(file.Name)); ok {
				f.Add(file.Data)
				f.Add(file.Data[:len(file.Data)*2/3])
			}
		}
	}
	f.Add([]byte{})
	f.Add([]byte("[{}]"))
	f.Add([]byte(":\n"))
}

// fuzz runs a parser; it must not panic, and when it fails say so in one line that
// is not empty and not long.
func fuzz[T any](f *testing.F, pattern string, parse func([]byte) (T, error), check func(t *testing.T, v T)) {
	seed(f, pattern)
	f.Fuzz(func(t *testing.T, text []byte) {
		v, err := parse(text)
		if err != nil {
			if s := err.Error(); s == "" || len(s) > 1000 || strings.Contains(s, "\n") {
				t.Fatalf("error %q", s)
			}
			return
		}
		if check != nil {
			check(t, v)
		}
	})
}

func FuzzParse(f *testing.F) {
	entries, _ := os.ReadDir("testdata")
	for _, e := range entries {
		if text, err := os.ReadFile("testdata/" + e.Name()); err == nil {
			f.Add(text)
		}
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		v, err := Parse(text)
		if err != nil || strings.Contains(string(text), "internal error") { // of the text itself
			return
		}
		for _, u := range v.Unknown {
			if strings.Contains(u.Reason, "internal error") {
				t.Fatal(u)
			}
		}
		v.RouteTo(netip.MustParseAddr("10.0.0.1"))
		for _, nic := range v.NICs {
			if nic.Name == "" {
				t.Fatal("an interface without a name")
			}
		}
	})
}

func FuzzStat(f *testing.F) {
	fuzz(f, "proc/stat", parseStat, func(t *testing.T, v []CoreTime) {
		for _, c := range v {
			if c.Core < 0 || c.User < 0 || c.Steal < 0 {
				t.Fatal(c)
			}
		}
	})
}
func FuzzCPUInfo(f *testing.F) { fuzz(f, "proc/cpuinfo", parseCPUInfo, nil) }
func FuzzMemInfo(f *testing.F) {
	fuzz(f, "proc/meminfo", parseMemInfo, func(t *testing.T, v memInfo) {
		if v.Total.Or(0) <= 0 {
			t.Fatal(v)
		}
	})
}
func FuzzSoftnet(f *testing.F) { fuzz(f, "proc/net/softnet_stat", parseSoftnet, nil) }
func FuzzSNMP(f *testing.F)    { fuzz(f, "proc/net/netstat", parseSNMP, nil) }
func FuzzSNMP6(f *testing.F)   { fuzz(f, "proc/net/snmp6", parseSNMP6, nil) }
func FuzzSysctl(f *testing.F) {
	fuzz(f, "sysctl", parseSysctl, func(_ *testing.T, v map[string]string) { putSysctls(new(Facts), nil, v) })
}
func FuzzValue(f *testing.F) {
	fuzz(f, "sys/class/net/*/*", parseValue, func(_ *testing.T, v string) { putNetClassAll(v) })
}
func FuzzCounter(f *testing.F) { fuzz(f, "sys/class/net/*/statistics/*", parseCounter, nil) }
func FuzzIPLink(f *testing.F) {
	fuzz(f, "ip link", parseIPLink, func(_ *testing.T, v []ipLink) { putIPLink(new(Facts), nil, v) })
}
func FuzzIPAddress(f *testing.F) {
	fuzz(f, "ip address", parseIPAddress, func(t *testing.T, v map[string][]netip.Prefix) {
		for _, addresses := range v {
			for _, a := range addresses {
				if !a.IsValid() {
					t.Fatal(a)
				}
			}
		}
	})
}
func FuzzIPRoute(f *testing.F) {
	fuzz(f, "ip route", parseIPRoute, func(t *testing.T, v []Route) {
		for _, r := range v {
			if !r.Dst.IsValid() {
				t.Fatal(r)
			}
		}
	})
}
func FuzzIPRule(f *testing.F) { fuzz(f, "ip rule", parseIPRule, nil) }
func FuzzTCQdisc(f *testing.F) {
	fuzz(f, "tc qdisc", parseTCQdisc, func(t *testing.T, v []deviceQdisc) {
		for _, q := range v {
			if q.Rate.Or(0) < 0 || q.Limit.Or(0) < 0 || q.Burst.Or(0) < 0 {
				t.Fatal(q)
			}
		}
	})
}
func FuzzTCClass(f *testing.F)         { fuzz(f, "tc class *", parseTCClass, nil) }
func FuzzEthtoolFeatures(f *testing.F) { fuzz(f, "ethtool -k *", parseEthtoolFeatures, nil) }
func FuzzEthtoolDriver(f *testing.F)   { fuzz(f, "ethtool -i *", parseEthtoolDriver, nil) }
func FuzzEthtoolStats(f *testing.F)    { fuzz(f, "ethtool -S *", parseEthtoolStats, nil) }
func FuzzEthtoolChannels(f *testing.F) {
	fuzz(f, "ethtool -l *", parseEthtoolChannels, func(t *testing.T, v ethtoolChannels) {
		if v.receive().Or(1) < 1 {
			t.Fatal(v)
		}
	})
}
func FuzzEthtoolLink(f *testing.F) {
	fuzz(f, "ethtool *", reads(readEthtoolLink), func(t *testing.T, v *Facts) {
		if s := v.nic("e1").Speed; s.IsKnown() && s.Or(0) <= 0 {
			t.Fatal(s)
		}
	})
}
func FuzzModules(f *testing.F) {
	fuzz(f, "proc/modules", parseModules, func(t *testing.T, v []Module) {
		for _, m := range v {
			if m.Name == "" || m.Size < 0 || m.Users.Or(0) < 0 {
				t.Fatal(m)
			}
		}
	})
}
func FuzzInfiniband(f *testing.F) {
	read := func(text []byte) (*Facts, error) {
		v := new(Facts)
		err := readInfiniband(v, nil, text)
		settleRDMA(v)
		return v, err
	}
	fuzz(f, "grep -r . /sys/class/infiniband/*", read, func(t *testing.T, v *Facts) {
		for _, d := range v.RDMA {
			for _, p := range d.Ports {
				if p.Port < 1 || p.Port > 255 || p.Rate.IsKnown() && p.Rate.Or(0) <= 0 {
					t.Fatal(p)
				}
				for _, g := range p.GIDs {
					if !g.GID.Is6() || g.GID.IsUnspecified() {
						t.Fatal(g)
					}
				}
			}
		}
	})
}
func FuzzIbvDevinfo(f *testing.F) {
	fuzz(f, "ibv_devinfo", parseIbvDevinfo, func(_ *testing.T, v []devInfo) { putIbvDevinfo(new(Facts), nil, v) })
}
func FuzzVersions(f *testing.F) {
	fuzz(f, versionsSource, func(text []byte) (bool, error) { return true, readVersions(new(Facts), nil, text) }, nil)
}
func FuzzSS(f *testing.F) { fuzz(f, "ss", parseSS, nil) }

func putNetClassAll(v string) {
	for _, name := range []string{"speed", "duplex", "mtu", "carrier", "ifindex", "address", "flags", "other"} {
		putNetClass(new(Facts), []string{"e0", name}, v)
	}
}
