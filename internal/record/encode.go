package record

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
)

// The schemas that this version writes. A second number ("/1.3") is the minor version: it only adds fields.
const (
	RunSchema     = "linerate/run/2"
	JournalSchema = "linerate/journal/2"
	SamplesSchema = "linerate/samples/2"
)

// JSON encodes the run for the manifest and for `run --json`, indented, with a final line break. An empty list is [],
// not null.
func (r *Run) JSON() ([]byte, error) {
	filled := *r
	filled.Schema = RunSchema
	filled.Arguments = notNil(r.Arguments)
	filled.Goals = notNil(r.Goals)
	filled.Hosts = notNil(r.Hosts)
	filled.Plan.Hosts = notNil(r.Plan.Hosts)
	filled.Plan.Switches = notNil(r.Plan.Switches)
	filled.Plan.Links = notNil(r.Plan.Links)
	filled.Plan.Totals = notNil(r.Plan.Totals)
	filled.Experiments = make([]*Experiment, 0, len(r.Experiments))
	for _, e := range r.Experiments {
		if e != nil {
			filled.Experiments = append(filled.Experiments, e.filled())
		}
	}
	line, err := Encode(&filled)
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	if err := json.Indent(&out, line, "", "  "); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

func (e *Experiment) filled() *Experiment {
	f := *e
	f.FollowUp = nil
	for _, x := range e.FollowUp {
		if x != nil {
			f.FollowUp = append(f.FollowUp, x.filled())
		}
	}
	f.Ends, f.Links, f.Repeats, f.CPU = notNil(e.Ends), notNil(e.Links), notNil(e.Repeats), notNil(e.CPU)
	f.Settings, f.InEffect = notNilMap(e.Settings), notNilMap(e.InEffect)
	if v := e.Verdict; v != nil {
		g := *v
		g.Evidence, g.Candidates, g.Unknown = notNil(v.Evidence), notNil(v.Candidates), notNil(v.Unknown)
		f.Verdict = &g
	}
	return &f
}

func notNil[T any](s []T) []T {
	if s == nil {
		return []T{}
	}
	return s
}

func notNilMap(m map[string]string) map[string]string {
	if m == nil {
		return map[string]string{}
	}
	return m
}

// Encode encodes a record as one line of JSON with its line break. The error names the field of a number that is NaN or
// infinite.
func Encode(v any) ([]byte, error) {
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		var bad *json.UnsupportedValueError
		if errors.As(err, &bad) {
			if place, value := notFinite(reflect.ValueOf(v), "", 0); place != "" {
				return nil, fmt.Errorf(
					"%s is %v, which is not a figure and cannot be recorded; a figure that is not known is left out", place, value)
			}
		}
		return nil, fmt.Errorf("encode a %T: %w", v, err)
	}
	return out.Bytes(), nil
}

// deepest bounds the recursion, far above the depth of a record.
const deepest = 64

// notFinite finds the first NaN or infinite number, and its path in the JSON: "experiments[2].goodput.median".
func notFinite(v reflect.Value, at string, depth int) (string, float64) {
	if depth > deepest {
		return "", 0
	}
	switch v.Kind() {
	case reflect.Float32, reflect.Float64:
		if f := v.Float(); math.IsNaN(f) || math.IsInf(f, 0) {
			return strings.TrimPrefix(at, "."), f
		}
	case reflect.Pointer, reflect.Interface:
		if !v.IsNil() {
			return notFinite(v.Elem(), at, depth+1)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			field := v.Type().Field(i)
			name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
			switch {
			case name == "-":
				continue
			case !field.IsExported(): // the value inside a unit.Opt
				name = at
			case name == "":
				name = at + "." + field.Name
			default:
				name = at + "." + name
			}
			if place, f := notFinite(v.Field(i), name, depth+1); place != "" {
				return place, f
			}
		}
	case reflect.Slice, reflect.Array:
		for i := range v.Len() {
			if place, f := notFinite(v.Index(i), fmt.Sprintf("%s[%d]", at, i), depth+1); place != "" {
				return place, f
			}
		}
	case reflect.Map:
		keys := v.MapKeys()
		slices.SortFunc(keys, func(a, b reflect.Value) int { return strings.Compare(a.String(), b.String()) })
		for _, k := range keys {
			if place, f := notFinite(v.MapIndex(k), at+"."+k.String(), depth+1); place != "" {
				return place, f
			}
		}
	}
	return "", 0
}
