package plan

import (
	"fmt"
	"slices"
	"strings"

	"linerate/internal/base/unit"
	"linerate/internal/design/catalog"
	"linerate/internal/design/fabric"
	"linerate/internal/record"
)

// Rule is a check of the plan before anything is bought.
type Rule struct {
	ID    string
	Title string          // what it checks, in a few words
	Why   string          // why that matters, in a sentence
	Worst record.Severity // the highest severity that it reports
	check func(*checkup)
}

// rules run in this order. A new one is a variable in a file rule_TOPIC.go, a line here and in docs/rules.md, and two
// fabrics in testdata/rules/ID.
var rules = []Rule{
	ruleAddressPool,
	ruleSubnetFull,
	rulePublicPool,
	ruleSameSubnet,
	ruleNames,
	ruleCage,
	ruleDistance,
	ruleFEC,
	ruleSpeed,
	ruleBreakout,
	ruleSlot,
	ruleSlots,
	rulePorts,
	ruleWatts,
	ruleTrap,
	ruleDriver,
	ruleMTU,
	ruleSRIOV,
	ruleBond,
	ruleMesh,
	ruleLoop,
	ruleRDMA,
	ruleLossless,
	ruleMarking,
	ruleHeadroom,
	ruleDeadlock,
	ruleConfig,
}

// Rules returns all rules, in the order in which they run.
func Rules() []Rule { return slices.Clone(rules) }

// problems runs every rule. Equal problems of several subjects become one.
func (p *Plan) problems() []record.Problem {
	c := newCheckup(p)
	var all []record.Problem
	for _, r := range rules {
		c.found = nil
		r.check(c)
		for i := range c.found {
			c.found[i].ID, c.found[i].Why = r.ID, r.Why
		}
		all = append(all, merged(c.found)...)
	}
	return all
}

// Serious returns the errors and warnings for the record of a run. It omits infos, and that config omits a device: both
// are for those who buy and configure.
func (p *Plan) Serious() []record.Problem {
	return slices.DeleteFunc(slices.Clone(p.Problems),
		func(x record.Problem) bool { return x.Severity == record.Info || x.LeftOut })
}

// listed is the number of subjects of one problem that are named before the rest is counted.
const listed = 4

// merged joins problems that differ only in the subject and its line.
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
			out[i].Subject = enumerate(s)
		} else {
			out[i].Subjects = nil
		}
	}
	return out
}

// enumerate names several subjects as one: "links a, b and c".
func enumerate(subjects []string) string {
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
	return prefix + unit.List(short)
}

// because returns the reason why a property of a part is not known.
func because(p *catalog.Part) string {
	if p.Confidence == catalog.Declared {
		return "because the file writes the part out without it"
	}
	return "because no source of the catalogue says so"
}

// checkup is the plan as rules read it, with both sides of every link, and what the running rule has found.
type checkup struct {
	p        *Plan
	f        *fabric.Fabric
	sides    [][2]side                   // by link
	bySwitch map[string][]int            // links of a switch
	nics     []usedNIC                   // in the order of the file
	domains  map[string][]*Port          // addressed ports by subnet
	subnets  []string                    // the keys of domains, in the order of the file
	byRule   map[string][]record.Problem // the gaps of all devices, by the rule that reports them; nil: not collected yet
	found    []record.Problem            // by the rule that runs
}

// side is one end of a link with what is known of it.
type side struct {
	id   string
	host *Host         // nil: the end of a switch
	nic  *fabric.NIC   // of a bond the first; nil: the end of a switch
	sw   *Switch       // nil: the end of a host
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

// usedNIC is a host's NIC with its ports that have a cable in them.
type usedNIC struct {
	*fabric.NIC
	host  *Host
	ports []*Port
}

func (n usedNIC) id() string { return n.host.Name + "." + n.Name }

func newCheckup(p *Plan) *checkup {
	c := &checkup{p: p, f: p.Fabric, bySwitch: map[string][]int{}, domains: map[string][]*Port{}}
	at := map[*fabric.NIC]int{}
	plug := func(h *Host, name string, port *Port) {
		n := nic(h, name)
		if n == nil || port == nil {
			return
		}
		i, ok := at[n]
		if !ok {
			i = len(c.nics)
			at[n] = i
			c.nics = append(c.nics, usedNIC{NIC: n, host: h})
		}
		c.nics[i].ports = append(c.nics[i].ports, port)
	}
	for i, l := range p.Links {
		var both [2]side
		for e, end := range l.Ends {
			d := p.Fabric.Links[i].Ends[e]
			both[e] = c.side(end, d)
			if h := both[e].host; h != nil {
				plug(h, d.NIC, p.Port(end.ID))
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
		s.nic = nic(s.host, d.NIC)
		for _, b := range s.host.Decl.Bonds {
			if s.nic == nil && b.Name == d.NIC && len(b.Of) > 0 {
				s.nic, index = nic(s.host, b.Of[0].NIC), b.Of[0].Index
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

// lossless returns the fabric's classes without loss.
func (c *checkup) lossless() []fabric.Class {
	return slices.DeleteFunc(slices.Clone(c.f.Classes), func(x fabric.Class) bool { return !x.Lossless })
}

// report adds a problem to those of the rule that runs. An info that says that something is not known is a check that
// could not be made.
func (c *checkup) report(s record.Severity, subject string, line int, fix, format string, args ...any) {
	c.found = append(c.found, record.Problem{Severity: s, Subject: subject, Line: line,
		Message: fmt.Sprintf(format, args...), Fix: fix, Unknown: s == record.Info && strings.Contains(format, "not known")})
}

func (c *checkup) info(subject string, line int, fix, format string, args ...any) {
	c.report(record.Info, subject, line, fix, format, args...)
}

func (c *checkup) warn(subject string, line int, fix, format string, args ...any) {
	c.report(record.Warning, subject, line, fix, format, args...)
}

func (c *checkup) fail(subject string, line int, fix, format string, args ...any) {
	c.report(record.Error, subject, line, fix, format, args...)
}
