package configtest

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestFold: folding makes a golden file shorter, and unfolding restores it.
func TestFold(t *testing.T) {
	common := strings.SplitAfter("a\nb\n\nc\nd\ne\nb\nf\n", "\n")[:8]
	first := goldenFile{"one/apply.sh", append([]string{"b\n", "head\n"}, common...)}
	second := goldenFile{"two/apply.sh",
		append([]string{"x\n"}, append(append([]string{}, common...), "y\n", "b\n", "")...)}
	files := []goldenFile{first, second}
	for i, file := range files {
		text := fold(file.lines, files[:i])
		if folded := strings.Contains(text, "@@ 8 lines of one/apply.sh, from line 1 of: a\n"); folded != (i == 1) {
			t.Errorf("%s: a reference: %v\n%s", file.name, folded, text)
		}
		got, err := unfold(text, func(string) []string { return first.lines })
		if err != nil {
			t.Fatal(err)
		}
		want := file.lines
		if i == 0 {
			want = append(want[:len(want):len(want)], "") // the empty end of the text
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", file.name, diff)
		}
	}
	for _, wrong := range []string{"@@ 3 lines of one/apply.sh, from line 1 of: f\n", "@@ x\n",
		"@@ 1 lines of one/apply.sh, from line 2 of: head\n"} {
		if _, err := unfold(wrong, func(string) []string { return first.lines }); err == nil {
			t.Errorf("%q is taken", wrong)
		}
	}
}
