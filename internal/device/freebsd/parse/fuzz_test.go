package parse

import (
	"testing"

	"linerate/internal/facts"
	"linerate/internal/facts/parse"
	"linerate/internal/facts/parse/parsetest"
)

func FuzzFreeBSDLog(f *testing.F) {
	parsetest.Fuzz(f, "dmesg", func(text []byte) (*facts.Facts, error) {
		v := parse.NewBuilder(new(facts.Facts))
		return v.Facts, ReadLog(v, text)
	}, func(t *testing.T, v *facts.Facts) {
		for _, e := range v.Events {
			if e.Count < 1 || e.Line == "" || e.Carries.Or(0) < 0 || e.Needs.Or(0) < 0 {
				t.Fatal(e)
			}
		}
	})
}

func FuzzIfconfig(f *testing.F) {
	parsetest.Fuzz(f, "ifconfig", parseIfconfig, func(t *testing.T, v []ifInterface) {
		got := parse.NewBuilder(new(facts.Facts))
		putIfconfig(got, nil, v)
		for _, n := range got.NICs {
			if n.Name == "" || n.Speed.IsKnown() && n.Speed.Or(0) <= 0 {
				t.Fatal(n)
			}
			for _, a := range n.Addresses {
				if !a.IsValid() {
					t.Fatal(a)
				}
			}
		}
	})
}

func FuzzRCConf(f *testing.F) {
	f.Add([]byte("ifconfig_mce0=\"inet 10.50.1.4/24 mtu 9000 media autoselect mediaopt " +
		"full-duplex\"\nvlans_mce0=\"711\"\ndev.mce.0.conf.qos.dscp_24_31_prio=0,0,3,0,0,0,0,0\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		v := parse.NewBuilder(new(facts.Facts))
		for _, err := range []error{ReadRCConf(v, nil, text), readSysctlConf(v, nil, text)} {
			if err != nil && (err.Error() == "" || len(err.Error()) > 1000) {
				t.Fatal(err)
			}
		}
		for _, n := range v.NICs {
			if n.Configured != nil && (n.Configured.MTU < 0 || n.Name == "") {
				t.Fatal(n)
			}
		}
	})
}
