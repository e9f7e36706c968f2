package main

import (
	"encoding/csv"
	"encoding/xml"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"linerate/internal/base/unit"
	"linerate/internal/record"
	"linerate/internal/testenv"
)

// shareFigures are the figures of all summaries of a run, in every form of share.
func shareFigures(t *testing.T, dir string) (out []shown) {
	t.Helper()
	form := func(name string) string { return call(t, nil, "share", dir, "--all", "--format", name).out }
	for _, text := range strings.SplitAfter(form("text"), "\nlinerate-data ") {
		out = append(out, summaryFigures("share", text)...)
	}
	for _, m := range regexp.MustCompile(`(?s)\[code\]\n(.*?)\[/code\]`).FindAllStringSubmatch(form("bbcode"), -1) {
		out = append(out, summaryFigures("bbcode", m[1])...)
	}
	text := form("markdown")
	out = append(out, markdownFigures(text)...)
	for _, m := range regexp.MustCompile("(?s)```text\n(.*?)```").FindAllStringSubmatch(text, -1) {
		out = append(out, summaryFigures("folded", m[1])...)
	}
	out = append(out, csvFigures(t, form("csv"))...)
	return append(out, pictureFigures(t, call(t, nil, "share", dir, "--format", "svg").out)...)
}

// markdownFigures reads the tables of links and of round trips.
func markdownFigures(text string) (out []shown) {
	var headers []string
	path := ""
	for line := range strings.Lines(text) {
		line = strings.ReplaceAll(strings.TrimSpace(line), `\`, "")
		if !strings.HasPrefix(line, "|") {
			headers = nil
			continue
		}
		fields := strings.Split(strings.Trim(line, "|"), "|")
		for i := range fields {
			fields[i] = strings.TrimSpace(fields[i])
		}
		if headers == nil {
			headers = fields
			continue
		}
		if fields[0] == bothSummed {
			path = bothWays(path)
		} else {
			path = strings.NewReplacer("&lt;", "<", "&gt;", ">").Replace(fields[0])
		}
		for i, text := range fields[1:] {
			column := headers[i+1]
			if !isNumber(text) && !strings.HasPrefix(text, "<") {
				continue
			}
			if m := columnOfStreams.FindStringSubmatch(column); m != nil {
				out = append(out, shown{"markdown", path, m[1], "rate", text})
			} else if column == "of ceiling" {
				for _, s := range shares(text) {
					out = append(out, shown{"markdown", path, "", "share", s})
				}
			} else if path == "RTT idle" && column != "load" {
				out = append(out, shown{"markdown", "round trips", "", "RTT " + column, text})
			}
		}
	}
	return out
}

// csvFigures reads the rows of TCP and of round trips, and prints their figures by package unit.
func csvFigures(t *testing.T, text string) (out []shown) {
	t.Helper()
	rows := testenv.Must(csv.NewReader(strings.NewReader(text)).ReadAll())(t)
	key := regexp.MustCompile(`^tcp-(\d+)-(ab|ba|both)$`)
	for _, fields := range rows[min(1, len(rows)):] {
		row := map[string]string{}
		for i, name := range rows[0] {
			row[name] = fields[i]
		}
		path, streams := "round trips", ""
		if m := key.FindStringSubmatch(row["row"]); m != nil {
			streams = m[1]
			path = map[string]string{"ab": record.Path("", row["a"], row["b"], false),
				"ba": record.Path("", row["b"], row["a"], false), "both": record.Path("", row["a"], row["b"], true)}[m[2]]
		} else if row["row"] != "ping-idle" {
			continue
		}
		for _, c := range []struct {
			column, metric string
			text           func(float64) string
		}{
			{"goodput_bps", "rate", func(v float64) string { return unit.BitRate(v).String() }},
			{"ceiling_bps", "ceiling", func(v float64) string { return unit.BitRate(v).String() }},
			{"share_of_ceiling", "share", unit.Percent},
			{"p50_seconds", "RTT p50", unit.Seconds},
			{"p99_seconds", "RTT p99", unit.Seconds},
			{"p999_seconds", "RTT p99.9", unit.Seconds},
		} {
			if row[c.column] != "" {
				v := testenv.Must(strconv.ParseFloat(row[c.column], 64))(t)
				out = append(out, shown{"csv", path, streams, c.metric, c.text(v)})
			}
		}
	}
	return out
}

var (
	pictureSays = regexp.MustCompile(`^(.+?) with (\d+) streams?, (\S+ %) of the ceiling \((.+)\)$`)
	pictureLane = regexp.MustCompile(`^(<- )?(\S+ \S+), (\S+ %)( ->)?$`)
)

// pictureFigures reads the large figure of a picture, the line below it, and the text of each direction.
func pictureFigures(t *testing.T, svg string) (out []shown) {
	t.Helper()
	if svg == "" {
		return nil // the summary has no throughput to draw
	}
	var texts []string
	for d := xml.NewDecoder(strings.NewReader(svg)); ; {
		token, err := d.Token()
		if err == io.EOF {
			break
		}
		testenv.Check(t, err)
		if x, ok := token.(xml.StartElement); ok && x.Name.Local == "text" {
			var text string
			testenv.Check(t, d.DecodeElement(&text, &x))
			texts = append(texts, text)
		}
	}
	var ends []string
	streams := ""
	for i, text := range texts {
		if m := pictureSays.FindStringSubmatch(text); m != nil && i > 0 {
			from, to, _ := strings.Cut(m[1], " -> ")
			ends, streams = []string{from, to}, m[2]
			out = append(out, shown{"picture", m[1], streams, "rate", texts[i-1]},
				shown{"picture", m[1], streams, "share", m[3]}, shown{"picture", m[1], streams, "ceiling", m[4]})
		} else if m := pictureLane.FindStringSubmatch(text); m != nil && ends != nil {
			// The host on the left sends in the lane without an arrow at its left end.
			left, right := texts[2], ""
			for _, e := range ends {
				if e != left {
					right = e
				}
			}
			path := fmt.Sprintf("%s -> %s", left, right)
			if m[1] != "" {
				path = fmt.Sprintf("%s -> %s", right, left)
			}
			out = append(out, shown{"picture lane", path, streams, "rate", m[2]},
				shown{"picture lane", path, streams, "share", m[3]})
		}
	}
	return out
}
