package read

import (
	"fmt"
	"strings"
	"testing"

	"linerate/internal/facts"
)

// shown prints a port's classes on one line.
func shown(c *facts.Classes) string {
	if c == nil {
		return "not known"
	}
	pfc, why := c.PFC()
	out := []string{"trust " + c.Trust.Or("?")}
	if why == "" {
		out = append(out, fmt.Sprint("pfc ", pfc))
	}
	for class := range 8 {
		var is []string
		if points := c.Points(class); len(points) > 0 && len(points) < 30 {
			is = append(is, "dscp "+runs(points))
		}
		q, ok := c.Queues[class]
		if strict, known := q.Strict.Get(); ok && known && strict {
			is = append(is, "strict")
		}
		if weight, known := q.Weight.Get(); known {
			is = append(is, fmt.Sprint("weight ", weight))
		}
		if marks, known := q.ECN.Get(); known && marks {
			is = append(is, "ecn")
			if least, known := q.Min.Get(); known {
				is = append(is, fmt.Sprintf("%d-%d", least, q.Max.Or(0)))
			}
		}
		if len(is) > 0 {
			out = append(out, fmt.Sprintf("%d: %s", class, strings.Join(is, " ")))
		}
	}
	return strings.Join(out, "; ")
}

// runs prints 24, 25, 26, 31 as 24-26,31.
func runs(list []int) string {
	var out []string
	for i := 0; i < len(list); {
		j := i
		for j+1 < len(list) && list[j+1] == list[j]+1 {
			j++
		}
		if j > i {
			out = append(out, fmt.Sprintf("%d-%d", list[i], list[j]))
		} else {
			out = append(out, fmt.Sprint(list[i]))
		}
		i = j + 1
	}
	return strings.Join(out, ",")
}

// The classes of ports, as they are in effect and as they are asked for.
func TestClassesOfSwitches(t *testing.T) {
	const sonic, cumulus = "; 3: dscp 3 weight 15 ecn 1048576-2097152; 4: weight 15 ecn 1048576-2097152; 5: dscp 46; 6: " +
		"dscp 48", "trust both; pfc [3]; 0: weight 40; 3: dscp 24-31 weight 60 ecn 150000-1500000; 6: dscp 48-55 strict"
	for _, c := range []struct{ of, port, effect, asked string }{ // empty: it is not looked at
		{"eos", "Ethernet1/1", "trust dscp; pfc [3]; 0: dscp 8-15; 1: dscp 0-7 weight 40; 2: dscp 16-23; 3: dscp 24-29 " +
			"weight 60 ecn; 5: dscp 40-47; 6: dscp 48-49 strict", ""},
		{"sonic", "Ethernet0", "trust ?; pfc [3 4]; 3: ecn 1048576-2097152; 4: ecn 1048576-2097152",
			"trust dscp; pfc [3 4]; 1: dscp 0,26" + sonic + " strict"},
		{"sonic", "Ethernet4", "", "trust dscp; pfc [3]; 1: dscp 0,26" + sonic},
		{"sonic", "Ethernet12", "", "trust ?"},
		{"onyx", "Eth1/1", "trust dscp; pfc [3]; 3: dscp 24-27 weight 60 ecn 500000-1550000; 6: dscp 48 strict",
			"trust dscp; pfc [3]; 0: weight 40; 3: dscp 24-31 weight 60 ecn 150000-1500000; 6: dscp 48-55 strict"},
		// what is in effect on all ports
		{"onyx", "Eth1/2", "trust dscp; pfc []; 3: weight 50 ecn 150000-1500000; 6: strict", ""},
		{"cumulus", "swp1", "trust both; pfc [3]; 0: weight 50 ecn 149995-1499463; 3: dscp 24-31 weight 50 ecn " +
			"149995-1499463; 6: dscp 48-55 strict", ""},
		{"cumulus", "swp5", "", cumulus},
	} {
		n := load(t, "switch."+c.of+".txtar").NIC(c.port)
		if got := shown(n.Effect); c.effect != "" && got != c.effect {
			t.Errorf("%s: %s in effect: %s", c.of, c.port, got)
		}
		if got := shown(n.Asked); c.asked != "" && got != c.asked {
			t.Errorf("%s: %s asked for: %s", c.of, c.port, got)
		}
	}
	// it obeys pauses and sends none
	if got := shown(load(t, "switch.cumulus.txtar").NIC("swp16").Effect); !strings.HasPrefix(got, "trust both; pfc []; ") {
		t.Error(got)
	}
}

// TestSONiCScript: tables loaded over the template, and commands, form one configuration.
func TestSONiCScript(t *testing.T) {
	f, err := Parse([]byte(`host s
os sonic
-- sonic commands --
#!/bin/sh
sudo config qos reload
sudo config load -y qos.json
sudo config interface mtu Ethernet0 9100
sudo config interface pfc priority Ethernet0 3 on
sudo config interface pfc priority Ethernet0 4 off
sudo config interface cable_length Ethernet0 40m
sudo config pfcwd start --action drop Ethernet0 400 --restoration-time 400
-- qos.json --
{"DSCP_TO_TC_MAP": {"AZURE": {"26": "3", "48": "6"}},
 "SCHEDULER": {"l.3": {"type": "DWRR", "weight": "60"}, "l.6": {"type": "STRICT"}},
 "QUEUE": {"Ethernet0|3": {"scheduler": "l.3", "wred_profile": "AZURE_LOSSLESS"}, "Ethernet0|6": {"scheduler": "l.6"}}}
`))
	if err != nil || len(f.Unknown) > 0 {
		t.Fatal(err, f.Unknown)
	}
	n := f.NIC("Ethernet0")
	if got := shown(n.Asked); got != "trust dscp; pfc [3]; 3: dscp 26 weight 60 ecn 1048576-2097152; 6: dscp 48 "+
		"strict" || n.MTU != 9100 || n.Asked.Cable.Or(0) != 40 || !n.Asked.Watchdog.Or(false) {
		t.Error(got, n.MTU, n.Asked.Cable)
	}
}

// TestOnyxMode: one line with a RoCE mode sets all of it.
func TestOnyxMode(t *testing.T) {
	f, err := Parse([]byte("host s\nos onyx\n-- show running-config --\ninterface ethernet 1/1-1/2 mtu 9216 " +
		"force\nroce lossless\n"))
	if err != nil || len(f.Unknown) > 0 {
		t.Fatal(err, f.Unknown)
	}
	const want = "trust dscp; pfc [3]; 0: weight 50; 3: dscp 24-31 weight 50 ecn 150000-1500000; 6: dscp 48-55 strict"
	if got := shown(f.NIC("Eth1/2").Asked); got != want || shown(f.Switch.Asked) != want {
		t.Error(got)
	}
}
