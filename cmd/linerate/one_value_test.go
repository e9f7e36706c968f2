package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"linerate/internal/base/unit"
	"linerate/internal/base/xslices"
	"linerate/internal/cli"
	"linerate/internal/record"
	"linerate/internal/report/page"
	"linerate/internal/report/reporttest"
	"linerate/internal/testenv"
)

var moreRuns = flag.String("runs", "", "a folder with more run folders for TestOneValue")

// values are the texts that a figure of a run may have: by path, streams ("" for all of them) and metric.
type values map[[3]string][]string

func (v values) add(path, streams, metric, text string) {
	for _, s := range []string{streams, ""} {
		k := [3]string{path, s, metric}
		if !slices.Contains(v[k], text) {
			v[k] = append(v[k], text)
		}
	}
}

// shown is one figure of an output.
type shown struct{ where, path, streams, metric, text string }

// figuresOf are the figures of a run's JSON, printed by package unit.
func figuresOf(r *record.Run) values {
	v := values{}
	for _, e := range r.Experiments {
		path, streams := e.Path(), e.Settings["streams"]
		if e.Ceiling != nil && e.Ceiling.Planned() > 0 {
			v.add(path, streams, "ceiling", e.Ceiling.Planned().String())
		}
		if e.Goodput != nil {
			v.add(path, streams, "rate", unit.BitRate(e.Goodput.Median).String())
			if of, known := e.Share(); known {
				v.add(path, streams, "share", unit.Percent(of))
			}
		}
		if l := e.Latency; l != nil && e.Latencies() && e.Block == nil {
			for _, x := range []string{path, record.Path("", e.From, e.To, false), record.Path("", e.To, e.From, false),
				record.Path("", e.From, e.To, true), record.Path("", e.To, e.From, true)} {
				v.add(x, "", "RTT p50", unit.Seconds(l.P50))
				v.add(x, "", "RTT p99", unit.Seconds(l.P99))
				v.add(x, "", "RTT p99.9", unit.Seconds(l.P999))
			}
		}
	}
	for _, g := range r.Goals {
		v.add(g.Name, "", "goal", cmp.Or(g.Have, "not known"))
	}
	v.add("", "", "tests", strconv.Itoa(xslices.Count(r.Experiments, func(e *record.Experiment) bool {
		return e.NotRun == "" && (e.Failed != "" || e.Goodput != nil || e.Latency != nil || e.Bytes != nil ||
			e.Seconds != nil || e.Figure != nil || e.PathMTU != nil)
	})))
	for _, t := range r.Plan.Totals {
		v.add("", "", "cost", t.Amount.Add(t.Spares.Times(-1)).Number()+" "+t.Currency)
	}
	return v
}

// field is one of the fields of a line, which are two spaces apart, with the columns that it begins and ends in.
type field struct {
	text     string
	from, to int
}

var betweenFields = regexp.MustCompile(`\S+(?: \S+)*`)

func fieldsOf(line string) (out []field) {
	for _, at := range betweenFields.FindAllStringIndex(line, -1) {
		from := len([]rune(line[:at[0]]))
		out = append(out, field{line[at[0]:at[1]], from, from + len([]rune(line[at[0]:at[1]]))})
	}
	return out
}

// under returns the fields of a line by the header above: the one that it overlaps most, or the nearest.
func under(headers []field, line string) map[string]string {
	out := map[string]string{}
	for _, c := range fieldsOf(line) {
		best := slices.MaxFunc(headers, func(a, b field) int {
			return cmp.Compare(min(c.to, a.to)-max(c.from, a.from), min(c.to, b.to)-max(c.from, b.from))
		}).text
		out[best] = strings.TrimSpace(out[best] + " " + c.text)
	}
	return out
}

var (
	columnOfStreams = regexp.MustCompile(`^(\d+) streams?$`)
	oneShare        = regexp.MustCompile(`(?:^|\s)(<?[0-9.]+(?: to [0-9.]+)? %)$`)
	countOfTests    = regexp.MustCompile(`(?m)^.*  (?:(\d+) of )?(\d+) tests?(?:,|$)`)
	amounts         = regexp.MustCompile(`[0-9.]+ [A-Z]{3}\b`)
)

// terminalTable reads the table of paths of a report: the short one begins with "link", the complete one with "path".
func terminalTable(where, text, first string) (out []shown) {
	var headers []field
	path, streams := "", ""
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\n")
		if c := fieldsOf(line); len(c) > 2 && strings.HasPrefix(line, first) && (strings.Contains(line, "ceiling")) {
			headers = c
			continue
		}
		if headers == nil {
			continue
		}
		if strings.TrimSpace(line) == "" {
			return out
		}
		got := under(headers, line)
		name := got[headers[0].text]
		if name == bothSummed {
			path, streams = bothWays(path), ""
		} else if i := strings.Index(line, " -> "); i < 0 &&
			!strings.Contains(line, " - ") && !strings.Contains(line, " <-> ") {
			if m := columnOfStreams.FindStringSubmatch(name); m == nil {
				continue
			} else {
				streams = m[1] // a row below that of its path
			}
		} else {
			path, streams = regexp.MustCompile(`^[A-Z]+\d+ +`).ReplaceAllString(strings.TrimSpace(name), ""), ""
		}
		for column, text := range got {
			switch m := columnOfStreams.FindStringSubmatch(column); {
			case m != nil && isNumber(text):
				out = append(out, shown{where, path, m[1], "rate", text})
			case slices.Contains([]string{"->", "<-", "goodput", "lowest", "highest"}, column) && isNumber(text):
				out = append(out, shown{where, path, streams, "rate", text})
			case strings.HasSuffix(column, "ceiling") && oneShare.MatchString(text):
				for _, s := range shares(oneShare.FindStringSubmatch(text)[1]) {
					out = append(out, shown{where, path, streams, "share", s})
				}
			case strings.HasPrefix(column, "RTT p50"):
				out = append(out, shown{where, path, "", "RTT p50", text})
			}
		}
	}
	return out
}

// bothSummed is the name of the row of a summary that has the sum of both directions of the path above it.
const bothSummed = "both at once, sum"

func bothWays(path string) string {
	a, b, _ := strings.Cut(path, " -> ")
	return record.Path("", b, a, true) // the row above is that of B to A
}

// isNumber reports whether a field has a figure, and no word for a missing one.
func isNumber(text string) bool { return text != "" && text[0] >= '0' && text[0] <= '9' }

// shares are the two ends of a range: "95 to 99.5 %".
func shares(text string) []string {
	a, z, ok := strings.Cut(text, " to ")
	if !ok {
		return []string{text}
	}
	return []string{a + " %", z}
}

// summaryFigures reads the table of a summary to post, and its round trips.
func summaryFigures(where, text string) (out []shown) {
	out = terminalTable(where, regexp.MustCompile(`(?m)^ +(\d+ streams?  .*of ceiling)$`).ReplaceAllStringFunc(text,
		func(line string) string { return "link" + line[4:] }), "link")
	var headers []field
	for line := range strings.Lines(text) {
		if c := fieldsOf(strings.TrimRight(line, "\n")); len(c) > 2 && c[0].text == "p50" {
			headers = append([]field{{text: "name"}}, c...)
		} else if len(c) > 2 && c[0].text == "RTT idle" {
			for column, text := range under(headers, strings.TrimRight(line, "\n")) {
				if isNumber(text) {
					out = append(out, shown{where, "round trips", "", "RTT " + column, text})
				}
			}
		}
	}
	return out
}

// compareValues fails for each figure that no value of the JSON has, and returns how many were compared by metric.
func compareValues(t *testing.T, name string, want values, all []shown) map[string]int {
	t.Helper()
	compared := map[string]int{}
	for _, s := range all {
		path, _, _ := strings.Cut(s.path, " [") // the variant
		paths := []string{path}
		if a, b, ok := strings.Cut(path, " - "); ok { // both directions of a cable in one row
			paths = []string{a + " -> " + b, b + " -> " + a}
		}
		var may []string
		for _, p := range paths {
			may = append(may, want[[3]string{p, s.streams, s.metric}]...)
		}
		if s.path == "round trips" {
			for k, texts := range want {
				if k[2] == s.metric {
					may = append(may, texts...)
				}
			}
		}
		compared[s.where+" "+s.metric]++
		if !slices.Contains(may, s.text) {
			t.Errorf("%s: %s: %s of %q (streams %q) is %q; the JSON has %q", name, s.where, s.metric, s.path, s.streams, s.text,
				may)
		}
	}
	return compared
}

// What two outputs of a run have is the same text in both: what the JSON has, as package unit prints it.
func TestOneValue(t *testing.T) {
	runs := map[string]string{}
	for _, name := range []string{"mesh-streams", "healthy", "receive-window-cap", "policer", "random-loss", "two-mtus",
		"cpu-copy", "group-patterns", "chase-one-slow", "send-buffer-cap"} {
		runs[name] = recordedRun(t, name)
	}
	for name := range reporttest.Fixtures() {
		if name == "hostile" { // whose texts are made to be cleaned
			continue
		}
		file := filepath.Join(t.TempDir(), name+".html")
		testenv.Check(t, os.WriteFile(file, []byte(reporttest.Written(t, func(w io.Writer) error {
			return page.HTML(w, reporttest.Fixture(t, name))
		})), 0o644))
		runs["fixture "+name] = file
	}
	if *moreRuns != "" {
		for _, d := range testenv.Must(os.ReadDir(*moreRuns))(t) {
			runs[d.Name()] = filepath.Join(*moreRuns, d.Name())
		}
	}
	compared := map[string]int{}
	for _, name := range slices.Sorted(maps.Keys(runs)) {
		dir := runs[name]
		r := new(record.Run)
		testenv.Check(t, json.Unmarshal([]byte(call(t, nil, "report", dir, "--json").ends(t, cli.ExitDone).out), r))
		var html bytes.Buffer
		testenv.Check(t, page.HTML(&html, r))
		long := call(t, nil, "report", dir, "--all").out
		all := terminalTable("report --all", long, "path")
		short := call(t, nil, "report", dir).out
		all = append(all, terminalTable("report", short, "link")...)
		if m := countOfTests.FindStringSubmatch(short); m != nil {
			all = append(all, shown{"report", "", "", "tests", cmp.Or(m[1], m[2])})
		}
		for _, m := range amounts.FindAllString(strings.Split(long, "\n")[0], 1) { // the next one has the spares
			all = append(all, shown{"report --all", "", "", "cost", m})
		}
		all = append(all, shareFigures(t, dir)...)
		all = append(all, pageFigures(t, html.String())...)
		for k, n := range compareValues(t, name, figuresOf(r), all) {
			compared[k] += n
		}
	}
	for _, k := range []string{"report rate", "report share", "report tests",
		"report --all cost", "report --all rate", "report --all share",
		"report RTT p50", "report --all RTT p50", "share rate", "share share", "page rate", "page share", "page ceiling",
		"page goal", "page RTT p50", "overview rate", "overview share",
		"headline rate", "headline share", "headline ceiling",
		"share RTT p50", "bbcode rate", "bbcode share", "bbcode RTT p50", "markdown rate", "markdown share",
		"markdown RTT p50", "markdown RTT p99", "folded rate", "folded share", "folded RTT p50",
		"csv rate", "csv share", "csv ceiling", "csv RTT p50", "csv RTT p99", "csv RTT p99.9",
		"picture rate", "picture share", "picture ceiling", "picture lane rate", "picture lane share"} {
		if compared[k] == 0 {
			t.Errorf("no %s was compared: %s", k, fmt.Sprint(compared))
		}
	}
}
