package report

import (
	"cmp"
	"io"
	"reflect"

	"linerate/internal/record"
	"linerate/internal/report/compare"
	"linerate/internal/report/format"
	"linerate/internal/report/highlight"
)

// RunSchema is the schema of a run's JSON.
const RunSchema = record.RunSchema

// JSON writes a run as one object in base units (schema linerate/run/2).
func JSON(w io.Writer, r *record.Run) error {
	v := *r
	v.Schema = cmp.Or(v.Schema, RunSchema)
	if v.Experiments == nil {
		v.Experiments = []*record.Experiment{}
	}
	v.Highlights = highlight.Findings(r)
	if v.Goals == nil {
		v.Goals = []record.Goal{}
	}
	return format.Write(w, "run", v)
}

// Kinds returns the types that this package writes as JSON, by the kind in "linerate/KIND/1".
func Kinds() map[string]reflect.Type {
	type selftest struct {
		*record.Instrument
	}
	return map[string]reflect.Type{"run": reflect.TypeFor[record.Run](), "event": reflect.TypeFor[Event](),
		"compare": reflect.TypeFor[compare.ComparisonSet](), "selftest": reflect.TypeFor[selftest]()}
}
