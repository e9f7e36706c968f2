package plan

import (
	"fmt"
	"slices"
	"strings"

	"linerate/internal/design/catalog"
	"linerate/internal/design/fabric"
	"linerate/internal/record"
)

// Rule is something that is looked at before anything is bought.
type Rule struct {
	ID    string
	Title string // what it looks at, in a few words
	Why   string // why that matters, in a sentence
	// Worst is the highest severity that it gives.
	Worst record.Severity
	check func(*checkup) []record.Problem
}

// rules are asked in this order. A new one is a file rule_NAME.go, a line here
// and in docs/rules.md, and two fabrics in testdata/rules/ID.
var rules = []Rule{
	ruleAddressPool, ruleSubnetFull, rulePublicPool, ruleSameSubnet, ruleNames,
	ruleCage, ruleReach, ruleFEC, ruleSpeed, ruleBreakout,
	ruleSlot, ruleSlots, rulePorts, ruleWatts, ruleTrap,
	ruleDriver, ruleMTU, ruleSRIOV, ruleBond, ruleMesh, ruleLoop,
	ruleRDMA, ruleLossless, ruleMarking, ruleHeadroom, ruleDeadlock,
	ruleConfig,
}

// Rules returns all rules, in the order in which they are asked.
func Rules() []Rule { return slices.Clone(rules) }

// problems asks every rule. Equal problems of several subjects become one.
func (p *Plan) problems() []record.Problem {
	c := newCheckup(p)
	var all []record.Problem
	for _, r := range rules {
		found := r.check(c)
		for i := range found {
			found[i].ID, found[i].Why = r.ID, r.Why
		}
		all = append(all, merged(found)...)
	}
	return all
}

// Serious are the problems that are errors or warnings. What is only good to know, or that config
// leaves a device out, is for those who buy and configure, not for the record of a run.
func (p *Plan) Serious() []record.Problem {
	var out []record.Problem
	for _, x := range p.Problems {
		if x.Severity != record.Info && !x.LeftOut {
			out = append(out, x)
		}
	}
	return out
}

// listed is how many subjects of one problem are named before the rest is counted.
const listed = 4

// merged joins problems that differ in nothing but the subject and its line.
func merged(found []record.Problem) []record.Problem {
	type key struct {
		severity     record.Severity
		message, fix string
	}
	at := map[key]int{}
	var out []record.Problem
	for _, p := range found {
		k := key{p.Severity, p.Message, p.Fix}
		i, ok := at[k]
		if !ok {
			at[k] = len(out)
			p.Subjects = []string{p.Subject}
			out = append(out, p)
			continue
		}
		if !slices.Contains(out[i].Subjects[max(0, len(out[i].Subjects)-1):], p.Subject) {
			out[i].Subjects = append(out[i].Subjects, p.Subject)
		}
	}
	for i := range out {
		if s := out[i].Subjects; len(s) > 1 {
			out[i].Subject = together(s)
		} else {
			out[i].Subjects = nil
		}
	}
	return out
}

// together names several subjects as one: "links a, b and c".
func together(subjects []string) string {
	kind, _, ok := strings.Cut(subjects[0], " ")
	for _, s := range subjects {
		ok = ok && strings.HasPrefix(s, kind+" ")
	}
	short := subjects
	prefix := ""
	if ok {
		prefix = kind + "s "
		if kind == "switch" {
			prefix = "switches "
		}
		short = nil
		for _, s := range subjects {
			short = append(short, strings.TrimPrefix(s, kind+" "))
		}
	}
	if len(short) > listed+1 {
		return fmt.Sprintf("%s%s and %d more", prefix, strings.Join(short[:listed], ", "), len(short)-listed)
	}
	return prefix + strings.Join(short[:len(short)-1], ", ") + " and " + short[len(short)-1]
}

// because says why a property of a part is not known.
func because(p *catalog.Part) string {
	if p.Confidence == catalog.Declared {
		return "because the file writes the part out without it"
	}
	return "because no source of the catalogue says so"
}

// checkup is what rules ask: the plan, with both sides of every link found.
type checkup struct {
	p        *Plan
	f        *fabric.Fabric
	sides    [][2]side                   // by link
	byHost   map[string][]int            // links of a host
	bySwitch map[string][]int            // links of a switch
	cards    []card                      // that have a cable in them, in the order of the file
	domains  map[string][]*Port          // addressed ports by subnet
	subnets  []string                    // the keys of domains, in the order of the file
	lacked   map[string][]record.Problem // what devices are not told, by the rule that says it; nil: not asked yet
}

// side is one end of a link with what is known of it.
type side struct {
	id   string
	host *Host         // nil: a switch's
	nic  *fabric.NIC   // the card, of a bond its first; nil: a switch's
	sw   *Switch       // nil: a host's
	lane int           // of a breakout
	part *catalog.Part // nil: not written
	port catalog.Port  // Index alone if the part's ports are not known
}

// device is the name of the side's host or switch.
func (s side) device() string {
	if s.sw != nil {
		return s.sw.Name
	}
	return s.host.Name
}

// card is a host's card with its ports that have a cable in them.
type card struct {
	host  *Host
	nic   *fabric.NIC
	ports []*Port
	links []int
}

func (c card) id() string { return c.host.Name + "." + c.nic.Name }

func newCheckup(p *Plan) *checkup {
	c := &checkup{p: p, f: p.Fabric, byHost: map[string][]int{}, bySwitch: map[string][]int{}, domains: map[string][]*Port{}}
	at := map[string]int{}
	plug := func(h *Host, name string, port *Port, link int) {
		n := nic(h, name)
		if n == nil || port == nil {
			return
		}
		key := h.Name + "." + n.Name
		i, ok := at[key]
		if !ok {
			i = len(c.cards)
			at[key] = i
			c.cards = append(c.cards, card{host: h, nic: n})
		}
		c.cards[i].ports = append(c.cards[i].ports, port)
		c.cards[i].links = append(c.cards[i].links, link)
	}
	for i, l := range p.Links {
		var both [2]side
		for e, end := range l.Ends {
			d := p.Fabric.Links[i].Ends[e]
			both[e] = c.side(end, d)
			if h := both[e].host; h != nil {
				c.byHost[h.Name] = append(c.byHost[h.Name], i)
				plug(h, d.Card, p.Port(end.ID), i)
			} else if s := both[e].sw; s != nil {
				c.bySwitch[s.Name] = append(c.bySwitch[s.Name], i)
			}
		}
		c.sides = append(c.sides, both)
	}
	for _, h := range p.Hosts {
		for _, port := range h.Ports {
			if port.Address.IsValid() {
				key := port.Address.Masked().String()
				if c.domains[key] == nil {
					c.subnets = append(c.subnets, key)
				}
				c.domains[key] = append(c.domains[key], port)
			}
		}
	}
	return c
}

func (c *checkup) side(end End, d fabric.Port) side {
	s := side{id: end.ID, lane: d.Lane, host: c.p.Host(end.Host), sw: c.p.Switch(end.Switch)}
	index := d.Index
	switch {
	case s.sw != nil:
		s.part = s.sw.Part
	case s.host != nil:
		s.nic = nic(s.host, d.Card)
		for _, b := range s.host.Decl.Bonds {
			if s.nic == nil && b.Name == d.Card && len(b.Of) > 0 {
				s.nic, index = nic(s.host, b.Of[0].Card), b.Of[0].Index
			}
		}
		if s.nic != nil {
			s.part = s.nic.Part
		}
	}
	s.port = catalog.Port{Index: index}
	if s.part != nil {
		if port, ok, _ := s.part.Port(index); ok {
			s.port = port
		}
	}
	return s
}

// lossless are the fabric's classes without loss.
func (c *checkup) lossless() []fabric.Class {
	var out []fabric.Class
	for _, x := range c.f.Classes {
		if x.Lossless {
			out = append(out, x)
		}
	}
	return out
}

// said makes a problem of a rule, which puts its id and reason in. A rule that says in its own words that something is
// not known tells of a check that could not be made.
func said(s record.Severity, subject string, line int, fix, format string, args ...any) record.Problem {
	return record.Problem{Severity: s, Subject: subject, Line: line, Message: fmt.Sprintf(format, args...), Fix: fix,
		Unknown: s == record.Info && strings.Contains(format, "not known")}
}
