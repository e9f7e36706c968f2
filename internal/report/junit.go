package report

import (
	"encoding/xml"
	"fmt"
	"io"
	"strings"

	"linerate/internal/inspect/check"
	"linerate/internal/record"
	"linerate/internal/report/format"
)

// The XML format of test results for CI systems, in the schema of Jenkins' xUnit plugin (junit-10.xsd), which the
// others follow.
type junitSuites struct {
	XMLName  xml.Name     `xml:"testsuites"`
	Name     string       `xml:"name,attr"`
	Tests    int          `xml:"tests,attr"`
	Failures int          `xml:"failures,attr"`
	Suites   []junitSuite `xml:"testsuite"`
}

type junitSuite struct {
	Name     string      `xml:"name,attr"`
	Tests    int         `xml:"tests,attr"`
	Failures int         `xml:"failures,attr"`
	Errors   int         `xml:"errors,attr"`
	Skipped  int         `xml:"skipped,attr"`
	Cases    []junitCase `xml:"testcase"`
}

type junitCase struct {
	Class   string        `xml:"classname,attr"`
	Name    string        `xml:"name,attr"`
	Failure *junitFailure `xml:"failure,omitempty"`
	Skipped *junitSkipped `xml:"skipped,omitempty"`
	Out     string        `xml:"system-out,omitempty"`
}

type junitFailure struct {
	Message string `xml:"message,attr"`
	Type    string `xml:"type,attr"`
	Text    string `xml:",chardata"`
}

type junitSkipped struct {
	Message string `xml:"message,attr"`
}

// JUnit writes findings as the results of tests: a case for each check that was run, which fails with its errors and
// warnings. Information is in its output. A check that was not possible is a skipped case. If no machine was examined,
// all cases are skipped.
func JUnit(w io.Writer, of Checked, r check.Result) error {
	s := junitSuite{Name: "linerate check " + format.Clean(of.What)}
	for _, k := range of.Asked {
		c := junitCase{Class: "linerate." + k.ID, Name: k.Title}
		if of.Machines == 0 {
			c.Skipped = &junitSkipped{"no machine was looked at"}
			s.Skipped++
		}
		var failed, noted []record.Finding
		for _, f := range r.Findings {
			switch {
			case f.ID != k.ID:
			case f.Severity == record.Info:
				noted = append(noted, f)
			default:
				failed = append(failed, f)
			}
		}
		if len(failed) > 0 {
			first := failed[0]
			c.Failure = &junitFailure{
				Message: format.Clean(fmt.Sprintf("%s: %s; wanted: %s", first.Subject, first.Have, first.Want)),
				Type:    string(first.Severity), Text: findingsText(failed),
			}
			if n := len(failed) - 1; n > 0 {
				c.Failure.Message += fmt.Sprintf(" (and %d more)", n)
			}
			s.Failures++
		}
		c.Out = findingsText(noted)
		s.Cases = append(s.Cases, c)
	}
	for _, u := range r.Unknown {
		s.Cases = append(s.Cases, junitCase{Class: "linerate.not-known", Name: format.Clean(u.Subject),
			Skipped: &junitSkipped{format.Clean(u.Reason)}})
		s.Skipped++
	}
	return s.write(w)
}

// write writes the suite as a file of its own.
func (s junitSuite) write(w io.Writer) error {
	s.Tests = len(s.Cases)
	if _, err := io.WriteString(w, xml.Header); err != nil {
		return err
	}
	e := xml.NewEncoder(w)
	e.Indent("", "  ")
	if err := e.Encode(
		junitSuites{Name: "linerate", Tests: s.Tests, Failures: s.Failures, Suites: []junitSuite{s}},
	); err != nil {
		return err
	}
	_, err := io.WriteString(w, "\n")
	return err
}

// findingsText returns findings as on the terminal, without its width and colours.
func findingsText(all []record.Finding) string {
	var b strings.Builder
	for _, f := range all {
		fmt.Fprintf(&b, "%s: %s: %s; wanted: %s\ncosts: %s\n", f.Severity, format.Clean(f.Subject.String()),
			format.Clean(f.Have), format.Clean(f.Want), format.Clean(f.Consequence))
		for _, e := range f.Evidence {
			fmt.Fprintf(&b, "seen: %s, %s: %s\n", format.Clean(e.Host), format.Clean(e.Source), format.Clean(e.Line))
		}
		fmt.Fprintf(&b, "fix: %s\n", format.Clean(f.Fix))
		if f.Undo != "" {
			fmt.Fprintf(&b, "undo: %s\n", format.Clean(f.Undo))
		}
		for _, x := range f.Explains {
			fmt.Fprintf(&b, "so: %s: %s (%s)\n", format.Clean(x.Subject.String()), format.Clean(x.Have), x.ID)
		}
	}
	return b.String()
}

// JUnitGoals writes the goals of a run as the results of tests: a case for each goal. A missed goal has failed. An
// unknown goal is a skipped case, and so are measurements that failed or were not run.
func JUnitGoals(w io.Writer, r *record.Run) error {
	s := junitSuite{Name: "linerate run " + format.Clean(r.Fabric)}
	for _, g := range r.Goals {
		c := junitCase{Class: "linerate.goal", Name: format.Clean(g.Name),
			Out: format.Clean(fmt.Sprintf("wanted: %s; measured: %s", g.Want, g.Have))}
		switch {
		case g.Met == nil:
			c.Skipped = &junitSkipped{format.Clean("not known: " + g.Why)}
			s.Skipped++
		case !*g.Met:
			c.Failure = &junitFailure{Message: format.Clean(fmt.Sprintf("wanted %s, measured %s", g.Want, g.Have)),
				Type: "missed", Text: format.Clean(g.Why)}
			s.Failures++
		}
		s.Cases = append(s.Cases, c)
	}
	for _, e := range r.Experiments {
		why := e.NotRun
		if e.Failed != "" {
			why = e.Failed
		}
		if why == "" && len(e.Repeats) == 0 && e.Acceptance == nil && e.Proof == nil { // these two have no repeats
			why = "it was not measured: the run was cut off before it"
		}
		if why != "" {
			s.Cases = append(s.Cases, junitCase{Class: "linerate.not-measured", Name: format.Clean(e.Path() + " " + e.Name),
				Skipped: &junitSkipped{format.Clean(why)}})
			s.Skipped++
		}
	}
	return s.write(w)
}
