package summary

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
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

// wrappings are what forums, mail programs and people do to a posted summary.
var wrappings = []struct {
	name string
	wrap func(string) string
}{
	{"as it is", func(s string) string { return s }},
	{"words around it", func(s string) string { return "Hi all,\n\nnew summary:\n\n" + s + "\nWhat do you think?\n" }},
	{"quoted twice", func(s string) string { return eachLine(s, "> > ", "") }},
	{"quoted tightly", func(s string) string { return eachLine(s, ">", "") }},
	{"indented", func(s string) string { return eachLine(s, "        ", "") }},
	{"a fence", func(s string) string { return "```text\n" + s + "```\nthanks" }},
	{"a block of code", func(s string) string { return "[quote=\"me, post:1\"][code]" + s + "[/code][/quote]\nso?" }},
	{"HTML", func(s string) string {
		return "<pre><code>" + strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", "\n", "<br>\n").Replace(s) +
			"</code></pre>"
	}},
	{"CR LF", func(s string) string { return strings.ReplaceAll(s, "\n", "\r\n") }},
	{"spaces that do not break", func(s string) string { return strings.ReplaceAll(s, " ", "\u00a0") }},
	{"spaces lost", func(s string) string { return strings.ReplaceAll(s, " ", "") }},
	{"spaces doubled", func(s string) string { return strings.ReplaceAll(s, " ", "  ") }},
	{"a mark of byte order", func(s string) string { return "\ufeff" + s }},
	{"double-spaced", func(s string) string { return strings.ReplaceAll(s, "\n", "\n\n") }},
	{"wrapped anywhere, and quoted", func(s string) string {
		head, data, _ := strings.Cut(s, dataStart)
		var out []string
		for line := dataStart + strings.TrimSpace(data); line != ""; {
			n := min(41, len(line))
			out = append(out, line[:n])
			line = line[n:]
		}
		return eachLine(head+strings.Join(out, "\n"), "> ", "")
	}},
	{"smart typography", func(s string) string {
		return strings.NewReplacer("--", "–", "...", "…", "..", "‥", "->", "→", "(c)", "©", "1/2", "½", " - ", " – ", "\"",
			"“", "'", "’").Replace(s)
	}},
	{"emphasis around the line", func(s string) string {
		head, data, _ := strings.Cut(s, dataStart)
		return head + "**`" + dataStart + strings.TrimSuffix(data, "\n") + "`**\n"
	}},
	{"only the last line", func(s string) string { return s[strings.LastIndex(s, dataStart):] }},
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
	all := []*Summary{Of(pairRun())[0], Of(fullRun())[0], Of(bareRun())[0], Of(hostileRun())[0]}
	for range 40 {
		all = append(all, drawn(r))
	}
	for i, c := range all {
		text := c.Text()
		for n, line := range strings.Split(text, "\n") {
			if len(line) > Width && !strings.HasPrefix(line, dataStart) {
				t.Fatalf("summary %d, line %d has %d columns: %s", i, n+1, len(line), line)
			}
		}
		if strings.Count(text, dataStart) != 1 {
			t.Fatalf("summary %d has not one line of data:\n%s", i, text)
		}
		data := text[strings.LastIndex(text, dataStart):]
		if compact(data) != strings.Map(func(r rune) rune {
			if r == ' ' || r == '\n' {
				return -1
			}
			return r
		}, data) || strings.Contains(data, "--") || strings.Contains(data, "..") {
			t.Fatalf("summary %d has characters that a forum changes: %s", i, data)
		}
		for _, w := range wrappings {
			back, problems := Parse(w.wrap(text))
			if len(problems) > 0 {
				t.Fatalf("summary %d, %s: %v\n%s", i, w.name, problems, w.wrap(text))
			}
			if again := back.data(); again != strings.TrimSpace(data) {
				t.Fatalf("summary %d, %s:\n%s\nreads back as\n%s", i, w.name, data, again)
			}
		}
	}
}

// A line of data that was changed or cut is refused: a wrong figure is worse than none.
func TestChangedData(t *testing.T) {
	text := Of(pairRun())[0].Text()
	for want, bad := range map[string]string{
		"line 35: the line of data was changed":  strings.Replace(text, "tcp-1-ab, 2.143e10", "tcp-1-ab, 3.143e10", 1),
		"the line of data is cut off":            text[:len(text)-12],
		"its sum does not match":                 strings.Replace(text, "; tcp-1-ba", "; tcp-1-bc", 1),
		"no line that begins with linerate-data": text[:strings.Index(text, dataStart)],
		"has an old form": "> linerate 0.1.0  summary 2  2026-11-21  run kxzp\n" +
			"TCP 1 stream A -> B 1 Gb/s\n",
	} {
		if bad == text {
			t.Fatalf("%s: the text is the same", want)
		}
		if c, problems := Parse(bad); c != nil || len(problems) != 1 || !strings.Contains(problems.Error(), want) {
			t.Errorf("%s: %v, %v", want, c, problems)
		}
	}
}

func near(v *float64, want float64) bool { return v != nil && math.Abs(*v-want) < want*1e-9 }

func TestNoSummary(t *testing.T) {
	csv, _ := Write(Set{Summaries: Of(pairRun())}, "csv")
	for text, want := range map[string]string{
		"":                                 "there is no summary in it; copy all of a summary",
		"I have a card":                    "there is no summary in it",
		"linerate 0.1.0  card 1  d  run x": "an old form, which this version of linerate does not read",
		csv:                                "CSV is not read back",
		"{":                                "cannot be read as JSON",
		`{"schema":"linerate/run/2"}`:      "its schema is",
		`{"schema":"linerate/card/1"}`:     "an old form, which this version of linerate does not read",
		`{"schema":"linerate/summary/2"}`:  "there is no summary in it",
	} {
		c, problems := Parse(text)
		if c != nil || !strings.Contains(problems.Error(), want) {
			t.Errorf("%.40q: %v, %v, want %q", text, c, problems, want)
		}
	}
}

// signed returns a text with another line of data, whose sum matches.
func signed(text string, change ...string) string {
	head, data, _ := strings.Cut(text, dataStart)
	data, _, _ = strings.Cut(dataStart+data, "sum, ")
	data = strings.NewReplacer(change...).Replace(data)
	return head + data + "sum, " + checksum(data) + "\n"
}

// A newer summary is reported, once, and what both forms have is read.
func TestNewerSummary(t *testing.T) {
	newer := signed(Of(pairRun())[0].Text(), dataStart+" 2", dataStart+" 3", "; tcp-1-ab", "; quic-1-ab, 2e10; tcp-1-ab",
		"0.81, 0.97", "0.81, 0.97, 12", "1.42e-05", "14us")
	c, problems := Parse(newer)
	if len(problems) != 2 || !strings.Contains(problems[0].Error(), "form 3, and this version reads form 2") ||
		!strings.Contains(problems[1].Error(), `"14us"`) {
		t.Fatalf("%v", problems)
	}
	if !near(c.Row("tcp-1-ab").Goodput, 21.43e9) || c.Row("ping-idle").P50 != nil ||
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

// A row without a place in a summary is reported; the other rows are read.
func TestUnknownRow(t *testing.T) {
	for change, want := range map[string]string{"read-SEQ16666M-Q8T1": `"SEQ16666M-Q8T1" is not a row of storage`,
		"read-MIX50-4K-Q1T1": `"MIX50-4K-Q1T1" is not a row of storage`, "tpc-1": `"tpc-1" is not a row of a summary`} {
		c, problems := Parse(signed(Of(pairRun())[0].Text(), "read-SEQ1M-Q8T1", change))
		if len(problems) != 1 || !strings.Contains(problems.Error(), want) {
			t.Fatalf("%s: %v", change, problems)
		}
		if c.Storage[0].Rows[0].Key != "read-SEQ1M-Q1T1" {
			t.Errorf("%s: %+v", change, c.Storage[0].Rows[0])
		}
	}
}

func TestUnknownLoadInJSON(t *testing.T) {
	json, _ := Write(Set{Summaries: Of(pairRun())}, "json")
	c, problems := Parse(strings.Replace(json, `"read-SEQ1M-Q8T1"`, `"read-SEQ16666M-Q8T1"`, 1))
	if len(problems) != 1 || !strings.Contains(problems.Error(), `"read-SEQ16666M-Q8T1" is not a row of storage`) {
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
	if len(problems) > 0 || len(all) != 2 || all[0].data() != one.data() || all[1].data() != two.data() {
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
	f.Add(signed("", "", dataStart+" 2; a, x; read-SEQ1M-Q8T1, 1, 1, 1, 1, 1, 1; storage; write-RND4K-Q1T1, x; "))
	f.Fuzz(func(t *testing.T, text string) {
		all, problems := ParseAll(text)
		if len(all) == 0 && len(problems) == 0 {
			t.Fatal("no summary, and no reason")
		}
		_ = problems.Error()
		for _, c := range all {
			out := c.Text()
			for i, line := range strings.Split(out, "\n") {
				odd := slices.ContainsFunc([]byte(line), func(b byte) bool { return b < ' ' || b >= 0x7f })
				if len(line) > Width && !strings.HasPrefix(line, dataStart) || odd {
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
			if back.data() != c.data() {
				t.Fatalf("read and written again:\n%s\nand once more:\n%s", c.data(), back.data())
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
