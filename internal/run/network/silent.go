package network

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"linerate/internal/base/failure"
	"linerate/internal/run/experiment"
	"linerate/internal/traffic"
)

// silentFor is how long a path counts as silent after nothing got through. Within it, further tests fail at once: each
// would wait for the same answers, for 10 to 20 s. After it the next test tries again, because links come back.
const silentFor = 15 * time.Second

// silentPaths are the paths of a run on which nothing got through, in either direction.
type silentPaths map[string]silence

type silence struct {
	transport string // empty: any
	test      string // that found it
	at        time.Time
}

type silentKey struct{}

func silentOf(s experiment.Session) silentPaths {
	return s.Shared(silentKey{}, func() any { return silentPaths{} }).(silentPaths)
}

// pathOf is the path of a combination, whatever the direction.
func pathOf(c *experiment.Combination) string {
	return strings.Join(append([]string{c.Record.From, c.Record.To}, c.Record.Links...), "\x00")
}

// note remembers that nothing got through, if that is what the error says.
func (p silentPaths) note(c *experiment.Combination, err error) {
	var no *noWay
	if !errors.As(err, &no) {
		return
	}
	s := silence{test: c.Record.Name, transport: transportOf(c), at: time.Now()}
	if no.code == failure.CodeUnreachable {
		s.transport = ""
	}
	p[pathOf(c)] = s
}

// why is the reason for not trying a combination; empty: it is tried.
func (p silentPaths) why(c *experiment.Combination) string {
	s, known := p[pathOf(c)]
	if !known || time.Since(s.at) > silentFor || s.transport != "" && s.transport != transportOf(c) {
		return ""
	}
	return fmt.Sprintf("not tried, because nothing got through between %s and %s in the test %s just before",
		c.Record.From, c.Record.To, s.test)
}

func transportOf(c *experiment.Combination) string {
	if t := c.Record.Settings["transport"]; t != "" {
		return t
	}
	return traffic.TCP
}

// noWay is the error where neither of two ends can connect to the other.
type noWay struct {
	error
	code string // of the second attempt
}

func (n *noWay) Unwrap() error { return n.error }
