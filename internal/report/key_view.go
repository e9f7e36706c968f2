package report

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"linerate/internal/record"
)

// keyView is the section of the page with the key findings.
type keyView struct {
	Findings []keyFinding
	Notes    []string
	More     int // that the page has no room for
	Mark     string
}

// keys makes the section: the findings that the page has room for, each with the chart that shows it.
func (m *maker) keys() keyView {
	s, all := m.found.once()
	v := keyView{Notes: s.notes(all), Mark: labShort(m.run.Lab), More: max(0, len(all)-keyShown)}
	found := slices.Clone(all[:len(all)-v.More])
	for i := range found {
		for _, e := range found[i].about {
			if found[i].Chart = m.anchors[e]; found[i].Chart != "" {
				break
			}
		}
	}
	for i := range found {
		found[i].Text = unbroken(found[i].Text)
	}
	v.Findings = found
	return v
}

// anchor makes what is drawn of an experiment the target of links, unless something before it is.
func (m *maker) anchor(id string, all ...*record.Experiment) {
	for _, e := range all {
		if _, taken := m.anchors[e]; !taken {
			m.anchors[e] = id
		}
	}
}

// apart are the blanks within a quantity, at which no line of prose may end.
var apart = regexp.MustCompile(`(\d) ([kMGT] )?(%|(?:IOPS|[kMGT]?b/s|[kMGT]?B/s|[KMG]iB|B|us|ms|ns|s|cores?|streams?)\b)`)

// unbroken keeps numbers and their units on one line.
func unbroken(s string) string {
	return apart.ReplaceAllStringFunc(s, func(m string) string { return strings.ReplaceAll(m, " ", "\u00a0") })
}

// numbered is an id of an element: "sweep-1".
func numbered(kind string, n int) string { return kind + "-" + strconv.Itoa(n+1) }
