package render

import (
	"encoding/json"
	"io"
	"reflect"

	"linerate/internal/device/config"
)

// Schema is the name of the JSON of a rendered set.
const Schema = "linerate/config/1"

type setJSON struct {
	Schema  string       `json:"schema"`
	Fabric  string       `json:"fabric"`
	Variant string       `json:"variant"`
	Devices []deviceJSON `json:"devices"`
	Refused []string     `json:"refused"`
	Files   []fileJSON   `json:"files"` // of the folder itself
}

type deviceJSON struct {
	Name       string     `json:"name"`
	Family     string     `json:"family"`
	What       string     `json:"what"`
	Files      []fileJSON `json:"files"`
	Steps      []stepJSON `json:"steps"`
	Manual     []lineJSON `json:"manual"`
	Missing    []string   `json:"missing"`
	Unverified []string   `json:"unverified"`
}

type fileJSON struct {
	Name  string     `json:"name"`
	Path  string     `json:"path"`
	Lines []lineJSON `json:"lines"`
}

type lineJSON struct {
	Text     string `json:"text"`
	Why      string `json:"why"`
	Source   string `json:"source"`
	Document string `json:"document"`
}

type stepJSON struct {
	Do         string `json:"do"`
	Interrupts string `json:"interrupts"`
}

// JSON writes the set as one object, with the reason and source of each line.
func (s *Set) JSON(w io.Writer) error {
	out := setJSON{Schema: Schema, Fabric: s.Plan.Name, Variant: s.Plan.Variant, Devices: []deviceJSON{},
		Refused: notNil(s.Refused)}
	for _, f := range s.Pages() {
		out.Files = append(out.Files, fileJSON{f.Name, f.Path, linesJSON(f.Lines)})
	}
	for _, d := range s.Devices {
		x := deviceJSON{Name: d.Name, Family: d.Family, What: d.What, Files: []fileJSON{}, Steps: []stepJSON{},
			Manual: linesJSON(d.Manual), Missing: notNil(d.Missing), Unverified: notNil(d.Unverified)}
		for _, f := range d.Files {
			x.Files = append(x.Files, fileJSON{f.Name, f.Path, linesJSON(f.Lines)})
		}
		for _, st := range d.Steps {
			x.Steps = append(x.Steps, stepJSON(st))
		}
		out.Devices = append(out.Devices, x)
	}
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	return e.Encode(out)
}

func linesJSON(lines []config.Line) []lineJSON {
	out := []lineJSON{}
	for _, l := range lines {
		text, _ := document(l.Source)
		out = append(out, lineJSON{l.Text, l.Why, string(l.Source), text})
	}
	return out
}

func notNil(s []string) []string {
	if s == nil {
		return []string{}
	}
	return s
}

// JSONType returns the type that JSON writes.
func JSONType() reflect.Type { return reflect.TypeFor[setJSON]() }
