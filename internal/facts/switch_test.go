package facts

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
)

// fixture reads a switch's answers of testdata.
func fixture(t *testing.T, name string) *Facts {
	t.Helper()
	text, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	f, err := Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	for _, u := range f.Unknown {
		t.Errorf("%s: %s", u.Subject, u.Reason)
	}
	return f
}

// told is what facts say of ports, as lines.
func told(f *Facts) (out []string) {
	say := func(format string, args ...any) { out = append(out, fmt.Sprintf(format, args...)) }
	for _, e := range f.Events {
		say("event %s %s %s", e.What, e.Subject, e.Detail)
	}
	for _, c := range f.Counts {
		if moved, ok := c.Of.Get(); ok {
			say("count %s %s %d of %d", c.What, c.Subject, c.Value, moved)
		} else {
			say("count %s %s %d", c.What, c.Subject, c.Value)
		}
	}
	for i := range out {
		out[i] = strings.TrimSpace(out[i])
	}
	slices.Sort(out)
	return out
}

func equalLines(t *testing.T, got []string, want string) {
	t.Helper()
	w := strings.Split(strings.TrimSpace(want), "\n")
	for i := range w {
		w[i] = strings.TrimSpace(w[i])
	}
	slices.Sort(w)
	if !slices.Equal(got, w) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(w, "\n"))
	}
}

// shown is what a port's classes are, in one line.
func shown(c *Classes) string {
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

// runs writes 24, 25, 26, 31 as 24-26,31.
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

func TestEOS(t *testing.T) {
	f := fixture(t, "switch.eos.txtar")
	if f.Kernel != "EOS 4.28.3M" || f.Machine.Product.Or("") != "DCS-7060CX-32S-F" {
		t.Error(f.Kernel, f.Machine.Product)
	}
	n := f.NIC("Ethernet1/1")
	if n == nil || n.MTU != 9214 || n.Speed.Or(0) != 100e9 || !n.Carrier.Or(false) || !n.Up || n.Master != "Port-Channel7" || n.MAC != "00:1c:73:00:01:01" || n.Counters["rx_packets"] != 209559 {
		t.Errorf("%+v", n)
	}
	if n := f.NIC("Ethernet3/1"); n.Up || n.Carrier.Or(true) || n.Speed.IsKnown() || n.Duplex.IsKnown() {
		t.Errorf("a port that is off: %+v", n)
	}
	if got := shown(n.Effect); got != "trust dscp; pfc [3]; 0: dscp 8-15; 1: dscp 0-7 weight 40; 2: dscp 16-23; 3: dscp 24-29 weight 60 ecn; 5: dscp 40-47; 6: dscp 48-49 strict" {
		t.Error(got)
	}
	if p := n.Effect.Proofs["pfc"]; p.Source != "show priority-flow-control" || !strings.HasPrefix(p.Line, "Et1/1 E A W 3") {
		t.Error(p)
	}
	equalLines(t, told(f), `
		count bad-frames Ethernet1/1 4000 of 209559
		count link-downs Ethernet1/1 201
		count pause-received Ethernet1/1 700 of 209559
		count pause-received Ethernet1/1 700 of 209559
		count pause-sent Ethernet1/1 1200 of 7809
		count queue-drops Ethernet1/1 190 of 7809
		count receive-drops Ethernet1/1 120 of 209559
		event hardware-fault  power supply 2 (PWR-500AC-F): Power Loss
		event hardware-fault  temperature sensor 1 (Outlet sensor): 95.5 C, alert at 90 C
		event member-down Ethernet4/1 Port-Channel7
		event member-down Ethernet5/1 Port-Channel7
		event module-refused Ethernet2/1 xcvr-unsupported
		event port-disabled Ethernet2/1 
		event port-disabled Ethernet2/1 
		event port-disabled Ethernet9/1 bpduguard`)
	if m := f.Switch.MLAG; m == nil || m.State != "Active" || m.Partial.Or(0) != 2 || len(m.Mismatches) != 1 || !m.Enabled.Or(false) {
		t.Errorf("%+v", m)
	}
}

func TestSONiC(t *testing.T) {
	f := fixture(t, "switch.sonic.txtar")
	if f.Kernel != "SONiC 202411.1" || f.Machine.Product.Or("") != "ACS-MSN2010" {
		t.Error(f.Kernel, f.Machine.Product)
	}
	n := f.NIC("Ethernet0")
	if n == nil || n.MTU != 9100 || n.Speed.Or(0) != 100e9 || !n.Carrier.Or(false) || n.Master != "PortChannel0002" || n.Counters["tx_packets"] != 51847244 {
		t.Errorf("%+v", n)
	}
	if n := f.NIC("Ethernet8"); n.Up || n.Carrier.Or(true) || n.Speed.IsKnown() || n.Counters != nil {
		t.Errorf("a port that is off: %+v", n)
	}
	for port, want := range map[string]string{
		"Ethernet0":  "trust dscp; pfc [3 4]; 1: dscp 0,26; 3: dscp 3 weight 15 ecn 1048576-2097152; 4: weight 15 ecn 1048576-2097152; 5: dscp 46; 6: dscp 48 strict",
		"Ethernet4":  "trust dscp; pfc [3]; 1: dscp 0,26; 3: dscp 3 weight 15 ecn 1048576-2097152; 4: weight 15 ecn 1048576-2097152; 5: dscp 46; 6: dscp 48",
		"Ethernet12": "trust ?",
	} {
		if got := shown(f.NIC(port).Asked); got != want {
			t.Errorf("%s: %s", port, got)
		}
	}
	if got := shown(n.Effect); got != "trust ?; pfc [3 4]; 3: ecn 1048576-2097152; 4: ecn 1048576-2097152" || !n.Effect.Watchdog.Or(false) {
		t.Error(got)
	}
	if a := n.Asked; a.Cable.Or(0) != 5 || a.Proofs["dscp 26"].Line != `"26": "1",` || a.Proofs["cable"].Source != "sonic-cfggen -d --print-data" || f.NIC("Ethernet4").Asked.Cable.Or(9) != 0 {
		t.Errorf("%+v", a.Proofs)
	}
	equalLines(t, told(f), `
		count bad-blocks Ethernet0 34
		count bad-frames Ethernet0 12 of 61115381
		count link-downs Ethernet0 407
		count lossless-drops Ethernet0 40000 of 1000000
		count pause-received Ethernet0 15439 of 61115381
		count pause-sent Ethernet0 7 of 51847244
		count queue-drops Ethernet0 17 of 200000
		count queue-drops Ethernet0 9268210 of 51847244
		count storms Ethernet0 3
		event hardware-fault  fan fan2: Not OK
		event hardware-fault  power supply 2: NOT OK
		event hardware-fault  temperature sensor ASIC: 112.0 C, limit 105.0 C
		event member-down Ethernet4 PortChannel0002`)
	s := f.Switch.Saved
	if s == nil || s.OK || len(s.Back) != 1 || s.Back[0].Line != `"pfc_enable": "4"` || !slices.ContainsFunc(s.Lost, func(p Proof) bool { return p.Line == `"pfc_enable": "3,4"` }) {
		t.Errorf("%+v", s)
	}
}

// What is loaded beside the template, and commands, are one configuration.
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
	if got := shown(n.Asked); got != "trust dscp; pfc [3]; 3: dscp 26 weight 60 ecn 1048576-2097152; 6: dscp 48 strict" || n.MTU != 9100 || n.Asked.Cable.Or(0) != 40 || !n.Asked.Watchdog.Or(false) {
		t.Error(got, n.MTU, n.Asked.Cable)
	}
}

func TestOnyx(t *testing.T) {
	f := fixture(t, "switch.onyx.txtar")
	if f.Kernel != "Onyx 3.10.4606" || f.Machine.Vendor.Or("") != "Mellanox" {
		t.Error(f.Kernel, f.Machine)
	}
	n := f.NIC("Eth1/1")
	if n == nil || n.MTU != 9216 || n.Speed.Or(0) != 100e9 || !n.Carrier.Or(false) || n.Master != "Po22" || n.Counters["rx_packets"] != 576000 || n.MAC != "7c:fe:90:f2:89:7c" {
		t.Errorf("%+v", n)
	}
	if n := f.NIC("Eth1/2"); n.Up || n.Carrier.Or(true) || n.Speed.IsKnown() || n.MTU != 1500 {
		t.Errorf("a port that is off: %+v", n)
	}
	if got := shown(n.Effect); got != "trust dscp; pfc [3]; 3: dscp 24-27 weight 60 ecn 500000-1550000; 6: dscp 48 strict" || !n.Effect.DCBX.Or(false) {
		t.Error(got)
	}
	if got := shown(f.NIC("Eth1/2").Effect); got != "trust dscp; pfc []; 3: weight 50 ecn 150000-1500000; 6: strict" {
		t.Error("what is so on all ports: ", got)
	}
	if got := shown(n.Asked); got != "trust dscp; pfc [3]; 0: weight 40; 3: dscp 24-31 weight 60 ecn 150000-1500000; 6: dscp 48-55 strict" || !n.Asked.Watchdog.Or(false) || n.Asked.DSCP[46] != 0 {
		t.Error(got)
	}
	equalLines(t, told(f), `
		count bad-frames Eth1/1 4000 of 576000
		count link-downs Eth1/1 150
		count marked Eth1/1 12345
		count pause-received Eth1/1 7 of 576000
		count queue-drops Eth1/1 200 of 13472
		count queue-drops Eth1/1 5
		count receive-drops Eth1/1 130 of 576000
		event member-down Eth1/7 Po22
		event not-in-effect Eth1/7 PFC`)
	if m := f.Switch.MLAG; m == nil || len(m.Mismatches) != 1 || m.Mismatches[0].What != "System-mac" || m.Partial.Or(0) != 1 {
		t.Errorf("%+v", m)
	}
	if p := f.Switch.Pools; len(p) != 1 || !p[0].Lossless || !slices.Equal(p[0].Priorities, []int{3}) {
		t.Error(p)
	}
}

// A RoCE mode says all of it in one line.
func TestOnyxMode(t *testing.T) {
	f, err := Parse([]byte("host s\nos onyx\n-- show running-config --\ninterface ethernet 1/1-1/2 mtu 9216 force\nroce lossless\n"))
	if err != nil || len(f.Unknown) > 0 {
		t.Fatal(err, f.Unknown)
	}
	const want = "trust dscp; pfc [3]; 0: weight 50; 3: dscp 24-31 weight 50 ecn 150000-1500000; 6: dscp 48-55 strict"
	if got := shown(f.NIC("Eth1/2").Asked); got != want || shown(f.Switch.Asked) != want {
		t.Error(got)
	}
}

func TestCumulus(t *testing.T) {
	f := fixture(t, "switch.cumulus.txtar")
	if f.Kernel != "Cumulus Linux 3.2.0" {
		t.Error(f.Kernel)
	}
	n := f.NIC("swp1")
	if n == nil || n.MTU != 9216 || n.Speed.Or(0) != 100e9 || !n.Carrier.Or(false) {
		t.Errorf("%+v", n)
	}
	if n := f.NIC("swp2"); n.Carrier.Or(true) || n.Speed.IsKnown() || n.MTU != 1500 {
		t.Errorf("a port without a link: %+v", n)
	}
	if got := shown(n.Effect); got != "trust both; pfc [3]; 0: weight 50 ecn 149995-1499463; 3: dscp 24-31 weight 50 ecn 149995-1499463; 6: dscp 48-55 strict" {
		t.Error(got)
	}
	if got := shown(f.NIC("swp16").Effect); !strings.HasPrefix(got, "trust both; pfc []; ") { // it obeys pauses and sends none
		t.Error(got)
	}
	if got := shown(f.NIC("swp5").Asked); got != "trust both; pfc [3]; 0: weight 40; 3: dscp 24-31 weight 60 ecn 150000-1500000; 6: dscp 48-55 strict" || !f.NIC("swp5").Asked.Watchdog.Or(false) || f.NIC("swp5").MTU != 9216 {
		t.Error(got)
	}
	equalLines(t, told(f), `
		count lossless-drops swp1 663060754115 of 803785675319
		count marked swp1 693777677344 of 803785675319
		count no-buffer swp1 550 of 462975
		count pause-received swp1 12 of 900
		event not-in-effect  the mode of RoCE`)
}
