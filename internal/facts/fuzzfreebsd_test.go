package facts

import "testing"

func FuzzFreeBSDLog(f *testing.F) {
	fuzz(f, "dmesg", func(text []byte) (*Facts, error) {
		v := new(Facts)
		return v, readFreeBSDLog(v, text)
	}, func(t *testing.T, v *Facts) {
		for _, e := range v.Events {
			if e.Count < 1 || e.Line == "" || e.Carries.Or(0) < 0 || e.Needs.Or(0) < 0 {
				t.Fatal(e)
			}
		}
	})
}

func FuzzIfconfig(f *testing.F) {
	fuzz(f, "ifconfig", parseIfconfig, func(t *testing.T, v []ifInterface) {
		got := new(Facts)
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

func FuzzNetstat(f *testing.F) {
	for _, name := range []string{"netstat -i", "netstat -w", "netstat -r", "netstat -s", "netstat -m", "netstat -Q", "vmstat -z", "vmstat -i", "kldstat"} {
		seed(f, name)
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		for _, s := range freebsdSources() {
			if s.name == "ifconfig" {
				continue
			}
			got := &Facts{NICs: []Interface{{Name: "mce0"}, {Name: "ix0"}}}
			if err := s.read(got, nil, text); err != nil && (err.Error() == "" || len(err.Error()) > 1000) {
				t.Fatal(s.name, err)
			}
			settle(got)
			for _, c := range got.Counts {
				if c.Line == "" {
					t.Fatal(s.name, c)
				}
			}
			for _, r := range got.Routes {
				if !r.Dst.IsValid() {
					t.Fatal(r)
				}
			}
		}
	})
}

func FuzzBSDSysctl(f *testing.F) {
	fuzz(f, "sysctl", func(text []byte) (*Facts, error) {
		v := &Facts{NICs: []Interface{{Name: "mce0"}, {Name: "ix0"}}}
		readBSDSysctl(v, text)
		settle(v)
		return v, nil
	}, func(t *testing.T, v *Facts) {
		for _, n := range v.NICs {
			if n.Queues.IsKnown() && n.Queues.Or(0) < 1 {
				t.Fatal(n)
			}
			if n.Effect != nil {
				for point, prio := range n.Effect.DSCP {
					if point < 0 || point > 63 || prio < 0 || prio > 7 {
						t.Fatal(n.Effect.DSCP)
					}
				}
			}
		}
	})
}

func FuzzRCConf(f *testing.F) {
	f.Add([]byte("ifconfig_mce0=\"inet 10.50.1.4/24 mtu 9000 media autoselect mediaopt full-duplex\"\nvlans_mce0=\"711\"\ndev.mce.0.conf.qos.dscp_24_31_prio=0,0,3,0,0,0,0,0\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		v := new(Facts)
		for _, err := range []error{readRCConf(v, nil, text), readSysctlConf(v, nil, text)} {
			if err != nil && (err.Error() == "" || len(err.Error()) > 1000) {
				t.Fatal(err)
			}
		}
		for _, n := range v.NICs {
			if n.Told != nil && (n.Told.MTU < 0 || n.Name == "") {
				t.Fatal(n)
			}
		}
	})
}
