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
