package lossless

import (
	"fmt"
	"slices"

	"linerate/internal/device/families"
	"linerate/internal/facts"
	"linerate/internal/inspect/check"
	"linerate/internal/record"
)

// roceDSCP and cnpDSCP are the code points that NVIDIA's NICs and most vendors' documents use for RoCEv2 and its
// congestion notifications.
const (
	roceDSCP = 26
	cnpDSCP  = 48
)

// wanted returns the code point of a lossless class: the planned one, or else the usual one.
func wanted(w *check.World, class int) int {
	if w.Plan != nil && w.Plan.QoS() != nil {
		if c := w.Plan.QoS().Class(class); c.Lossless && len(c.DSCP) > 0 {
			return c.DSCP[0]
		}
	}
	return roceDSCP
}

// Unmapped checks for lossless classes without a DSCP value.
var Unmapped = check.Check{
	ID:    "dscp-unmapped",
	Title: "lossless classes that no mark leads to",
	Why: "a class is lossless only for the packets that are sorted into it; without a map the RDMA traffic travels " +
		"with all other, and is lost with it",
	Worst:  record.Warning,
	Source: "MikroTik, Quality of Service: before RouterOS 7.23 maps are made by hand; RFC 2474",
	Look: func(w *check.World, r *check.Report) {
		for _, g := range w.PortsAlike(func(h *check.Host, n *facts.Interface) string {
			c := check.ClassesOf(n)
			for _, class := range check.Lossless(c) {
				if _, ok := unmapped(c, class); ok {
					return fmt.Sprint(class)
				}
			}
			return ""
		}) {
			c := check.ClassesOf(g.First())
			for _, class := range check.Lossless(c) {
				profile, ok := unmapped(c, class)
				if !ok {
					continue
				}
				mark := wanted(w, class)
				f := record.Finding{
					Severity: record.Warning, Subject: g.Subject(), Have: fmt.Sprintf("no code point leads to class %d, which is "+
						"lossless", class), Want: fmt.Sprintf("DSCP %d leads to class %d", mark, class),
					Evidence: g.Proofs(c.Proofs["dscp"], c.Proofs["pfc profile"], c.Proofs["pfc"]),
					Consequence: fmt.Sprintf("packets with DSCP %d are of the class of all other traffic, which is not paused: "+
						"RDMA loses them when a queue is full", mark),
					Fix: fmt.Sprintf("map DSCP %d to class %d", mark, class),
				}
				if profile.Name != "" {
					f.Have = fmt.Sprintf("the profile %s of class %d has DSCP %d, and no row of map ip that leads to it is in the "+
						"snapshot", profile.Name, class, profile.DSCP.Or(0))
					f.Evidence = g.Proofs(profile.Proof)
					if c.Trust.Or("") != "dscp" && c.Trust.Or("") != "both" {
						f.Consequence = "as soon as the ports trust DSCP, " + f.Consequence
					}
					f.Fix = fmt.Sprintf("%s profile set [find where name=%s] dscp=%d; before RouterOS 7.23 also %s map ip add "+
						"dscp=%d profile=%s", qosMenu, profile.Name, mark, qosMenu, mark, profile.Name)
					f.Undo = fmt.Sprintf("%s map ip remove [find where dscp=%d]; %s profile set [find where name=%s] dscp=%d", qosMenu,
						mark, qosMenu, profile.Name, profile.DSCP.Or(0))
				}
				r.Found(f, g.About()...)
			}
		}
	},
}

// unmapped reports whether no code point leads to a class: the whole map of 64 is known and has none, or only profiles
// of the class are known and have no mark.
func unmapped(c *facts.Classes, class int) (facts.Profile, bool) {
	if c.Trust.Or("") == "pcp" {
		return facts.Profile{}, false
	}
	if c.DSCP != nil {
		return markless(c, class, true), len(c.Points(class)) == 0 && len(c.DSCP) == 64
	}
	p := markless(c, class, false)
	return p, p.Name != ""
}

// markless returns a profile of a class without a code point of its own, or none if one of the profiles has one.
func markless(c *facts.Classes, class int, any bool) (found facts.Profile) {
	for _, p := range c.Profiles {
		mark, known := p.DSCP.Get()
		if p.Class != class || p.Name == "default" {
			continue
		}
		if !any && (!known || mark != 0) {
			return facts.Profile{}
		}
		found = p
	}
	return found
}

// CNP checks that congestion notifications have a class of their own.
var CNP = check.Check{
	ID:    "cnp-class",
	Title: "a class of its own for congestion notifications",
	Why: "ECN slows a sender by a packet that travels back: behind full queues it comes too late, and in a paused " +
		"class not at all",
	Worst:  record.Warning,
	Source: "DCQCN (SIGCOMM 2015); NVIDIA: notifications leave the NIC with DSCP 48",
	Look: func(w *check.World, r *check.Report) {
		for _, g := range w.PortsAlike(func(h *check.Host, n *facts.Interface) string {
			have, _ := noCNP(check.ClassesOf(n))
			return have
		}) {
			c := check.ClassesOf(g.First())
			have, proof := noCNP(c)
			f := record.Finding{
				Severity: record.Warning, Subject: g.Subject(), Have: have, Want: fmt.Sprintf(
					"DSCP %d leads to a class that goes before all others and is not paused", cnpDSCP),
				Evidence: g.Proofs(proof),
				Consequence: "notifications wait behind what they are to slow down: queues fill until PFC pauses, which stops " +
					"others, too",
				Fix: fmt.Sprintf("map DSCP %d to a class of its own, strict and without PFC", cnpDSCP),
			}
			if families.Traits(g.Host.Facts.OS).Menus {
				f.Fix = fmt.Sprintf("%s profile add name=cnp dscp=%d pcp=6 traffic-class=6; before RouterOS 7.23 also %s map ip "+
					"add dscp=%d profile=cnp; %s tx-manager queue set [find where traffic-class=6] schedule=strict-priority",
					qosMenu, cnpDSCP, qosMenu, cnpDSCP, qosMenu)
				f.Undo = fmt.Sprintf("%s map ip remove [find where profile=cnp]; %s profile remove [find where name=cnp]", qosMenu,
					qosMenu)
			}
			r.Found(f, g.About()...)
		}
	},
}

// noCNP describes the fault of the class of congestion notifications, where a lossless class uses ECN; empty: there is
// none, or it is not known.
func noCNP(c *facts.Classes) (have string, proof facts.Proof) {
	paused := check.Lossless(c)
	if !slices.ContainsFunc(paused, func(k int) bool { return c.Queues[k].ECN.Or(false) }) {
		return "", proof
	}
	if c.DSCP != nil {
		class, ok := c.DSCP[cnpDSCP]
		rest, hasRest := c.DSCP[0]
		switch {
		case !ok:
			return "", proof
		case slices.Contains(paused, class):
			return fmt.Sprintf("DSCP %d leads to class %d, which is paused itself", cnpDSCP, class),
				firstProof(c, fmt.Sprintf("dscp %d", cnpDSCP), fmt.Sprintf("queue %d", class))
		case hasRest && class == rest && !c.Queues[class].Strict.Or(false):
			return fmt.Sprintf("DSCP %d is in class %d with all other traffic", cnpDSCP, class),
				firstProof(c, fmt.Sprintf("dscp %d", cnpDSCP), fmt.Sprintf("queue %d", class))
		}
		return "", proof
	}
	if c.Profiles == nil || slices.ContainsFunc(c.Profiles, func(p facts.Profile) bool {
		return p.DSCP.Or(cnpDSCP) == cnpDSCP
	}) {
		return "", proof
	}
	idle := 0
	var first facts.Proof
	for class := 7; class >= 0; class-- {
		q, there := c.Queues[class]
		if !there || !q.Strict.Or(false) {
			continue
		}
		if check.SortedInto(q) {
			return "", proof
		}
		idle, first = class, c.Proofs[fmt.Sprintf("queue %d", class)]
	}
	if idle == 0 {
		return "", proof
	}
	return fmt.Sprintf("no profile has DSCP %d, and queue %d, which goes before all others, is inactive: notifications "+
		"have no class of their own", cnpDSCP, idle), first
}

func firstProof(c *facts.Classes, aspects ...string) facts.Proof {
	for _, a := range aspects {
		if p, ok := c.Proofs[a]; ok {
			return p
		}
	}
	return facts.Proof{}
}
