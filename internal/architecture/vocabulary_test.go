package architecture

import (
	"fmt"
	"iter"
	"os"
	"slices"
	"strings"
	"testing"
)

// phrase is a list of words that a text is compared with; "..." matches up to five words.
type phrase []string

// refusal is a line of the list: phrases to avoid, and what to write instead.
type refusal struct {
	phrases, allowed []phrase
	write            string
	kinds            []kind
	folders          []string // nil for all
}

// vocabulary is the list, by the first word of each phrase.
type vocabulary map[string][]entry

// entry is a phrase with its line of the list.
type entry struct {
	phrase phrase
	of     *refusal
}

// exception is a folder or file in which a phrase is allowed.
type exception struct {
	place, phrase, reason string
	used                  bool
}

const lists = "internal/architecture/testdata/words/"

// TestWords keeps the words of the field: comments, names and the output of tests avoid those of the list.
func TestWords(t *testing.T) {
	list, exceptions := readVocabulary(t), readExceptions(t)
	for _, s := range sources(t) {
		for _, p := range s.pieces() {
			if p.kind == text && !s.isPrinted(p.text) {
				continue
			}
			for _, f := range list.find(s.folder, p) {
				if !excepted(exceptions, s, f.phrase) {
					t.Errorf("%s:%d: %s %q: write %s", s.name, f.line, p.kind, f.words, f.of.write)
				}
			}
		}
	}
	for _, e := range exceptions {
		if !e.used {
			t.Errorf("%sexceptions.txt: %s: nothing there has %q", lists, e.place, e.phrase)
		}
	}
}

// isPrinted reports whether a literal is a text that users of linerate read. One without a space is a key, a class of a
// page or a name; tests expect what the program prints; and benchmarks are run by developers.
func (s *source) isPrinted(literal string) bool {
	return strings.Contains(strings.TrimSpace(literal), " ") && !strings.HasSuffix(s.name, "_test.go") &&
		!inside(s.folder, "tools")
}

// finding is a phrase of the list in a text.
type finding struct {
	entry
	words string
	line  int
}

// find returns the phrases of the list in a piece of a file.
func (v vocabulary) find(folder string, p piece) []finding {
	var out []finding
	all := p.words()
	for at := range all {
		for _, e := range v[all[at].low] {
			length := e.phrase.length(all[at:])
			if length > 0 && e.of.holds(folder, p.kind) && !e.of.allows(all, at, at+length) {
				out = append(out, finding{e, joined(all[at : at+length]), all[at].line})
			}
		}
	}
	return out
}

func joined(all []word) string {
	var texts []string
	for _, w := range all {
		texts = append(texts, w.text)
	}
	return strings.Join(texts, " ")
}

// length returns how many words at the start of a text match the phrase, or 0.
func (p phrase) length(all []word) int {
	at := 0
	for i, want := range p {
		if want == "..." {
			for skip := 0; skip <= 5 && at+skip < len(all) && (skip == 0 || all[at+skip-1].text != "."); skip++ {
				if rest := p[i+1:].length(all[at+skip:]); rest > 0 {
					return at + skip + rest
				}
			}
			return 0
		}
		if at == len(all) || all[at].text != want && (all[at].low != want) {
			return 0
		}
		at++
	}
	return at
}

// holds reports whether the line covers a kind of text in a folder.
func (r *refusal) holds(folder string, k kind) bool {
	return slices.Contains(r.kinds, k) &&
		(r.folders == nil || slices.ContainsFunc(r.folders, func(f string) bool { return inside(folder, f) }))
}

// allows reports whether the words from start to end are part of an allowed phrase.
func (r *refusal) allows(all []word, start, end int) bool {
	for from := max(start-6, 0); from <= start; from++ {
		for _, p := range r.allowed {
			if length := p.length(all[from:]); length > 0 && from+length >= end {
				return true
			}
		}
	}
	return false
}

func inside(folder, of string) bool { return folder == of || strings.HasPrefix(folder, of+"/") }

func excepted(exceptions []*exception, s *source, p phrase) bool {
	for _, e := range exceptions {
		if e.phrase == strings.Join(p, " ") && (s.name == e.place || inside(s.folder, e.place)) {
			e.used = true
			return true
		}
	}
	return false
}

func readVocabulary(t *testing.T) vocabulary {
	t.Helper()
	out := vocabulary{}
	var kinds []kind
	var folders []string
	for at, line := range listLines(t, "list.txt") {
		if section, ok := strings.CutPrefix(line, "["); ok {
			where, in, _ := strings.Cut(strings.TrimSuffix(section, "]"), " in ")
			kinds, folders = nil, nil
			for _, k := range strings.Fields(where) {
				if kinds = append(kinds, kind(k)); !slices.Contains([]kind{comment, name, file, log, text}, kind(k)) {
					t.Fatalf("%s: %q is not a kind", at, k)
				}
			}
			if in != "" {
				folders = strings.Fields(in)
			}
			continue
		}
		refused, rest, ok := strings.Cut(line, " => ")
		if !ok || kinds == nil {
			t.Fatalf("%s: want a phrase, => and what to write, in a section", at)
		}
		write, unless, _ := strings.Cut(rest, " unless ")
		r := &refusal{phrases: phrases(refused), allowed: phrases(unless), write: strings.TrimSpace(write)}
		r.kinds, r.folders = kinds, folders
		for _, p := range r.phrases {
			first := strings.ToLower(p[0])
			out[first] = append(out[first], entry{p, r})
		}
	}
	return out
}

// phrases reads phrases that are separated by commas.
func phrases(list string) []phrase {
	var out []phrase
	for p := range strings.SplitSeq(list, ",") {
		if fields := strings.Fields(p); len(fields) > 0 {
			out = append(out, fields)
		}
	}
	return out
}

func readExceptions(t *testing.T) []*exception {
	t.Helper()
	var out []*exception
	for at, line := range listLines(t, "exceptions.txt") {
		fields := strings.SplitN(line, ": ", 3)
		if len(fields) != 3 {
			t.Fatalf("%s: want a file or folder, a phrase of the list and a reason, with \": \" between them", at)
		}
		out = append(out, &exception{place: fields[0], phrase: fields[1], reason: fields[2]})
	}
	return out
}

// listLines returns the lines of a list with their places, without comments and empty lines.
func listLines(t *testing.T, name string) iter.Seq2[string, string] {
	t.Helper()
	content, err := os.ReadFile(lists + name)
	if err != nil {
		t.Fatal(err)
	}
	return func(yield func(at, line string) bool) {
		number := 0
		for line := range strings.Lines(string(content)) {
			number++
			line = strings.TrimSpace(line)
			if line != "" && !strings.HasPrefix(line, "#") && !yield(fmt.Sprintf("%s%s:%d", lists, name, number), line) {
				return
			}
		}
	}
}
