package traffic

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"linerate/internal/base/failure"
	"linerate/internal/base/unit"
)

// Entry is an engine's line in the table: what it is called, which settings it takes, and how an end of it is made.
type Entry struct {
	Method, Transport string

	// Takes has the settings that this engine takes and some others do not.
	Takes Takes
	// NoAmount and NoSource are why the engine carries no amount and sends no file; empty: it does.
	NoAmount, NoSource string
	// Uninvited is set where the other end did not agree to the experiment, so that questions are limited for its sake.
	Uninvited bool

	// Check reports what is wrong with the settings of this engine; nil: there is nothing beyond what all have.
	Check func(Setup) error
	// Size is the size of one message in effect.
	Size func(Setup) unit.Bytes
	// Memory is about what one end takes: buffers, slices and histograms.
	Memory func(Setup) unit.Bytes
	// Drain is the time for what is under way at the end of the interval.
	Drain time.Duration
	// Prepare opens what has to be there before the other end connects.
	Prepare func(context.Context, Endpoint) (Engine, error)
}

// Takes are settings that only some engines take.
type Takes struct {
	Pace, Every, Spin, PathMTU bool
	// LocalChosen allows a setup without a local address: the system chooses it.
	LocalChosen      bool
	UDP, Verbs, Halo bool // options of that name
}

// Table is the engines, by method and transport.
type Table []Entry

// Names returns the names of all methods, each once.
func (t Table) Names() []string { return t.names(func(e Entry) string { return e.Method }) }

func (t Table) names(of func(Entry) string) []string {
	var out []string
	for _, e := range t {
		if name := of(e); !slices.Contains(out, name) {
			out = append(out, name)
		}
	}
	return out
}

// Find returns the entry of a setup. Without a transport it is TCP.
func (t Table) Find(s Setup) (Entry, error) {
	var ways []string // transports of the method
	for _, e := range t {
		if e.Method == s.Method {
			if e.Transport == cmp.Or(s.Transport, TCP) {
				return e, nil
			}
			ways = append(ways, e.Transport)
		}
	}
	all := t.names(func(e Entry) string { return e.Transport })
	switch {
	case len(ways) == 0:
		return Entry{}, &failure.Error{Code: failure.CodeInput, Subject: "method",
			Text: fmt.Sprintf("%q is none of %s", s.Method, strings.Join(t.Names(), ", "))}
	case s.Transport != "" && !slices.Contains(all, s.Transport):
		last := len(all) - 1
		return Entry{}, Invalid("transport", fmt.Sprintf("%.40q", s.Transport),
			strings.Join(all[:last], ", ")+" or "+all[last])
	case len(ways) == 1:
		return Entry{}, Invalid("transport", fmt.Sprintf("%.40q", s.Transport), ways[0]+", that of "+s.Method)
	}
	return Entry{}, Invalid("transport", s.Transport, "one of "+s.Method)
}

// Memory returns about what one end takes for s.
func (t Table) Memory(s Setup) unit.Bytes {
	e, err := t.Find(s)
	if err != nil {
		return 0
	}
	return e.Memory(s)
}

// Grace returns how long after its interval an experiment of a method may still run.
func (t Table) Grace(method string) time.Duration {
	grace := time.Duration(0)
	for _, e := range t {
		if e.Method == method {
			grace = max(grace, tail+e.Drain)
		}
	}
	return grace
}

// Check reports what is wrong with s in itself; how much of anything is allowed is for the agent's limits.
func (t Table) Check(s Setup) error {
	e, err := t.Find(s)
	if err != nil {
		return err
	}
	for _, check := range []func(Entry) error{s.check, func(Entry) error { return s.ClassMark.Check() }, s.checkPace,
		s.checkAmount, s.checkSource, s.checkTuning} {
		if err := check(e); err != nil {
			return err
		}
	}
	if e.Check != nil {
		return e.Check(s)
	}
	return nil
}

// Invalid is the error of a setting with a value that it cannot have.
func Invalid(key string, value any, want string) error {
	return &failure.Error{Code: failure.CodeInput, Subject: key, Text: fmt.Sprintf("%v is not %s", value, want)}
}
