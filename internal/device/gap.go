package device

import (
	"fmt"
	"slices"
	"strings"

	"linerate/internal/record"
)

// Gap is a part of the plan that a device's configuration does not set, because the device cannot do it or because no
// document describes how. The planner's rules and the renderers use the same list, so planning reports it first and
// with the same words.
type Gap struct {
	// Severity is Error if it is impossible as far as is known; then the device is not rendered. Otherwise the rest of the
	// device is rendered: a Warning has to be set by hand, and an Info is only good to know.
	Severity record.Severity
	LeftOut  bool   // a Warning for which the device is not rendered: no document describes its configuration
	Rule     string // the id of the rule that reports it
	Kind     string // what is missing
	Of       string // its port or class; empty: the whole device
	Subject  string // "switch sw", "host a", or the id of a port
	Message  string
	Fix      string
	Line     int // of the fabric file
}

// The kinds of gap that renderers query.
const (
	GapClasses = "classes" // the fabric's classes, of a device or a port
	GapECN     = "ecn"     // marking, of a class
	GapLanes   = "lanes"   // lanes of a port
	GapDCBX    = "dcbx"    // announcements of the classes
	GapBuffers = "buffers" // buffers of lossless classes
	GapShares  = "shares"  // of the link, of a device or a port
)

// The ids of the planner's rules that report gaps.
const (
	RuleConfig     = "device-config"
	RuleMTU        = "mtu"
	RuleLossless   = "lossless-ability"
	RuleSameSubnet = "same-subnet"
	RuleBond       = "bond"
)

// Gaps are those of one device.
type Gaps []Gap

// Has reports whether there is a gap of a kind for the device, or for this port or class.
func (g Gaps) Has(kind, of string) bool {
	return slices.ContainsFunc(g, func(x Gap) bool { return x.Kind == kind && (x.Of == "" || x.Of == of) })
}

// Refusals returns the reasons why the device cannot be rendered; empty if it can.
func (g Gaps) Refusals() []string {
	var out []string
	for _, x := range g {
		if x.refuses() {
			out = append(out, x.text())
		}
	}
	return out
}

// Missing returns what the device's files do not set.
func (g Gaps) Missing() []string {
	var out []string
	for _, x := range g {
		if !x.refuses() {
			out = append(out, x.text())
		}
	}
	return out
}

// LeavesOut reports whether the device is not rendered because no document describes its configuration.
func (g Gaps) LeavesOut() bool { return slices.ContainsFunc(g, func(x Gap) bool { return x.LeftOut }) }

func (x Gap) refuses() bool { return x.Severity == record.Error || x.LeftOut }

// text describes the gap to a reader of the device's files.
func (x Gap) text() string {
	out := x.Message
	if !strings.HasPrefix(x.Subject, "host ") && !strings.HasPrefix(x.Subject, "switch ") {
		out = x.Subject + ": " + out
	}
	if x.Fix != "" {
		out += "; " + x.Fix
	}
	return out
}

// Problem describes the gap to a reader of the whole plan.
func (x Gap) Problem() record.Problem {
	message := x.Message
	if x.LeftOut {
		message += ", so that config leaves it out"
	}
	return record.Problem{ID: x.Rule, Severity: x.Severity, Subject: x.Subject, Line: x.Line, Fix: x.Fix,
		Message: message, LeftOut: x.LeftOut, Unknown: x.Severity == record.Info && strings.Contains(message, "not know")}
}

// Collector collects the gaps of one device.
type Collector struct {
	subject string
	line    int
	gaps    Gaps
}

// NewCollector returns a collector for a device. subject is "switch sw" or "host a", and line its line in the fabric
// file.
func NewCollector(subject string, line int) *Collector {
	return &Collector{subject: subject, line: line}
}

// Gaps returns what was collected.
func (c *Collector) Gaps() Gaps { return c.gaps }

// Error adds something that is impossible as far as is known: the device is not rendered.
func (c *Collector) Error(kind, fix, format string, args ...any) *Gap {
	return c.add(record.Error, kind, fix, fmt.Sprintf(format, args...))
}

// Warn adds something of the plan that has to be set by hand.
func (c *Collector) Warn(kind, fix, format string, args ...any) *Gap {
	return c.add(record.Warning, kind, fix, fmt.Sprintf(format, args...))
}

// Note adds something that is good to know.
func (c *Collector) Note(kind, fix, format string, args ...any) *Gap {
	return c.add(record.Info, kind, fix, fmt.Sprintf(format, args...))
}

func (c *Collector) add(s record.Severity, kind, fix, message string) *Gap {
	c.gaps = append(c.gaps, Gap{Severity: s, Rule: RuleConfig, Kind: kind, Subject: c.subject, Line: c.line, Fix: fix,
		Message: message})
	return &c.gaps[len(c.gaps)-1]
}

// OfClass restricts the gap to one class.
func (x *Gap) OfClass(class string) *Gap {
	x.Of = class
	return x
}

// At restricts the gap to one port.
func (x *Gap) At(port string) *Gap {
	x.Of, x.Subject = port, port
	return x
}

// LeaveOut makes the gap one for which the device is not rendered.
func (x *Gap) LeaveOut() *Gap {
	x.LeftOut = true
	return x
}

// By assigns the gap to another rule.
func (x *Gap) By(rule string) *Gap {
	x.Rule = rule
	return x
}
