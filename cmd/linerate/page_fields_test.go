package main

import (
	"encoding/xml"
	"io"
	"slices"
	"strings"
	"testing"
)

// pageTable is a table of a page, with the heading above it.
type pageTable struct {
	heading string
	headers []string
	rows    [][]string
}

// pageLine is a row of the chart of all paths, or the line below the title of a path.
type pageLine struct{ where, name, text string }

// pageFields reads the tables of a page, the rows of its overview and the lines of its paths, from its elements.
func pageFields(t *testing.T, page string) (tables []pageTable, lines []pageLine) {
	t.Helper()
	d := xml.NewDecoder(strings.NewReader(page))
	d.Strict, d.AutoClose, d.Entity = false, xml.HTMLAutoClose, xml.HTMLEntity
	var open []xml.StartElement
	var text strings.Builder
	heading, inHead, inOverview := "", false, false
	class := func(e xml.StartElement) string {
		for _, a := range e.Attr {
			if a.Name.Local == "class" {
				return a.Value
			}
		}
		return ""
	}
	for {
		token, err := d.Token()
		if err == io.EOF {
			return tables, lines
		}
		if err != nil {
			t.Fatal(err)
		}
		switch x := token.(type) {
		case xml.StartElement:
			open = append(open, x.Copy())
			switch x.Name.Local {
			case "script", "style":
				testSkip(t, d)
				open = open[:len(open)-1]
			case "table":
				tables = append(tables, pageTable{heading: heading})
			case "thead":
				inHead = true
			case "tr":
				if !inHead && len(tables) > 0 {
					last := &tables[len(tables)-1]
					last.rows = append(last.rows, nil)
				}
			case "figure":
				inOverview = class(x) == "way overview"
			}
			if n := len(open); n > 1 && x.Name.Local == "span" && open[n-2].Name.Local == "h3" { // a mark behind the path
				heading = strings.Join(strings.Fields(text.String()), " ")
			}
			if slices.Contains([]string{"th", "td", "h2", "h3", "summary", "b", "p"}, x.Name.Local) ||
				x.Name.Local == "span" && (class(x) == "name" || class(x) == "number rate") {
				text.Reset()
			}
		case xml.CharData:
			text.Write(x)
		case xml.EndElement:
			e := open[len(open)-1]
			open = open[:len(open)-1]
			said := strings.Join(strings.Fields(text.String()), " ")
			switch x.Name.Local {
			case "h2":
				heading = said
			case "h3":
				if !strings.HasPrefix(said, heading) || heading == "" {
					heading = said
				}
			case "b": // the path of a folded block
				if n := len(open); n > 0 && open[n-1].Name.Local == "summary" {
					heading = said
				}
			case "thead":
				inHead = false
			case "th", "td":
				last := &tables[len(tables)-1]
				if inHead {
					last.headers = append(last.headers, said)
				} else if n := len(last.rows); n > 0 {
					last.rows[n-1] = append(last.rows[n-1], said)
				}
			case "span":
				switch {
				case !inOverview:
				case class(e) == "name":
					lines = append(lines, pageLine{where: "overview", name: said})
				case class(e) == "number rate" && len(lines) > 0:
					lines[len(lines)-1].text = said
				}
			case "p":
				if class(e) == "headline" {
					lines = append(lines, pageLine{"headline", heading, said})
				}
			case "summary":
				if line, ok := strings.CutPrefix(said, heading+": "); ok {
					lines = append(lines, pageLine{"headline", heading, line})
				}
			case "figure":
				inOverview = false
			}
		}
	}
}

// testSkip skips the rest of an element whose text has no markup.
func testSkip(t *testing.T, d *xml.Decoder) {
	t.Helper()
	if err := d.Skip(); err != nil {
		t.Fatal(err)
	}
}

// pageFigures are the figures in the tables of a page and in its overview.
func pageFigures(t *testing.T, text string) (out []shown) {
	t.Helper()
	arrows := func(title string) string {
		path, _, _ := strings.Cut(strings.NewReplacer("→", "->", "↔", "<->").Replace(title), ", ") // and what else it is of
		return path
	}
	tables, lines := pageFields(t, text)
	for _, x := range tables {
		path, streams := "", ""
		for _, row := range x.rows {
			for i, v := range row {
				v, _, _ = strings.Cut(v, " (") // each direction of both
				if i >= len(x.headers) {
					break
				}
				m := columnOfStreams.FindStringSubmatch(x.headers[i])
				switch {
				case i == 0 && x.headers[0] == "path":
					if sub := columnOfStreams.FindStringSubmatch(v); sub != nil {
						streams = sub[1]
					} else if streams = ""; !strings.HasPrefix(v, "worst of ") {
						path = arrows(v)
					}
				case i == 0 && x.headers[0] == "setting":
					path, streams = arrows(x.heading), ""
					if sub := columnOfStreams.FindStringSubmatch(v); sub != nil {
						streams = sub[1]
					}
				case m != nil && isNumber(v):
					out = append(out, shown{"page", path, m[1], "rate", v})
				case x.headers[i] == "median" && isNumber(v):
					out = append(out, shown{"page", path, streams, "rate", v})
				case x.headers[i] == "of ceiling" || x.headers[i] == "share" && x.headers[0] == "setting":
					if isNumber(v) {
						out = append(out, shown{"page", path, streams, "share", v})
					}
				case x.headers[i] == "ceiling" && path != "" && isNumber(strings.TrimPrefix(v, "at most ")):
					out = append(out, shown{"page", path, streams, "ceiling", strings.TrimPrefix(v, "at most ")})
				case x.headers[i] == "RTT p50", x.headers[i] == "RTT p99":
					if v != "" {
						out = append(out, shown{"page", path, "", x.headers[i], v})
					}
				case x.headers[i] == "measured" && x.headers[0] == "goal":
					out = append(out, shown{"page", row[1], "", "goal", v})
				}
			}
		}
	}
	for _, x := range lines {
		rate, rest, _ := strings.Cut(x.text, ", ")
		share, _, ok := strings.Cut(rest, " %")
		rate, ceiling, of := strings.Cut(rate, " of ")
		if path := arrows(x.name); isNumber(rate) {
			out = append(out, shown{x.where, path, "", "rate", rate})
			if ok {
				out = append(out, shown{x.where, path, "", "share", share + " %"})
			}
			if of {
				out = append(out, shown{x.where, path, "", "ceiling", ceiling})
			}
		}
	}
	return out
}
