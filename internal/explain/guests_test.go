package explain

import (
	"encoding/json"
	"regexp"
	"strings"
	"testing"

	"linerate/internal/record"
	"linerate/internal/record/runfolder"
)

// edit changes the captures whose names begin so, by a pattern that one of them must have.
func (x examined) edit(t *testing.T, host, pattern, to string) examined {
	t.Helper()
	re, found := regexp.MustCompile(pattern), false
	for name, text := range x.files {
		if strings.HasPrefix(name, runfolder.CapturesName+"/"+host) {
			found = found || re.Match(text)
			x.files[name] = re.ReplaceAll(text, []byte(to))
		}
	}
	if !found {
		t.Fatalf("%s: the captures of %s do not have %s", x.name, host, pattern)
	}
	return x
}

// What looks like a fault of a kernel of its own and is none, or where half of what shows it is missing, gets no such verdict.
func TestNearGuests(t *testing.T) {
	const softnet, ownLink = `(?m)^([0-9a-f]{8}) [0-9a-f]{8}( [0-9a-f]{8} 00000000 00000000)`, `("ifname":"fast".*?"rx":\{"bytes":\d+,"crc_errors":\d+,"dropped":)\d+`
	for _, c := range []struct {
		name, fault string
		change      func(*testing.T, examined) examined
	}{
		{"packets lost, none of them from the cores' queues", "backlog-short", func(t *testing.T, x examined) examined {
			return x.edit(t, "host2", softnet, "${1} 00000000${2}")
		}},
		{"the cores' queues lost packets of another interface", "backlog-short", func(t *testing.T, x examined) examined {
			return x.edit(t, "host2", ownLink, "${1}0")
		}},
		{"goodput is that of the link, with a few drops", "backlog-short", func(t *testing.T, x examined) examined {
			return x.carries(t, 0.98)
		}},
		{"nobody waited for a connection", "conntrack-small", func(t *testing.T, x examined) examined {
			return x.edit(t, "host1", `(?m)^TcpExt: \d.*$`, "TcpExt: 0")
		}},
		{"the table has room again and what it dropped was of others", "conntrack-small", func(t *testing.T, x examined) examined {
			return x.edit(t, "host2", `(proc/sys/net/netfilter/nf_conntrack_max --\n)\d+`, "${1}262144")
		}},
		{"the table dropped nothing", "conntrack-small", func(t *testing.T, x examined) examined {
			return x.edit(t, "host2.before", `(?s)-- proc/net/stat/nf_conntrack --\n.*?\n(?:-- |\z)`, "-- ")
		}},
		{"an emulator that only delays", "netem-loss", func(t *testing.T, x examined) examined {
			return x.edit(t, "host1", `("kind":"netem".*?"drops":)\d+`, "${1}0")
		}},
		{"an emulator that was put in afterwards", "netem-loss", func(t *testing.T, x examined) examined {
			return x.edit(t, "host1.before", `"kind":"netem"`, `"kind":"pfifo"`)
		}},
		{"the same tag at both ends", "vlan-other", func(t *testing.T, x examined) examined {
			return x.edit(t, "host", `("protocol":"802.1q","id":)\d+`, "${1}711")
		}},
		{"another tag, and yet packets come in", "vlan-other", func(t *testing.T, x examined) examined {
			return x.edit(t, "host2.after", `("ifname":"fast.711".*?"rx":\{.*?"packets":)\d+`, "${1}12")
		}},
		{"one connection", "bond-hash", func(t *testing.T, x examined) examined { return x.change(t, oneStream) }},
		{"a bond that uses one member at a time", "bond-hash", func(t *testing.T, x examined) examined {
			return x.edit(t, "host", `Bonding Mode: IEEE.*`, "Bonding Mode: fault-tolerance (active-backup)")
		}},
		{"no bond at all", "bond-hash", func(t *testing.T, x examined) examined {
			return x.edit(t, "host", `(?s)-- proc/net/bonding/team --\n.*?\n(?:-- |\z)`, "-- ")
		}},
		{"both members carry", "bond-hash", func(t *testing.T, x examined) examined {
			const sent, got = `("ifname":"(?:fast|second)".*?"tx":\{[^}]*?"bytes":)\d+`, `("ifname":"(?:fast|second)".*?"rx":\{[^}]*?"bytes":)\d+`
			return x.edit(t, "host1.after", sent, "${1}9000000").edit(t, "host2.after", got, "${1}9000000")
		}},
		{"something else holds it far below one member", "bond-hash", func(t *testing.T, x examined) examined { return x.carries(t, 0.2) }},
		{"goodput is that of both members", "bond-hash", func(t *testing.T, x examined) examined { return x.carries(t, 0.98) }},
		{"one connection, which does not need the other member", "bond-cable", func(t *testing.T, x examined) examined { return x.change(t, oneStream) }},
		{"all members have a link", "bond-cable", func(t *testing.T, x examined) examined {
			return x.edit(t, "host", `MII Status: down`, "MII Status: up")
		}},
		{"what is left of the bond is not full", "bond-cable", func(t *testing.T, x examined) examined { return x.carries(t, 0.5) }},
	} {
		x := kept(t, "exam/"+c.fault)
		if v := x.verdict(t); v.Component == "" || v.Fix == "" || v.Undo == "" {
			t.Errorf("%s: %+v", c.fault, v)
		} else if near := c.change(t, x).verdict(t); near.Component == v.Component && near.Limiter == v.Limiter {
			t.Errorf("%s: %s is blamed on %s: %s", c.fault, c.name, near.Limiter, near.Sentence)
		}
	}
}

// A bond that goes by ports and yet uses one member: it is chance, and nothing is set wrongly.
func TestPolarisedByChance(t *testing.T) {
	x := kept(t, "exam/bond-hash").edit(t, "host", `Transmit Hash Policy: .*`, "Transmit Hash Policy: layer3+4 (1)")
	v := x.verdict(t)
	if v.Limiter != "hash-polarisation" || !strings.Contains(v.Sentence, "happen") || !strings.Contains(v.Fix, "streams") || strings.Contains(v.Fix, "ip link") || v.Undo == "" {
		t.Errorf("%s: %s: %s", v.Limiter, v.Sentence, v.Fix)
	}
}

// A sender that spreads, and a receiver that gets all by one member: the other end of its cables chose.
func TestPolarisedBySwitch(t *testing.T) {
	x := kept(t, "exam/bond-hash").edit(t, "host1.after", `("ifname":"(?:fast|second)".*?"tx":\{[^}]*?"bytes":)\d+`, "${1}9000000")
	v := x.verdict(t)
	if v.Limiter != "hash-polarisation" || !strings.HasPrefix(v.Component, "host2") || !strings.Contains(v.Fix, "switch") {
		t.Errorf("%s: %s: %s: %s", v.Limiter, v.Component, v.Sentence, v.Fix)
	}
}

// oneStream leaves one connection of several.
func oneStream(e *record.Experiment) {
	e.Settings["streams"] = "1"
	for i := range e.Repeats {
		e.Repeats[i].Streams = e.Repeats[i].Streams[:1]
	}
}

// change changes the record of the experiment.
func (x examined) change(t *testing.T, how func(*record.Experiment)) examined {
	t.Helper()
	var r record.Run
	if err := json.Unmarshal(x.files[runfolder.ManifestName], &r); err != nil {
		t.Fatal(err)
	}
	how(r.Experiments[0])
	b, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	x.files[runfolder.ManifestName] = b
	return x
}

// carries sets what was measured to a share of the ceiling.
func (x examined) carries(t *testing.T, share float64) examined {
	t.Helper()
	return x.change(t, func(e *record.Experiment) {
		rate := share * float64(e.Ceiling.Limit)
		e.Goodput.Median = rate
		for i := range e.Repeats {
			e.Repeats[i].Goodput, e.Repeats[i].Forward = rate, rate
		}
	})
}
