package diag

import (
	"strings"
	"testing"
)

func TestSnippet(t *testing.T) {
	for _, c := range []struct {
		line        string
		col         int
		text, caret string
	}{
		{"a: {b: 1}", 5, "a: {b: 1}", "    ^"},
		{"\tb: 1", 2, "    b: 1", "    ^"},
		{"日本: x", 5, "日本: x", "      ^"},
		{"e\u0301: x", 5, "e\u0301: x", "   ^"},
		{"a: ", 4, "a: ", "   ^"},
		{"a\x1bb", 3, "a<001B>b", "       ^"},
		{"", 1, "", "^"},
	} {
		text, caret := snippet([]rune(c.line), c.col, 1)
		if text != c.text || caret != c.caret {
			t.Errorf("%q, %d:\n%q\n%q\nwant\n%q\n%q", c.line, c.col, text, caret, c.text, c.caret)
		}
	}
	long := strings.Repeat("x", 500) + "HERE" + strings.Repeat("y", 500)
	for _, col := range []int{1, 40, 501, 1000, 1005} {
		text, caret := snippet([]rune(long), col, 4)
		at := strings.Index(caret, "^")
		if len(text) > snippetWidth || at > snippetWidth {
			t.Errorf("column %d: %d wide, caret at %d", col, len(text), at)
		}
		if col == 501 && !strings.HasPrefix(text[at:], "HERE") {
			t.Errorf("the caret is not under its character:\n%s\n%s", text, caret)
		}
	}
}
