package fabric

import (
	"fmt"
	"slices"
	"strings"

	"linerate/internal/base/diag"
	"linerate/internal/base/xslices"
)

// Limits of a file. A fabric of 1000 hosts without ranges is some 200 KiB.
const (
	maxFile  = 1 << 20
	maxDepth = 40
	maxNodes = 200_000 // values; anchors count once per use
)

// source is the text of a file with its problems.
type source struct {
	*diag.Text
	problems Problems
	seen     map[string]bool
	shared   map[string]*Problem // by the value that several entries use

	work    int  // the cost of ranges and variants so far
	calls   int  // of add
	stopped bool // a limit of either was passed, which a problem reports
}

func newSource(name string, text []byte) *source {
	return &source{Text: diag.New(name, text), seen: map[string]bool{},
		shared: map[string]*Problem{}}
}

// Limits of a hostile file: kept problems, found problems, and values that ranges and variants expand to.
const (
	maxProblems = 1000
	maxCalls    = 5000
	maxWork     = 2_000_000
)

// stop ends the decoding where a limit was passed that a problem names.
func (s *source) stop() { s.stopped = true }

// charge counts work at a place. It returns false when the limit is passed.
func (s *source) charge(at At, n int) bool {
	s.work += n
	if s.work > maxWork && !s.stopped {
		s.stopped = true
		s.add(at, Problem{ID: diag.TooLarge, Subject: diag.WholeFile,
			Message: fmt.Sprintf("ranges and variants make more than %d values", maxWork),
			Limit:   "linerate stops here", Fix: "shorten the ranges, or split the file"})
	}
	return !s.stopped
}

// add adds a problem. Names of one range differ only in their digits, so problems of one place that differ only in
// digits are one.
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

// addShared adds a problem of a value that several entries may use: it is one problem, at the first of them.
func (s *source) addShared(at At, value, user string, p Problem) {
	key := string(p.ID) + " " + value
	if first := s.shared[key]; first != nil {
		first.Users = xslices.AppendNew(first.Users, user)
		return
	}
	before := len(s.problems)
	p.Users = []string{user}
	if s.add(at, p); len(s.problems) > before {
		s.shared[key] = s.problems[before]
	}
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

// reads is the limits of a fabric file.
var reads = diag.Reads{Files: "fabric files", Most: maxFile, TooMuch: "is it the right file? ranges such as n[1-64] " +
	"describe many equal hosts in one entry", Depth: maxDepth, Needs: "a fabric needs eight"}

// checkText reports whether the text can be parsed.
func (s *source) checkText() bool {
	p := s.Check(reads)
	if p != nil {
		s.problems = append(s.problems, p)
	}
	return p == nil
}

// isNotFabric reports whether the file is something else than a fabric: it has no key of a fabric, nor a similar one.
// Errors of YAML in such a text or configuration would mislead its owner into changing correct lines.
func (s *source) isNotFabric(root *node) bool {
	keys := (&decoder{}).keysOf("fabric")
	known := func(key string) bool { return slices.Contains(keys, key) || nearest(key, keys) != "" }
	if root != nil && root.kind == mapping {
		return len(root.pairs) > 0 &&
			!slices.ContainsFunc(root.pairs, func(p pair) bool { return p.key.text == "note" || known(p.key.text) })
	}
	outer, lines := -1, 0 // the outermost keys are indented as the first line
	for _, line := range s.Lines {
		text := strings.TrimLeft(line, " \t\uFEFF")
		if strings.Trim(text, "\r") == "" || text[0] == '#' || strings.HasPrefix(text, "---") || text[0] == '%' {
			continue
		}
		lines++
		indent := len(line) - len(text)
		if outer < 0 {
			outer = indent
		}
		word, rest := strings.TrimLeft(text, "{\"' "), ""
		if end := strings.IndexFunc(word, func(r rune) bool { return !nameRune(r) }); end >= 0 {
			word, rest = word[:end], strings.TrimLeft(word[end:], "\"' ")
		}
		if indent <= outer && (rest == "" || rest == "\r" || rest[0] == ':') && known(word) {
			return false
		}
	}
	return lines > 0
}

// notFabric replaces all problems by one.
func (s *source) notFabric() {
	s.problems, s.seen = nil, map[string]bool{}
	s.add(At{1, 1}, Problem{ID: diag.NotAFabric, Subject: diag.WholeFile, Message: "this is not a fabric file",
		Limit: "no line has one of its keys (fabric, hosts, links)", Fix: "linerate init HOST writes a fabric file"})
}

// At is a place in the fabric's file. Line and column count from 1; both are 0 for a default that the file does not
// contain.
type At struct{ Line, Col int }

// Problem is one error in a fabric file.
type Problem = diag.Problem

// Problems are all errors of a file, in its order. Check the length: an empty list in an error variable is not nil.
type Problems = diag.Problems

func visible(s string) string { return diag.Visible(s) }

func quote(s string) string { return diag.Quote(s) }

func nearest(s string, names []string) string { return diag.Nearest(s, names) }

// orList prints "a, b or c".
func orList(names []string) string {
	if len(names) < 2 {
		return strings.Join(names, "")
	}
	return strings.Join(names[:len(names)-1], ", ") + " or " + names[len(names)-1]
}

// some prints up to n names, sorted, and the number of the others.
func some(names []string, n int) string {
	names = slices.Compact(slices.Sorted(slices.Values(names)))
	if len(names) > n {
		return strings.Join(names[:n], ", ") + ", ..."
	}
	return strings.Join(names, ", ")
}

// oneOf prints "a or b", or "one of a, b, ..." if there are more than n names.
func oneOf(names []string, n int) string {
	names = slices.Compact(slices.Sorted(slices.Values(names)))
	if len(names) > n {
		return "one of " + some(names, n)
	}
	return orList(names)
}
