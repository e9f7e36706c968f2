package fabric

import (
	"fmt"
	"strings"

	"linerate/internal/base/diag"
)

// What a file may have. A fabric of 1000 hosts written out is some 200 KiB.
const (
	maxFile  = 1 << 20
	maxDepth = 40
	maxNodes = 200_000 // values, anchors counted as often as they are used
)

// source is the text of a file with its problems.
type source struct {
	*diag.Text
	problems Problems
	seen     map[string]bool

	work    int  // what ranges and variants have cost so far
	calls   int  // of add
	stopped bool // too much of either: a problem says so
}

func newSource(name string, text []byte) *source {
	return &source{Text: diag.New(name, text), seen: map[string]bool{}}
}

// What a file that is wrong on purpose can cost: problems kept, problems found,
// and values that ranges and variants stand for.
const (
	maxProblems = 1000
	maxCalls    = 5000
	maxWork     = 2_000_000
)

// stop ends the decoding where a limit was passed that a problem names.
func (s *source) stop() { s.stopped = true }

// charge counts work at a place. It returns false when there was too much.
func (s *source) charge(at At, n int) bool {
	s.work += n
	if s.work > maxWork && !s.stopped {
		s.stopped = true
		s.add(at, Problem{Subject: "the file", Message: fmt.Sprintf("its ranges and variants stand for more than %d values up to here", maxWork),
			Limit: "linerate's limit against files that grow without end", Fix: "shorten the ranges, or split the file"})
	}
	return !s.stopped
}

// add keeps a problem. Names of one range differ by their digits only, so equal
// problems of the same place that differ only there are one.
func (s *source) add(at At, p Problem) {
	if s.calls++; s.calls > maxCalls {
		s.stopped = true
		return
	}
	placed := s.Place(diag.At(at), p)
	key := fmt.Sprintf("%d:%d:%s", placed.Line, placed.Col, withoutDigits(p.Message))
	if s.seen[key] || len(s.problems) >= maxProblems {
		return
	}
	s.seen[key] = true
	s.problems = append(s.problems, placed)
}

func withoutDigits(s string) string {
	var b strings.Builder
	last := byte(0)
	for i := range len(s) {
		c := s[i]
		if c >= '0' && c <= '9' {
			c = '#'
		}
		if c != '#' || last != '#' {
			b.WriteByte(c)
		}
		last = c
	}
	return b.String()
}

// reads is what linerate reads of a fabric file.
var reads = diag.Reads{Files: "fabric files", Most: maxFile, TooMuch: "is it the right file? ranges such as n[1-64] describe many equal hosts in one entry", Depth: maxDepth, Needs: "a fabric needs eight"}

// checkText says whether the text can be parsed.
func (s *source) checkText() bool {
	p := s.Check(reads)
	if p != nil {
		s.problems = append(s.problems, p)
	}
	return p == nil
}
