package lossless

import (
	"fmt"
	"slices"

	"linerate/internal/base/unit"
	"linerate/internal/device/families"

	"linerate/internal/facts"
	"linerate/internal/inspect/check"
	"linerate/internal/record"
)

const qosMenu = "/interface ethernet switch qos"

// ForcedClass checks for ports that map all traffic to a lossless class.
var ForcedClass = check.Check{
	ID:    "forced-class",
	Title: "ports that put all traffic into a lossless class",
	Why: "a port that trusts no marks gives every packet its own class: with a lossless one web pages and file " +
		"copies are paused, and pause, with RDMA",
	Worst: record.Warning,
	Source: "MikroTik, Quality of Service: with trust-l2 and trust-l3 at ignore the port's profile is forced on all " +
		"ingress packets",
	Look: func(w *check.World, r *check.Report) {
		for _, g := range w.PortsAlike(func(_ *check.Host, n *facts.Interface) string {
			c := check.ClassesOf(n)
			if c == nil {
				return ""
			}
			class, known := c.Forced.Get()
			if !known || c.Trust.Or("") != "none" || !slices.Contains(check.Lossless(c), class) {
				return ""
			}
			return fmt.Sprint(class)
		}) {
			n := g.First()
			c := check.ClassesOf(n)
			class := c.Forced.Or(0)
			f := record.Finding{
				Severity: record.Warning, Subject: g.Subject(),
				Have:     fmt.Sprintf("no mark is trusted: every packet that comes in is of class %d, which is lossless", class),
				Want:     fmt.Sprintf("marks are trusted, and only marked packets are of class %d", class),
				Evidence: g.Proofs(c.Proofs["trust"], c.Proofs["pfc profile"]),
				Consequence: "ordinary traffic is paused together with RDMA, and one slow receiver of it stops the class behind " +
					"every port",
				Fix: "trust DSCP on these ports",
			}
			if families.Traits(g.Host.Facts.OS).Menus {
				f.Fix, f.Undo = rosPorts(g, class, "profile=default trust-l3=keep", "trust-l3=ignore")
			}
			r.Found(f, g.About()...)
		}
	},
}

// rosPorts returns a command for these ports, and its undo. It selects the ports by their profile, where that is known.
func rosPorts(g check.Alike, class int, set, undo string) (fix, back string) {
	names := ""
	for i, p := range g.Ports {
		if i > 0 {
			names += ","
		}
		names += p.Name
	}
	profile := "default"
	for _, p := range check.ClassesOf(g.First()).Profiles {
		if p.Class == class && p.Name != "default" {
			profile = p.Name
		}
	}
	if len(g.Ports) > 3 && profile != "default" {
		names = "[find where profile=" + profile + "]"
	}
	fix = qosMenu + " port set " + names + " " + set + "; then look whether print shows it: " + qosMenu + " port print"
	return fix, qosMenu + " port set " + g.Ports[0].Name + " profile=" + profile + " " + undo + check.Plural(len(g.Ports),
		"", ", and so on for each port")
}

// NotApplied compares the configured traffic classes of a port with those in effect.
var NotApplied = check.Check{
	ID:    "switch-config-not-applied",
	Title: "what was set on a port's traffic classes, and what is in effect",
	Why: "a command that is taken without an error may still change nothing: only what the device prints afterwards " +
		"counts",
	Worst:  record.Warning,
	Source: "what the device is configured to, and what it prints",
	Look: func(w *check.World, r *check.Report) {
		for _, aspect := range aspects {
			for _, g := range w.PortsAlike(func(_ *check.Host, n *facts.Interface) string {
				if n.Asked == nil || n.Effect == nil {
					return ""
				}
				asked, _, ok := aspect.of(n.Asked)
				got, _, ok2 := aspect.of(n.Effect)
				if !ok || !ok2 || asked == got {
					return ""
				}
				return asked + " " + got
			}) {
				n := g.First()
				asked, askedBy, _ := aspect.of(n.Asked)
				got, gotBy, _ := aspect.of(n.Effect)
				f := record.Finding{
					Severity: record.Warning, Subject: g.Subject(), Have: aspect.name + " is " + got + " in effect",
					Want:        asked + ", as it was set",
					Evidence:    g.Proofs(n.Asked.Proofs[askedBy], n.Effect.Proofs[gotBy]),
					Consequence: "the ports do not do what their configuration says: " + aspect.costs,
					Fix: "set it again and look what the device prints; if it stays, look at the release notes of its " +
						"software",
				}
				if families.Traits(g.Host.Facts.OS).Menus && aspect.name == "trust" {
					f.Fix = qosMenu + " port set " + n.Name + " trust-l3=keep; " + qosMenu +
						" port print; if it still shows ignore, update RouterOS"
					f.Undo = qosMenu + " port set " + n.Name + " trust-l3=ignore"
				}
				r.Found(f, g.About()...)
			}
		}
	},
}

// aspects are the settings of traffic classes that can be read back, in words, with the name of the line that has them.
var aspects = []struct {
	name, costs string
	of          func(c *facts.Classes) (value, proof string, known bool)
}{
	{"trust", "marks do not sort packets into classes as they should", func(c *facts.Classes) (string, string, bool) {
		v, ok := c.Trust.Get()
		return v, "trust", ok
	}},
	{"PFC", "the lossless class is not paused as it should be", func(c *facts.Classes) (string, string, bool) {
		rx, ok := c.PFCReceive.Get()
		tx, ok2 := c.PFCSend.Get()
		return "obeyed for " + classList(rx) + " and sent for " + classList(tx), "pfc", ok && ok2
	}},
	{"QoS in hardware", "the chip does not sort packets at all", func(c *facts.Classes) (string, string, bool) {
		v, ok := c.Offload.Get()
		return unit.If(v, "on", "off"), "offload", ok
	}},
	{"DCBX", "hosts that wait for the switch's settings get none", func(c *facts.Classes) (string, string, bool) {
		v, ok := c.DCBX.Get()
		return unit.If(v, "on", "off"), "dcbx", ok
	}},
}

func classList(list []int) string {
	if len(list) == 0 {
		return "no class"
	}
	return check.Plural(len(list), "class ", "classes ") + check.Numbers(list)
}
