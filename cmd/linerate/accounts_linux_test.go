package main

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"linerate/result"
)

// What is lost on purpose closes the account of what was sent again, whoever counted it: the switch's port, or a firewall. Looking costs less
// than a hundredth of a core meanwhile.
func TestAccountsLab(t *testing.T) {
	needLab(t)
	for _, c := range []struct {
		name, on string
		spoil    [][]string
		where    string // in the sentence of the account
	}{
		{"switch-drops", "sw1", [][]string{{"tc", "qdisc", "replace", "dev", "sw1.2", "root", "tbf", "rate", "150mbit", "burst", "16kb", "limit", "30kb"}}, "by qdisc.drops of sw1.2 on sw1"},
		{"firewall-drops", "host2", [][]string{{"nft", "add table inet f"}, {"nft", "add chain inet f i { type filter hook input priority 0; }"},
			{"nft", "add rule inet f i tcp dport != 1 numgen random mod 1000 < 3 counter drop"}}, "by firewall.drops on host2"},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := newPlace(t)
			s := p.labUp(t, copyFile(t, "testdata/through.yaml", p.path("through.yaml")), "0.02")
			for _, argv := range c.spoil {
				s.on(t, c.on, argv...)
			}
			n := 0
			tries(t, func() error {
				n++
				dir := p.path(fmt.Sprintf("run%d", n))
				a := s.linerate(t, "run", s.fabric, "--lab="+s.id, "--repeats", "1", "-o", dir, "--json")
				if a.code != exitDone {
					return fmt.Errorf("want exit code 0: %s", a)
				}
				r := a.run(t)
				if len(r.Warnings) > 0 {
					t.Errorf("warnings %q", r.Warnings)
				}
				for _, name := range []string{"sent", "received", "resent"} {
					x := accountNamed(r.Experiments[0].Accounts, name)
					if x == nil || x.Closes == nil || !*x.Closes {
						return fmt.Errorf("the account %s does not close: %+v", name, x)
					}
					if name == "resent" && (*x.Left.Value < 10 || !strings.Contains(x.Sentence, c.where)) {
						return fmt.Errorf("%s, want losses %s", x.Sentence, c.where)
					}
				}
				hosts := map[string]int{}
				for _, h := range r.Evidence.Hosts {
					hosts[h.Host] = h.Captures
				}
				if hosts["host1"] < 2 || hosts["host2"] < 2 || hosts["sw1"] < 2 {
					return fmt.Errorf("captures in the steady window: %v", hosts)
				}
				if *r.Evidence.Share > 0.01 {
					return fmt.Errorf("looking took %v of a core", *r.Evidence.Share)
				}
				if *record != "" {
					reduce(t, dir, filepath.Join(*record, c.name))
				}
				return nil
			})
		})
	}
}

func accountNamed(all []result.Account, name string) *result.Account {
	for i := range all {
		if all[i].Name == name {
			return &all[i]
		}
	}
	return nil
}
