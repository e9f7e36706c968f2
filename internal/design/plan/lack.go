package plan

import (
	"fmt"
	"linerate/internal/record"
	"slices"
	"strings"
)

// Lack is something that the plan asks of a device and that config does not tell it: because the device cannot do it, or because no
// document says how. The rules of planning and the renderers of config read the same list, so that planning says it first, in the same words.
type Lack struct {
	// Severity is Error where it cannot be done by what is known: nothing is rendered for the device. Else the rest of the device is
	// rendered: Warning, the plan asks for it and has to be told by hand; Info, good to know.
	Severity record.Severity
	LeftOut  bool   // a Warning with which nothing is rendered all the same: how the device is told anything is not known
	Rule     string // the id of the rule that says it
	Kind     string // what is lacking
	Of       string // the port or class that it is about; empty: the device
	Subject  string // "switch sw", "host a", or the id of a port
	Message  string
	Fix      string
	Line     int // of the fabric's file
}

// The kinds of lack that renderers ask for.
const (
	LackClasses = "classes" // the fabric's classes, of a device or a port
	LackECN     = "ecn"     // marking, of a class
	LackLanes   = "lanes"   // lanes of a port
	LackDCBX    = "dcbx"    // announcements of the classes
	LackBuffers = "buffers" // buffers of lossless classes
	LackShares  = "shares"  // of the link, of a device or a port
)

// Lacks are those of one device.
type Lacks []Lack

// Has says whether something of a kind is lacking: of the device, or of this port or class.
func (l Lacks) Has(kind, of string) bool {
	return slices.ContainsFunc(l, func(x Lack) bool { return x.Kind == kind && (x.Of == "" || x.Of == of) })
}

// Refusals say why nothing can be rendered for the device; none if something can.
func (l Lacks) Refusals() []string {
	var out []string
	for _, x := range l {
		if x.Severity == record.Error || x.LeftOut {
			out = append(out, x.text())
		}
	}
	return out
}

// Gaps are what the device's files do not do.
func (l Lacks) Gaps() []string {
	var out []string
	for _, x := range l {
		if x.Severity != record.Error && !x.LeftOut {
			out = append(out, x.text())
		}
	}
	return out
}

// text is the lack for somebody who looks at the device already.
func (x Lack) text() string {
	out := x.Message
	if !strings.HasPrefix(x.Subject, "host ") && !strings.HasPrefix(x.Subject, "switch ") {
		out = x.Subject + ": " + out
	}
	if x.Fix != "" {
		out += "; " + x.Fix
	}
	return out
}

// problem is the lack for somebody who looks at the whole plan.
func (x Lack) problem() record.Problem {
	if x.LeftOut {
		x.Message += ", so that config leaves it out"
	}
	out := said(x.Severity, x.Subject, x.Line, x.Fix, "%s", x.Message)
	out.LeftOut, out.Unknown = x.LeftOut, x.Severity == record.Info && strings.Contains(x.Message, "not know")
	return out
}

// lacking collects the lacks of a device.
type lacking struct {
	p       *Plan
	subject string
	line    int
	out     Lacks
}

// add notes a lack of the device under the rule device-config.
func (l *lacking) add(s record.Severity, kind, fix, format string, args ...any) *Lack {
	l.out = append(l.out, Lack{Severity: s, Rule: ruleConfigID, Kind: kind, Subject: l.subject, Line: l.line, Fix: fix, Message: fmt.Sprintf(format, args...)})
	return &l.out[len(l.out)-1]
}

// of makes the lack one of a single class.
func (x *Lack) of(class string) *Lack {
	x.Of = class
	return x
}

// at makes the lack one of a single port.
func (x *Lack) at(port string) *Lack {
	x.Of, x.Subject = port, port
	return x
}

// leftOut says that nothing is rendered because of it.
func (x *Lack) leftOut() *Lack {
	x.LeftOut = true
	return x
}

// by gives the lack to another rule.
func (x *Lack) by(rule string) *Lack {
	x.Rule = rule
	return x
}

// lacks are the lacks of all devices that a rule says, switches first.
func (c *checkup) lacks(rule string) []record.Problem {
	if c.lacked == nil {
		c.lacked = map[string][]record.Problem{}
		for _, s := range c.p.Switches {
			c.keep(c.p.SwitchLacks(s))
		}
		for _, h := range c.p.Hosts {
			c.keep(c.p.HostLacks(h))
		}
	}
	return c.lacked[rule]
}

func (c *checkup) keep(all Lacks) {
	for _, x := range all {
		c.lacked[x.Rule] = append(c.lacked[x.Rule], x.problem())
	}
}
