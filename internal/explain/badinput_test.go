package explain_test

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"linerate/internal/explain"
	"linerate/internal/record"
)

// account is the one of that name; the run must have been explained.
func (r *recorded) account(t *testing.T, name string) record.Account {
	t.Helper()
	for _, a := range r.exp.Accounts {
		if a.Name == name {
			return a
		}
	}
	t.Fatalf("no account %s", name)
	return record.Account{}
}

// edit changes the captures whose names hold a part, by a pattern that must be in each of them.
func (r *recorded) edit(t *testing.T, part, pattern string, change func(match []string) string) *recorded {
	t.Helper()
	re := regexp.MustCompile(pattern)
	n := 0
	for name, text := range r.captures {
		if !strings.Contains(name, part) {
			continue
		}
		if !re.MatchString(text) {
			t.Fatalf("%s does not have %s", name, pattern)
		}
		n++
		r.captures[name] = re.ReplaceAllStringFunc(text, func(s string) string { return change(re.FindStringSubmatch(s)) })
	}
	if n == 0 {
		t.Fatalf("no capture is named %s", part)
	}
	return r
}

// without takes captures away.
func (r *recorded) without(part string) *recorded {
	maps.DeleteFunc(r.captures, func(name, _ string) bool { return strings.Contains(name, part) })
	return r
}

func constant(s string) func([]string) string { return func([]string) string { return s } }

// What was lost on purpose, as labs left it: the account closes and names who dropped it.
func TestAccounts(t *testing.T) {
	for name, where := range map[string]string{"switch-drops": "by qdisc.drops of sw1.2 on sw1", "firewall-drops": "by firewall.drops on host2"} {
		r := load(t, name)
		r.verdict(t)
		for _, account := range []string{"sent", "received", "resent"} {
			if a := r.account(t, account); a.Closes == nil || !*a.Closes || a.Why != "" || a.Difference == nil || a.Left.Value == nil || a.Right.Value == nil {
				t.Errorf("%s: %s does not close: %+v", name, account, a)
			}
		}
		if a := r.account(t, "resent"); !strings.Contains(a.Sentence, where) || *a.Left.Value < 10 {
			t.Errorf("%s: %s", name, a.Sentence)
		}
		if e := r.run.Evidence; e == nil || e.Share == nil || *e.Share <= 0 || *e.Share > 0.01 || len(e.Hosts) != 3 {
			t.Errorf("%s: what looking cost: %+v", name, e)
		}
	}
}

// More processor time than the cores of a host have in the window is no cost of looking: it is not known, because.
func TestCostOfLookingThatCannotBe(t *testing.T) {
	r := load(t, "firewall-drops").edit(t, "host1.during", `(?m)^cost .*$`, constant("cost 99"))
	r.verdict(t)
	e := r.run.Evidence
	if e == nil || e.Share == nil || *e.Share > 0.01 || len(e.Hosts) != 2 || len(e.Unknown) != 1 || e.Unknown[0].Subject != "host1" || !strings.Contains(e.Unknown[0].Reason, "went on behind it") {
		t.Errorf("%+v", e)
	}
}

// Whatever is wrong with what was kept, the account that needs it is not known and says why, and the verdict names no other cause.
func TestBadInput(t *testing.T) {
	const nic = "card"
	for _, c := range []struct {
		name    string
		account string
		why     string
		run     func(t *testing.T) *recorded
	}{
		{"a folder of an older version", "sent", "host1 has 0 captures in the steady window", func(t *testing.T) *recorded {
			r := load(t, "firewall-drops").without(".during")
			r.run.Evidence, r.exp.Accounts = nil, nil
			return r
		}},
		{"an older one with a single capture under load", "sent", "host1 has 1 captures in the steady window", func(t *testing.T) *recorded {
			return load(t, "firewall-drops").without(".during2").without(".during3")
		}},
		{"the receiver is missing", "resent", "host2: its counters around the measurement were not read", func(t *testing.T) *recorded {
			return load(t, "firewall-drops").without("/host2.")
		}},
		{"the sender is missing", "resent", "host1: its counters around the measurement were not read", func(t *testing.T) *recorded {
			return load(t, "firewall-drops").without("/host1.")
		}},
		{"the switch is missing", "resent", "sw1: its counters around the measurement were not read", func(t *testing.T) *recorded {
			return load(t, "switch-drops").without("/sw1.")
		}},
		{"no captures afterwards", "resent", "not read", func(t *testing.T) *recorded { return load(t, "firewall-drops").without(".after") }},
		{"captures without counters", "resent", "Tcp.RetransSegs: it is not in its captures", func(t *testing.T) *recorded {
			r := load(t, "firewall-drops")
			for name, text := range r.captures {
				if i := strings.Index(text, "-- "); i >= 0 {
					r.captures[name] = text[:i]
				}
			}
			return r
		}},
		{"captures that are something else", "resent", "not read", func(t *testing.T) *recorded {
			r := load(t, "firewall-drops")
			for name := range r.captures {
				r.captures[name] = "schema linerate/capture/9\n"
			}
			return r
		}},
		{"the wall clock jumps by an hour", "resent", "its clock jumped", func(t *testing.T) *recorded {
			return load(t, "firewall-drops").edit(t, "host1.after", `(?m)^when .*$`, constant("when 2030-01-01T00:00:00Z"))
		}},
		{"the clock since boot goes back", "resent", "its clock since boot goes back", func(t *testing.T) *recorded {
			return load(t, "firewall-drops").edit(t, "host1.after", `(?m)^uptime .*$`, constant("uptime 1.5"))
		}},
		{"started anew", "resent", "it was started anew in between", func(t *testing.T) *recorded {
			return load(t, "firewall-drops").edit(t, "host1.after", `(?m)^boot .*$`, constant("boot another"))
		}},
		{"a clock that jumps in the steady window", "sent", "its clock jumped", func(t *testing.T) *recorded {
			r := load(t, "firewall-drops").edit(t, "host1.during2", `(?m)^when .*$`, constant("when 2030-01-01T00:00:00Z"))
			return r.edit(t, "host1.during3", `(?m)^when .*$`, constant("when 2030-01-01T00:00:00Z"))
		}},
		{"a counter that was reset", "resent", "Tcp.RetransSegs: it went back", func(t *testing.T) *recorded {
			return load(t, "firewall-drops").edit(t, "host1.before", `(?m)^(Tcp: (?:-?\d+ ){11})\d+`, func(m []string) string { return m[1] + "4294967290" })
		}},
		{"a counter of the interface that was reset", "sent", "tx_bytes of " + nic + ": it went back", func(t *testing.T) *recorded {
			return load(t, "firewall-drops").edit(t, "host1.during-", `("tx":\{[^}]*"bytes":)\d+`, func(m []string) string { return m[1] + "99999999999999" })
		}},
		{"drops that were reset", "resent", "qdisc.drops of sw1.2: it went back", func(t *testing.T) *recorded {
			return load(t, "switch-drops").edit(t, "sw1.before", `"drops":\d+`, constant(`"drops":1000000000`))
		}},
		{"an interface that vanishes in the middle", "sent", "the interface was gone afterwards", func(t *testing.T) *recorded {
			return vanish(t, load(t, "firewall-drops"), "host1.during2", nic, "host1.during3", nic, "host1.after", nic)
		}},
		{"an interface that vanishes at the end", "resent", "the interface was gone afterwards", func(t *testing.T) *recorded {
			return vanish(t, load(t, "firewall-drops").edit(t, "host2.after", `counter packets \d+`, constant("counter packets 0")), "host2.after", nic)
		}},
		{"a port of the switch that vanishes", "resent", "", func(t *testing.T) *recorded {
			return vanish(t, load(t, "switch-drops"), "sw1.after", "sw1.2")
		}},
		{"an interface that was made anew", "resent", "the interface was made anew in between", func(t *testing.T) *recorded {
			return load(t, "firewall-drops").edit(t, "host2.after", `counter packets \d+`, constant("counter packets 0")).edit(t, "host2.after", `"ifindex":\d+,"ifname":"`+nic+`"`, constant(`"ifindex":77,"ifname":"`+nic+`"`))
		}},
		{"a ruleset that was changed", "resent", "its rules were changed in between", func(t *testing.T) *recorded {
			return load(t, "firewall-drops").edit(t, "host2.after", `(?s)chain i \{.*?\n\t\}`, constant("chain j {\n\t}\n\tchain k {\n\t}"))
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := c.run(t)
			v := r.verdict(t)
			a := r.account(t, c.account)
			if a.Closes != nil || a.Why == "" || !strings.Contains(a.Why, c.why) || !strings.Contains(a.Sentence, "not known, because") {
				t.Errorf("%s: closes %v, want why %q: %s", c.account, a.Closes, c.why, a.Sentence)
			}
			if !slices.Contains(allowed, v.Limiter) {
				t.Errorf("verdict %s (%s): %s", v.Limiter, v.Confidence, v.Sentence)
			}
			if v.Limiter == explain.Unexplained && len(v.Unknown) == 0 {
				t.Error("the verdict does not say what is not known")
			}
		})
	}
}

// allowed are the verdicts of a link whose evidence is damaged: a full link is one without any evidence.
var allowed = []string{explain.Unexplained, explain.NotKnown, "link"}

// vanish takes interfaces out of captures: of each pair the part of a name, and the interface.
func vanish(t *testing.T, r *recorded, pairs ...string) *recorded {
	t.Helper()
	for i := 0; i < len(pairs); i += 2 {
		r.edit(t, pairs[i], fmt.Sprintf(`(?m)^\[?\{[^\n]*"(?:ifname|dev)":"%s"[^\n]*\n`, regexp.QuoteMeta(pairs[i+1])), func(m []string) string {
			if strings.HasPrefix(m[0], "[") {
				return "[\n"
			}
			if strings.HasSuffix(strings.TrimSpace(m[0]), "]") {
				return "{\"ifname\":\"x\"}]\n"
			}
			return ""
		})
		for name, text := range r.captures {
			if strings.Contains(name, pairs[i]) {
				r.captures[name] = regexp.MustCompile(`(?m)^-- ethtool (-\w) `+regexp.QuoteMeta(pairs[i+1])+` --$`).ReplaceAllString(text, "-- ethtool $1 x --")
			}
		}
	}
	return r
}
