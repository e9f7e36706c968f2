package brief

import (
	"bytes"
	"html"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"linerate/internal/record"
	"linerate/internal/report/format"
	"linerate/internal/report/headline"
	htmlpage "linerate/internal/report/page"
	"linerate/internal/report/reporttest"
	"linerate/internal/report/summary"
	"linerate/internal/report/terminal"
	"linerate/internal/testenv"
)

var (
	answerOnPage = regexp.MustCompile(`(?s)<p class="answer">(.*?)</p>`)
	tags         = regexp.MustCompile(`<[^>]*>`)
)

// Every report of a run begins with the same sentence: in short, in full, on the page and in what is posted.
func TestOneHeadline(t *testing.T) {
	runs := recorded(t)
	for name, make := range reporttest.Fixtures() {
		runs["fixture "+name] = make()
	}
	figures, posted := 0, 0
	for _, name := range slices.Sorted(maps.Keys(runs)) {
		r := runs[name]
		h := headline.Of(r)
		if h.Carries {
			figures++
		}
		want := joinedLines(h.First())
		if want == "" {
			t.Errorf("%s: no sentence", name)
		}
		for where, text := range map[string]string{"report": printed(t, r, terminal.Terminal{Width: 80}, "x"),
			"report --all": complete(t, r)} {
			_, after, _ := strings.Cut(text, "\n\n") // behind the title
			if got := joinedLines(after); !strings.HasPrefix(got, want) {
				t.Errorf("%s: %s begins with %.120q, not %q", name, where, got, want)
			}
		}
		if got := onPage(t, r); got != want {
			t.Errorf("%s: the page begins with %q, not %q", name, got, want)
		}
		if all := summary.Of(r); len(all) == 1 && r.Sentence != "" && r.Complete { // it is about the whole run
			posted++
			if got := joinedLines(all[0].Verdict); !strings.HasPrefix(got, want) {
				t.Errorf("%s: the summary says %q, not %q", name, got, want)
			}
		}
	}
	if figures < 10 || posted < 10 {
		t.Errorf("only %d runs begin with a figure, %d are posted", figures, posted)
	}
}

// joinedLines is a text without its line breaks.
func joinedLines(s string) string { return strings.Join(strings.Fields(format.Clean(s)), " ") }

// onPage is the sentence of the page, in the characters of a terminal.
func onPage(t *testing.T, r *record.Run) string {
	t.Helper()
	var b bytes.Buffer
	testenv.Check(t, htmlpage.HTML(&b, r))
	m := answerOnPage.FindStringSubmatch(b.String())
	if m == nil {
		return ""
	}
	text := html.UnescapeString(tags.ReplaceAllString(m[1], ""))
	return joinedLines(format.PlainArrows(strings.ReplaceAll(text, "\u00a0", " ")))
}
