package report

import (
	"encoding/xml"
	"fmt"
	"io"
	"strings"

	"linerate/internal/inspect/check"
	"linerate/internal/record"
)

// The XML that CI systems take for the results of tests. Format: the schema that Jenkins' plugin xUnit keeps (junit-10.xsd), to which
// the others keep.
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

// JUnit writes findings as the results of tests: a case a check that was asked, which fails with its errors and warnings; what
// is only worth knowing stands in its output. What could not be looked at is a case that was skipped; where no machine was, all are.
func JUnit(w io.Writer, of Checked, r check.Result) error {
	s := junitSuite{Name: "linerate check " + clean(of.What)}
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
			c.Failure = &junitFailure{Message: clean(fmt.Sprintf("%s: %s; wanted: %s", first.Subject, first.Have, first.Want)), Type: string(first.Severity), Text: findingsText(failed)}
			if n := len(failed) - 1; n > 0 {
				c.Failure.Message += fmt.Sprintf(" (and %d more)", n)
			}
			s.Failures++
		}
		c.Out = findingsText(noted)
		s.Cases = append(s.Cases, c)
	}
	for _, u := range r.Unknown {
		s.Cases = append(s.Cases, junitCase{Class: "linerate.not-known", Name: clean(u.Subject), Skipped: &junitSkipped{clean(u.Reason)}})
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
	if err := e.Encode(junitSuites{Name: "linerate", Tests: s.Tests, Failures: s.Failures, Suites: []junitSuite{s}}); err != nil {
		return err
	}
	_, err := io.WriteString(w, "\n")
	return err
}

// findingsText is findings as the terminal shows them, without its width and colours.
func findingsText(all []record.Finding) string {
	var b strings.Builder
	for _, f := range all {
		fmt.Fprintf(&b, "%s: %s: %s; wanted: %s\ncosts: %s\n", f.Severity, clean(f.Subject), clean(f.Have), clean(f.Want), clean(f.Consequence))
		for _, e := range f.Evidence {
			fmt.Fprintf(&b, "seen: %s, %s: %s\n", clean(e.Host), clean(e.Source), clean(e.Line))
		}
		fmt.Fprintf(&b, "fix: %s\n", clean(f.Fix))
		if f.Undo != "" {
			fmt.Fprintf(&b, "undo: %s\n", clean(f.Undo))
		}
		for _, x := range f.Explains {
			fmt.Fprintf(&b, "so: %s: %s (%s)\n", clean(x.Subject), clean(x.Have), x.ID)
		}
	}
	return b.String()
}
