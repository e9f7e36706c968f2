package architecture

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"
)

// userDocuments are the documents for users. docs/reference.md is left out: it is the program's help.
var userDocuments = []string{"README.md", "CONTRIBUTING.md", "SECURITY.md", "ARCHITECTURE.md", "docs/*.md",
	"docs/tutorials/*.md"}

// TestDocumentSentences refuses long sentences in the documents for users.
func TestDocumentSentences(t *testing.T) {
	for _, pattern := range userDocuments {
		files, err := filepath.Glob(pattern)
		if err != nil || len(files) == 0 {
			t.Fatalf("%s: no file, %v", pattern, err)
		}
		for _, file := range files {
			if filepath.ToSlash(file) == "docs/reference.md" {
				continue
			}
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			for _, s := range longSentences(string(text)) {
				t.Errorf("%s:%d: %s", file, s.line, s.text)
			}
		}
	}
}

var (
	documentWord = regexp.MustCompile(`[\p{L}\p{N}'’/-]+`)
	documentEnd  = regexp.MustCompile(`[.!?]\s+`)
	documentItem = regexp.MustCompile(`^\s*([-*]|\d+\.) `)
	inlineCode   = regexp.MustCompile("`[^`]*`")
	documentLink = regexp.MustCompile(`\[([^\]]*)\]\([^)]*\)`)
)

// documentText is a piece of a document: a paragraph, an item of a list, a field of a table, or a sentence of them.
type documentText struct {
	line int // where it begins
	text string
}

// longSentences returns the sentences of a document in Markdown that have too many words, with their number.
func longSentences(document string) (out []documentText) {
	for _, p := range paragraphsOf(document) {
		// Code counts as one word. It keeps its ends of lines, which are counted below.
		text := inlineCode.ReplaceAllStringFunc(p.text, func(code string) string {
			return "CODE" + strings.Repeat("\n", strings.Count(code, "\n"))
		})
		text = documentLink.ReplaceAllString(text, "$1")
		for start := 0; start < len(text); {
			end := len(text)
			if at := documentEnd.FindStringIndex(text[start:]); at != nil {
				end = start + at[1]
			}
			if n := len(documentWord.FindAllString(text[start:end], -1)); n > maxWords {
				line := p.line + strings.Count(text[:start], "\n")
				sentence := strings.Join(strings.Fields(text[start:end]), " ")
				out = append(out, documentText{line, fmt.Sprintf("%d words: %s", n, sentence)})
			}
			start = end
		}
	}
	return out
}

// paragraphsOf returns the paragraphs, items and fields of a document, without blocks of code and titles.
func paragraphsOf(document string) (out []documentText) {
	fenced, open := false, false // open: the next line belongs to the last piece
	for i, line := range strings.Split(document, "\n") {
		fence := strings.HasPrefix(strings.TrimSpace(line), "```")
		switch {
		case fence:
			fenced, open = !fenced, false
		case fenced || strings.TrimSpace(line) == "" || strings.HasPrefix(line, "#"):
			open = false
		case strings.HasPrefix(line, "    ") && !open: // code; within a paragraph it is text
		case strings.HasPrefix(line, "|"):
			for _, field := range fieldsOfRow(line) {
				out = append(out, documentText{i + 1, field})
			}
			open = false
		case open && !documentItem.MatchString(line):
			out[len(out)-1].text += "\n" + line
		default:
			out, open = append(out, documentText{i + 1, line}), true
		}
	}
	return out
}

// fieldsOfRow returns the fields of a row of a table. A bar in code does not end a field.
func fieldsOfRow(row string) []string {
	masked := inlineCode.ReplaceAllStringFunc(row, func(code string) string {
		return strings.ReplaceAll(code, "|", " ")
	})
	return strings.Split(strings.ReplaceAll(masked, `\|`, " "), "|")
}

// TestFindLongSentences shows what counts as a sentence.
func TestFindLongSentences(t *testing.T) {
	words := func(n int) string { return strings.TrimSpace(strings.Repeat("word ", n)) }
	for document, want := range map[string][]int{
		words(30) + ".": nil,
		words(31) + ".": {1},
		"# " + words(40) + "\n\n    " + words(40) + "\n\n```\n" + words(40) + "\n```\n": nil,
		"Short. " + words(20) + "\n" + words(11) + ".\n":                                {1},
		"Short.\n" + words(10) + ".\n" + words(31) + ".\n":                              {3},
		words(20) + "; " + words(11) + ": " + words(2):                                  {1},
		"- " + words(20) + "\n- " + words(20) + "\n1. " + words(20) + "\n":              nil,
		words(20) + "\n\n" + words(20) + "\n":                                           nil,
		"| " + words(20) + " | " + words(20) + " |\n| " + words(31) + " |\n":            {2},
		"| `a|b` " + words(29) + " |\n":                                                 nil,
		words(29) + " `" + words(9) + "`.":                                              nil,
		words(30) + " `" + words(9) + "\n" + words(9) + "`. Short.\n" + words(31):       {1, 3},
		words(28) + " [two words](docs/a-file.md).":                                     nil,
		"    go test\n" + words(31) + "\n":                                              {2},
		"- " + words(20) + "\n    " + words(20) + "\n":                                  {1},
	} {
		var got []int
		for _, s := range longSentences(document) {
			got = append(got, s.line)
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%q: lines %v, want %v", document, got, want)
		}
	}
}
