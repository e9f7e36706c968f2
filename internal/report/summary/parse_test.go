package summary

import (
	"fmt"
	"linerate/internal/report/reporttest"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// drawn returns a random summary with figures of every size, in which anything may be missing.
func drawn(r *rand.Rand) *Summary {
	c := &Summary{Version: Version, Program: "0.1.0-dev", Date: "2026-11-21", Run: "kxzp"}
	words := []string{"nas", "pc-1", "goodput", ">=", "95%", "of", "(likely)", "->", "the", "link;",
		"https://example.org/x?y=1", "Verdict:", "TCP", "1", "not", "known", "tcp_rmem", "\\\\stor1\\fast", "<->", "é"}
	text := func(n int) string {
		var out []string
		for range r.IntN(n) {
			out = append(out, words[r.IntN(len(words))])
		}
		return strings.Join(out, " ")
	}
	number := func(most float64) *float64 {
		switch r.IntN(6) {
		case 0:
			return nil
		case 1:
			return new([]float64{0, math.NaN(), math.Inf(1), -1, most, most * 2}[r.IntN(6)])
		}
		return new(math.Exp(r.Float64()*30-15) * most / 1e6)
	}
	row := func(key string, k kind) Row {
		out := Row{Key: key, Measured: r.IntN(5) > 0}
		if !out.Measured {
			return out
		}
		for _, f := range k.figures() {
			*f.of(&out) = number(f.most)
		}
		return out
	}
	c.Ends = []End{
		{Host: "nas", System: text(4), CPU: text(9), NIC: text(3), Slot: text(2)},
		{Host: "pc", System: text(30)},
	}
	for _, s := range table {
		if !s.rdma || r.IntN(2) == 0 {
			c.Rows = append(c.Rows, row(s.key, s.kind))
		}
	}
	for range r.IntN(3) {
		s := Storage{Name: text(4), Over: text(3), AskedBy: []string{"A", "B", ""}[r.IntN(3)], Span: "1 GiB",
			Interval: text(2), Repeats: r.IntN(4)}
		for _, op := range []string{"read", "write"} {
			for _, load := range loads[r.IntN(2)] {
				s.Rows = append(s.Rows, row(StorageKey(op, load), blockRow))
			}
		}
		c.Storage = append(c.Storage, s)
	}
	for range r.IntN(4) {
		c.Notes = append(c.Notes, "x "+text(40))
	}
	c.Link, c.Verdict = text(20), text(60)
	if r.IntN(2) == 0 {
		c.Lab = "on one machine, rates at 1/10"
	}
	if r.IntN(3) == 0 {
		c.Variant = "x" + text(3)
	}
	return c
}

// wrappings are what happens to a posted summary. exact: nothing meaningful is lost.
var wrappings = []struct {
	name  string
	exact bool
	wrap  func(string) string
}{
	{"as it is", true, func(s string) string { return s }},
	{"words around it", true, func(s string) string {
		return "Hi all,\n\nnew summary:\n\n" + s + "\nWhat do you think?\nTCP 1 stream A -> B is low.\n"
	}},
	{"quoted twice", true, func(s string) string { return eachLine(s, "> > ", "") }},
	{"quoted tightly", true, func(s string) string { return eachLine(s, ">", "") }},
	{"indented", true, func(s string) string { return eachLine(s, "        ", "") }},
	{"a fence", true, func(s string) string { return "```text\n" + s + "```\nthanks" }},
	{"an indented fence", true, func(s string) string { return eachLine("```\n"+s+"```", "   ", "") }},
	{"a block of code", true,
		func(s string) string { return "[quote=\"me, post:1\"][code]" + s + "[/code][/quote]\nso?" }},
	{"HTML", true, func(s string) string {
		return "<pre><code>" + strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;").Replace(s) + "</code></pre>"
	}},
	{"CR LF", true, func(s string) string { return strings.ReplaceAll(s, "\n", "\r\n") }},
	{"spaces behind", true, func(s string) string { return eachLine(s, "", "   ") }},
	{"spaces that do not break", true, func(s string) string { return strings.ReplaceAll(s, " ", "\u00a0") }},
	{"a mark of byte order", true, func(s string) string { return "\ufeff" + s }},
	{"arrows", true, func(s string) string { return strings.ReplaceAll(s, "A -> B", "A → B") }},
	{"double-spaced", true, func(s string) string {
		head, verdict, _ := strings.Cut(s, "\nVerdict:")
		return strings.ReplaceAll(head, "\n", "\n\n") + "\nVerdict:" + verdict
	}},
	{"spaces lost", false, func(s string) string {
		var out []string
		for _, l := range strings.Split(s, "\n") {
			out = append(out, strings.Join(strings.Fields(l), " "))
		}
		return strings.Join(out, "\n")
	}},
	{"indentation lost", false, func(s string) string {
		var out []string
		for _, l := range strings.Split(s, "\n") {
			out = append(out, strings.TrimLeft(l, " "))
		}
		return strings.Join(out, "\n")
	}},
}

func eachLine(s, before, behind string) string {
	var out []string
	for _, l := range strings.Split(strings.TrimSuffix(s, "\n"), "\n") {
		out = append(out, before+l+behind)
	}
	return strings.Join(out, "\n") + "\n"
}

// A summary that is written, pasted anywhere and read is written the same.
func TestRoundTrip(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 4))
	for i := range 40 {
		c := drawn(r)
		text := c.Text()
		for n, line := range strings.Split(text, "\n") {
			if len(line) > Width {
				t.Fatalf("summary %d, line %d has %d columns: %s", i, n+1, len(line), line)
			}
		}
		for _, w := range wrappings {
			if !w.exact {
				continue
			}
			back, problems := Parse(w.wrap(text))
			if len(problems) > 0 {
				t.Fatalf("summary %d, %s: %v\n%s", i, w.name, problems, w.wrap(text))
			}
			if again := back.Text(); again != text {
				t.Fatalf("summary %d, %s:\n%s\nreads back as\n%s", i, w.name, text, again)
			}
		}
	}
}

// Where indentation is lost the figures are still read, and the common texts of a summary.
func TestLostSpaces(t *testing.T) {
	for _, name := range []string{"full", "pair", "bare"} {
		b, err := os.ReadFile("testdata/" + name + ".txt")
		if err != nil {
			t.Fatal(err)
		}
		for _, w := range wrappings {
			back, problems := Parse(w.wrap(string(b)))
			if back == nil || len(problems) > 0 {
				t.Errorf("%s, %s: %v", name, w.name, problems)
				continue
			}
			got, want := back.Text(), string(b)
			if !w.exact { // the verdict's second line may be lost, where nothing says that it belongs to it
				got, _, _ = strings.Cut(got, "Verdict:")
				want, _, _ = strings.Cut(want, "Verdict:")
			}
			if got != want {
				t.Errorf("%s, %s, reads as\n%s", name, w.name, back.Text())
			}
		}
	}
}

// All errors are reported together, with their lines, and the rest is read.
func TestErrors(t *testing.T) {
	text := Of(pairRun())[0].Text()
	bad := text
	for _, x := range [][2]string{
		{"TCP 1 stream    A -> B    21.4 Gb/s", "TCP 1 stream    A -> B    21,4 Gb/s"},
		{"TCP 1 stream    B -> A    18.9 Gb/s", "TCP 1 strem     B -> A    18.9 Gb/s"},
		{"TCP 8 streams   A -> B    37.2 Gb/s      94.0 %", "TCP 8 streams   A -> B    37.2 Gbs      94.0"},
		{"TCP 8 both ways, sum      61.2 Gb/s      77.9 %  78.6 Gb/s      4.01      5.20",
			"TCP 8 both ways, sum      61.2 Gb/s      77.9 %"},
		{"RND4K Q1T1         62.00     15136.7", "RND4K Q1T1         62.00     15136.7.1"},
		{"[Round trip]", "[Round trips]"},
		{"\nVerdict: One", "\nVerdit One"},
	} {
		if !strings.Contains(bad, x[0]) {
			t.Fatalf("the summary has no %q", x[0])
		}
		bad = strings.Replace(bad, x[0], x[1], 1)
	}
	c, problems := Parse(bad)
	if c == nil {
		t.Fatal(problems)
	}
	reporttest.Has(t, problems.Error(), `TCP 1 stream A -> B: goodput: "21,4" is no number; write it as 9.41 Gb/s`,
		`it is not a line of a summary; write TCP 1 stream B -> A`,
		`TCP 8 streams A -> B: goodput: "Gbs" is no unit of it; write it as 9.41 Gb/s, `+
			`share: "94.0" has no unit; write it as 94.0 %`,
		`TCP 8 both ways, sum: ceiling is missing, cores A is missing, cores B is missing`,
		`RND4K Q1T1 read: IOPS: "15136.7.1" is no number; write it as 3357.0`,
		`[Round trips] is not a part of a summary; write one of [TCP], [Round trip]`,
		`missing in the summary: TCP 1 stream B -> A, Verdict:; copy all of it`)
	lines := strings.Split(bad, "\n")
	for _, p := range problems {
		if p.Text != "" && strings.TrimSpace(lines[p.Line-1]) != p.Text {
			t.Errorf("line %d is %q, not %q", p.Line, lines[p.Line-1], p.Text)
		}
	}
	if row := c.Row("tcp-1-ab"); row.Goodput != nil || row.Share == nil || !near(row.Share, .541) || *row.CoresB != .97 {
		t.Errorf("what could be read of a row: %+v", row)
	}
	if !near(c.Row("tcp-8-ab").Ceiling, 39.6e9) || !near(c.Row("ping-idle").P50, 14.2e-6) || len(c.Storage[0].Rows) != 8 {
		t.Errorf("what could be read:\n%s", c.Text())
	}
}

func near(v *float64, want float64) bool { return v != nil && math.Abs(*v-want) < want*1e-9 }

func TestNoSummary(t *testing.T) {
	csv, _ := Write(Set{Summaries: Of(pairRun())}, "csv")
	for text, want := range map[string]string{
		"":                                 "there is no summary in it; copy all of a summary",
		"I have a card":                    "there is no summary in it",
		"linerate 0.1.0  card 1  d  run x": "the old form \"card 1\", which this version of linerate does not read",
		csv:                                "CSV is not read back",
		"{":                                "cannot be read as JSON",
		`{"schema":"linerate/run/2"}`:      "its schema is",
		`{"schema":"linerate/card/1"}`:     "the old form \"card 1\", which this version of linerate does not read",
		`{"schema":"linerate/summary/2"}`:  "there is no summary in it",
	} {
		c, problems := Parse(text)
		if c != nil || !strings.Contains(problems.Error(), want) {
			t.Errorf("%.40q: %v, %v, want %q", text, c, problems, want)
		}
	}
}

// A newer summary is reported, once, and what both forms have is read.
func TestNewerSummary(t *testing.T) {
	text := Of(pairRun())[0].Text()
	newer := strings.NewReplacer("summary 2", "summary 3", "[TCP]", "[QUIC]\nQUIC 1 stream  A -> B  20.0 Gb/s\n[TCP]",
		"0.810     0.970", "0.810     0.970  12.0 W", "Ping, idle           14.2 us", "Ping, idle           14.2 ps").
		Replace(text)
	c, problems := Parse(newer)
	if len(problems) != 2 || !strings.Contains(problems[0].Error(), "form 3, and this version reads form 2") ||
		!strings.Contains(problems[1].Error(), `"ps"`) {
		t.Fatalf("%v", problems)
	}
	if !near(c.Row("tcp-1-ab").Goodput, 21.4e9) || c.Row("ping-idle").P50 != nil ||
		!near(c.Row("ping-idle").P99, 22.8e-6) || c.Verdict == "" {
		t.Errorf("%s", c.Text())
	}
	json, _ := Write(Set{Summaries: Of(pairRun())}, "json")
	if c, problems := Parse(
		strings.Replace(json, "linerate/summary/2", "linerate/summary/3", 1),
	); c == nil || len(problems) != 1 || *c.Row("tcp-1-ab").Goodput != 21.43e9 {
		t.Errorf("%v, %v", c, problems)
	}
}

// A load without a row in a summary, whose name may be wider than its column, is reported; the other rows are read.
func TestUnknownLoad(t *testing.T) {
	for _, load := range []string{"SEQ16666M Q8T1", "MIX50-4K Q1T1"} {
		text := strings.Replace(Of(pairRun())[0].Text(), "SEQ1M Q8T1 ", load, 1)
		c, problems := Parse(text)
		want := strconv.Quote(strings.ReplaceAll(load, " ", "-")) + " is no row of storage"
		if len(problems) != 1 || !strings.Contains(problems.Error(), want) {
			t.Fatalf("%s: %v", load, problems)
		}
		if c.Storage[0].Rows[0].Key != "read-SEQ1M-Q1T1" {
			t.Errorf("%s: %+v", load, c.Storage[0].Rows[0])
		}
	}
}

func TestUnknownLoadInJSON(t *testing.T) {
	json, _ := Write(Set{Summaries: Of(pairRun())}, "json")
	c, problems := Parse(strings.Replace(json, `"read-SEQ1M-Q8T1"`, `"read-SEQ16666M-Q8T1"`, 1))
	if len(problems) != 1 || !strings.Contains(problems.Error(), `"read-SEQ16666M-Q8T1" is no row of storage`) {
		t.Fatal(problems)
	}
	if len(c.Storage[0].Rows) != 7 || c.Storage[0].Rows[0].Key != "read-SEQ1M-Q1T1" {
		t.Errorf("%+v", c.Storage[0].Rows)
	}
}

// Several summaries of a text are all read.
func TestSeveralSummaries(t *testing.T) {
	one, two := Of(pairRun())[0], Of(bareRun())[0]
	all, problems := ParseAll("a:\n" + eachLine(one.Text(), "> ", "") + "\nmine:\n\n```\n" + two.Text() + "```\n")
	if len(problems) > 0 || len(all) != 2 || all[0].Text() != one.Text() || all[1].Text() != two.Text() {
		t.Errorf("%d summaries, %v", len(all), problems)
	}
}

func FuzzParse(f *testing.F) {
	for _, name := range []string{"full", "bare", "hostile"} {
		b, err := os.ReadFile("testdata/" + name + ".txt")
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(b))
	}
	for _, w := range wrappings {
		f.Add(w.wrap(Of(pairRun())[0].Text()))
	}
	json, _ := Write(Set{Summaries: Of(bareRun())}, "json")
	f.Add(json)
	f.Add("linerate 1  summary 2  - run -\nA: x\n[Read]\nSEQ1M Q8T1 1 1 1 1 % 1 1\nStorage:\n[Write]\nRND4K Q1T1 not " +
		"measured\nVerdict:\n  >= x")
	f.Fuzz(func(t *testing.T, text string) {
		all, problems := ParseAll(text)
		if len(all) == 0 && len(problems) == 0 {
			t.Fatal("no summary, and no reason")
		}
		_ = problems.Error()
		for _, c := range all {
			out := c.Text()
			for i, line := range strings.Split(out, "\n") {
				if len(line) > Width || slices.ContainsFunc([]byte(line), func(b byte) bool { return b < ' ' || b >= 0x7f }) {
					t.Fatalf("line %d of what is written again: %q", i+1, line)
				}
			}
			if c.Version != Version || len(c.Ends) == 0 {
				continue
			}
			back, again := Parse(out)
			if back == nil {
				t.Fatalf("what is written again is not read: %v\n%s", again, out)
			}
			if back.Text() != out {
				t.Fatalf("read and written again:\n%s\nand once more:\n%s", out, back.Text())
			}
			Compare(Side{"a", c}, Side{"b", back})
			names, _ := Forms()
			for _, form := range names {
				if _, err := Write(Set{Summaries: []*Summary{c}}, form); err != nil {
					t.Fatal(fmt.Errorf("%s: %w", form, err))
				}
			}
		}
	})
}
