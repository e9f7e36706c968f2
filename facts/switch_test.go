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
