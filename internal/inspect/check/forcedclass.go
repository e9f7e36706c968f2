package check

import (
	"fmt"
	"slices"

	"linerate/internal/facts"
	"linerate/internal/record"
)

const qosMenu = "/interface ethernet switch qos"

var checkForcedClass = Check{
	ID:     "forced-class",
	Title:  "ports that put all traffic into a lossless class",
	Why:    "a port that trusts no marks gives every packet its own class: with a lossless one web pages and file copies are paused, and pause, with RDMA",
	Worst:  record.Warning,
	Source: "MikroTik, Quality of Service: with trust-l2 and trust-l3 at ignore the port's profile is forced on all ingress packets",
	look: func(w *World, r *report) {
		for _, g := range w.portsAlike(func(_ *Host, n *facts.Interface) string {
			c := classesOf(n)
			if c == nil {
				return ""
			}
			class, known := c.Forced.Get()
			if !known || c.Trust.Or("") != "none" || !slices.Contains(lossless(c), class) {
				return ""
			}
			return fmt.Sprint(class)
		}) {
			n := g.first()
			c := classesOf(n)
			class := c.Forced.Or(0)
			f := record.Finding{
				Severity: record.Warning, Subject: g.subject(),
				Have:        fmt.Sprintf("no mark is trusted: every packet that comes in is of class %d, which is lossless", class),
				Want:        fmt.Sprintf("marks are trusted, and only marked packets are of class %d", class),
				Evidence:    g.proofs(c.Proofs["trust"], c.Proofs["pfc profile"]),
				Consequence: "ordinary traffic is paused together with RDMA, and one slow receiver of it stops the class behind every port",
				Fix:         "trust DSCP on these ports",
			}
			if g.host.Facts.OS == "routeros" {
				f.Fix, f.Undo = g.rosPorts(class, "profile=default trust-l3=keep", "trust-l3=ignore")
			}
			r.found(f, g.about()...)
		}
	},
}

// rosPorts is a command for these ports, and its undo. They are found by the profile that they have, where that is known.
func (g alike) rosPorts(class int, set, undo string) (fix, back string) {
	names := ""
	for i, p := range g.ports {
		if i > 0 {
			names += ","
		}
		names += p.Name
	}
	profile := "default"
	for _, p := range classesOf(g.first()).Profiles {
		if p.Class == class && p.Name != "default" {
			profile = p.Name
		}
	}
	if len(g.ports) > 3 && profile != "default" {
		names = "[find where profile=" + profile + "]"
	}
	fix = qosMenu + " port set " + names + " " + set + "; then look whether print shows it: " + qosMenu + " port print"
	return fix, qosMenu + " port set " + g.ports[0].Name + " profile=" + profile + " " + undo + plural(len(g.ports), "", ", and so on for each port")
}

var checkNotApplied = Check{
	ID:     "switch-config-not-applied",
	Title:  "what was set on a port's traffic classes, and what is in effect",
	Why:    "a command that is taken without an error may still change nothing: only what the device prints afterwards counts",
	Worst:  record.Warning,
	Source: "what the device was told, and what it prints",
	look: func(w *World, r *report) {
		for _, aspect := range aspects {
			for _, g := range w.portsAlike(func(_ *Host, n *facts.Interface) string {
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
				n := g.first()
				asked, askedBy, _ := aspect.of(n.Asked)
				got, gotBy, _ := aspect.of(n.Effect)
				f := record.Finding{
					Severity: record.Warning, Subject: g.subject(), Have: aspect.name + " is " + got + " in effect", Want: asked + ", as it was set",
					Evidence:    g.proofs(n.Asked.Proofs[askedBy], n.Effect.Proofs[gotBy]),
					Consequence: "the ports do not do what their configuration says: " + aspect.costs,
					Fix:         "set it again and look what the device prints; if it stays, look at the release notes of its software",
				}
				if g.host.Facts.OS == "routeros" && aspect.name == "trust" {
					f.Fix = qosMenu + " port set " + n.Name + " trust-l3=keep; " + qosMenu + " port print; if it still shows ignore, update RouterOS"
					f.Undo = qosMenu + " port set " + n.Name + " trust-l3=ignore"
				}
				r.found(f, g.about()...)
			}
		}
	},
}

// aspects are what is set of traffic classes and can be read back, as words, with the name of the line that says it.
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
		return map[bool]string{true: "on", false: "off"}[v], "offload", ok
	}},
	{"DCBX", "hosts that wait for the switch's settings get none", func(c *facts.Classes) (string, string, bool) {
		v, ok := c.DCBX.Get()
		return map[bool]string{true: "on", false: "off"}[v], "dcbx", ok
	}},
}

func classList(list []int) string {
	if len(list) == 0 {
		return "no class"
	}
	return plural(len(list), "class ", "classes ") + numbers(list)
}
