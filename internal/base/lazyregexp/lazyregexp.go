// Package lazyregexp compiles a regular expression when it is first used. The parsers of other programs' output have
// hundreds of expressions. One run uses a few of them, and compiling all took more than half of the program's start.
package lazyregexp

import (
	"regexp"
	"sync"
)

// Regexp is a regular expression of the program's own source. Its methods are those of [regexp.Regexp].
type Regexp struct {
	text    string
	once    sync.Once
	pattern *regexp.Regexp
}

// New stores an expression without compiling it. A test of this package compiles every literal in the source.
func New(text string) *Regexp { return &Regexp{text: text} }

func (r *Regexp) get() *regexp.Regexp {
	r.once.Do(func() { r.pattern = regexp.MustCompile(r.text) })
	return r.pattern
}

func (r *Regexp) String() string { return r.text }

func (r *Regexp) Match(b []byte) bool                        { return r.get().Match(b) }
func (r *Regexp) MatchString(s string) bool                  { return r.get().MatchString(s) }
func (r *Regexp) NumSubexp() int                             { return r.get().NumSubexp() }
func (r *Regexp) FindString(s string) string                 { return r.get().FindString(s) }
func (r *Regexp) FindStringIndex(s string) []int             { return r.get().FindStringIndex(s) }
func (r *Regexp) FindStringSubmatch(s string) []string       { return r.get().FindStringSubmatch(s) }
func (r *Regexp) FindStringSubmatchIndex(s string) []int     { return r.get().FindStringSubmatchIndex(s) }
func (r *Regexp) FindSubmatch(b []byte) [][]byte             { return r.get().FindSubmatch(b) }
func (r *Regexp) FindSubmatchIndex(b []byte) []int           { return r.get().FindSubmatchIndex(b) }
func (r *Regexp) FindAllString(s string, n int) []string     { return r.get().FindAllString(s, n) }
func (r *Regexp) FindAllStringIndex(s string, n int) [][]int { return r.get().FindAllStringIndex(s, n) }
func (r *Regexp) FindAllStringSubmatch(s string, n int) [][]string {
	return r.get().FindAllStringSubmatch(s, n)
}
func (r *Regexp) FindAllStringSubmatchIndex(s string, n int) [][]int {
	return r.get().FindAllStringSubmatchIndex(s, n)
}
func (r *Regexp) FindAllSubmatch(b []byte, n int) [][][]byte { return r.get().FindAllSubmatch(b, n) }
func (r *Regexp) FindAllSubmatchIndex(b []byte, n int) [][]int {
	return r.get().FindAllSubmatchIndex(b, n)
}
func (r *Regexp) ReplaceAll(src, repl []byte) []byte { return r.get().ReplaceAll(src, repl) }
func (r *Regexp) ReplaceAllString(src, repl string) string {
	return r.get().ReplaceAllString(src, repl)
}
func (r *Regexp) Split(s string, n int) []string { return r.get().Split(s, n) }
