package render

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"linerate/internal/device"
	"linerate/internal/facts"
	"linerate/internal/facts/read"
	"linerate/internal/testenv"
)

// TestRouterOSMeansThePlan: the scripts for RouterOS, before 7.23 and from it on, match the plan when they are parsed
// as pasted scripts.
func TestRouterOSMeansThePlan(t *testing.T) {
	text := testenv.Must(os.ReadFile("../../../examples/roce-100g.yaml"))(t)
	for _, version := range []string{"7.17", "7.22.1", "7.24.1"} {
		t.Run(version, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "roce-100g.yaml")
			other := strings.Replace(string(text), "version: 7.17beta", "version: "+version, 1)
			if other == string(text) {
				t.Fatal("the example has another version")
			}
			testenv.WriteFile(t, path, other, 0o600)
			p := planned(t, path)
			d := Render(p).Device("crs504")
			if d == nil {
				t.Fatal("it is not rendered")
			}
			f, err := read.Parse([]byte("host crs504\nos routeros\n-- commands --\n" + d.File("apply.rsc").Text()))
			if err != nil || len(f.Unknown) > 0 {
				t.Fatal(err, f.Unknown)
			}
			sw := p.Switch("crs504")
			seen := 0
			for _, x := range sw.Ports {
				n := f.NIC(sw.PortName(x))
				if x.Link == "" || n == nil || n.Asked == nil {
					continue
				}
				seen++
				if room := n.L2MTU.Or(0); room < x.MTU {
					t.Errorf("%s: L2MTU %d for frames of %d", n.Name, room, x.MTU)
				}
				for _, wrong := range notPlanned(p.QoS(), n.Asked) {
					t.Errorf("%s: %s", n.Name, wrong)
				}
			}
			if seen != 3 {
				t.Errorf("%d ports with links were read, of 3", seen)
			}
		})
	}
}

// notPlanned returns the differences between the parsed classes and those of the plan. In RouterOS the traffic class is
// the priority, and traffic without a class has 1.
func notPlanned(q *device.QoS, c *facts.Classes) (wrong []string) {
	say := func(format string, args ...any) { wrong = append(wrong, fmt.Sprintf(format, args...)) }
	if got := c.Trust.Or("unknown"); got != q.Trust {
		say("trust is %s, want %s", got, q.Trust)
	}
	if got := c.PFCReceive.Or(nil); !slices.Equal(got, q.Lossless()) {
		say("PFC is obeyed for %v, want %v", got, q.Lossless())
	}
	if got := c.PFCSend.Or(nil); !slices.Equal(got, q.Lossless()) {
		say("PFC is sent for %v, want %v", got, q.Lossless())
	}
	if !c.Offload.Or(false) {
		say("QoS is not in hardware")
	}
	if got := c.DCBX.Or(false); got != (q.DCBX == "switch") {
		say("DCBX is %v, want %s", got, q.DCBX)
	}
	sum := 0.0
	for _, k := range q.Classes {
		if !k.Strict {
			sum += c.Queues[routerosClass(k)].Weight.Or(0)
		}
	}
	for _, k := range q.Classes {
		class := routerosClass(k)
		queue := c.Queues[class]
		for _, point := range k.DSCP {
			if got, ok := c.DSCP[point]; !ok || got != class {
				say("DSCP %d is in class %d (%v), want %d", point, got, ok, class)
			}
		}
		if got, known := queue.Strict.Get(); !known || got != k.Strict {
			say("class %s is strict: %v (%v), want %v", k.Name, got, known, k.Strict)
		}
		if got, known := queue.ECN.Get(); !known || got != k.ECN {
			say("class %s has ECN: %v (%v), want %v", k.Name, got, known, k.ECN)
		}
		if queue.WRED.Or(true) {
			say("class %s drops early", k.Name)
		}
		if share := 100 * queue.Weight.Or(0) / sum; !k.Strict &&
			(share < float64(k.Percent)-1 || share > float64(k.Percent)+1) {
			say("class %s has %.0f %%, want %d", k.Name, share, k.Percent)
		}
		if k.Lossless && !queue.Rate.IsKnown() {
			say("class %s has no egress rate", k.Name)
		}
	}
	return wrong
}

func routerosClass(k device.Class) int {
	if k.Default {
		return 1
	}
	return k.Priority
}

// TestRouterOSSpoiledIsSeen: each change of the script is found.
func TestRouterOSSpoiledIsSeen(t *testing.T) {
	p := planned(t, "../../../examples/roce-100g.yaml")
	text := Render(p).Device("crs504").File("apply.rsc").Text()
	sw := p.Switch("crs504")
	for _, c := range []struct{ from, to string }{
		{"trust-l3=keep", "trust-l3=ignore"}, {"rx=yes tx=yes", "rx=no tx=yes"},
		{"map ip add dscp=26 profile=\"roce\"", "map ip add dscp=27 profile=\"roce\""},
		{"dscp=48 pcp=6 traffic-class=6", "dscp=48 pcp=6 traffic-class=5"},
		{"traffic-class=6] schedule=strict-priority", "traffic-class=6] schedule=high-priority-group"},
		{"wred=no ecn=yes", "wred=yes ecn=yes"}, {"wred=no ecn=yes", "wred=no ecn=no"}, {"weight=3", "weight=9"},
		{"qos-hw-offloading=yes", "qos-hw-offloading=no"}, {"lldp-dcbx=yes", "lldp-dcbx=no"},
		{" egress-rate-queue3=100.0Gbps", ""},
	} {
		spoiled := strings.ReplaceAll(text, c.from, c.to)
		if spoiled == text {
			t.Errorf("%q is not in it", c.from)
			continue
		}
		f := testenv.Must(read.Parse([]byte("host crs504\nos routeros\n-- commands --\n" + spoiled)))(t)
		n := f.NIC(sw.PortName(sw.Ports[0]))
		if n == nil || n.Asked == nil || len(notPlanned(p.QoS(), n.Asked)) == 0 {
			t.Errorf("%q for %q is not seen", c.to, c.from)
		}
	}
}
