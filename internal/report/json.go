package report

import (
	"encoding/json"
	"fmt"
	"io"
	"unicode"
	"unicode/utf8"

	"linerate/internal/record"
)

// RunSchema is the schema of a run's JSON.
const RunSchema = "linerate/run/1"

// JSON writes a run as one object in base units (schema linerate/run/1).
func JSON(w io.Writer, r *record.Run) error {
	v := *r
	if v.Schema == "" {
		v.Schema = RunSchema
	}
	if v.Experiments == nil {
		v.Experiments = []*record.Experiment{}
	}
	v.KeyFindings = KeyFindings(r)
	if v.Goals == nil {
		v.Goals = []record.Goal{}
	}
	return write(w, "run", v)
}

// write encodes before it writes, so that a value that JSON cannot hold (NaN)
// leaves no half an object behind.
func write(w io.Writer, kind string, v any) error {
	b, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return fmt.Errorf("report: the %s cannot be written as JSON: %w", kind, err)
	}
	if _, err := w.Write(append(escapeControls(b), '\n')); err != nil {
		return fmt.Errorf("report: the %s's JSON could not be written: %w", kind, err)
	}
	return nil
}

// escapeControls writes the characters that clean leaves out, where JSON allows
// them bare (C1, DEL, directions of writing), as \uXXXX: the same JSON, safe to print.
func escapeControls(b []byte) []byte {
	var out []byte
	from := 0
	for i := 0; i < len(b); {
		r, n := utf8.DecodeRune(b[i:])
		if r >= 0x7f && (unicode.IsControl(r) || turns(r)) {
			out = fmt.Appendf(append(out, b[from:i]...), "\\u%04x", r)
			from = i + n
		}
		i += n
	}
	return append(out, b[from:]...)
}

// problemText is a problem of the plan in one line.
func problemText(p record.Problem) string {
	s := clean(p.Subject) + ": " + clean(p.Message)
	if fix := clean(p.Fix); fix != "" {
		s += "; " + fix
	}
	return s
}
