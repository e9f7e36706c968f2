package schemas

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"linerate/internal/base/diag"
	"linerate/internal/base/jsonschema"
	"linerate/internal/base/unit"
	"linerate/internal/cli"
	"linerate/internal/cli/ceilings"
	"linerate/internal/cli/exam"
	"linerate/internal/cli/explanation"
	"linerate/internal/cli/inspect"
	"linerate/internal/cli/planning"
	"linerate/internal/cli/results"
	"linerate/internal/cli/settings"
	"linerate/internal/design/catalog"
	"linerate/internal/design/fabric"
	"linerate/internal/device/render"
	"linerate/internal/host/loopback"
	"linerate/internal/inspect/check"
	"linerate/internal/inspect/doctor"
	"linerate/internal/lab"
	"linerate/internal/record"
	"linerate/internal/report"
	"linerate/internal/report/design"
	"linerate/internal/report/summary"
)

// FabricKind is the only kind that is input.
const FabricKind = "fabric"

// Kind is one kind of JSON output.
type Kind struct {
	Name string
	Of   string       // the command that prints it
	body reflect.Type // the Go type of its body; its schema key is added
}

// Kinds are the kinds of output with a schema, in the order of their names. Tests check every output with it.
func Kinds() []Kind {
	reports, plans := report.Kinds(), design.Kinds()
	of := []Kind{
		{"run", "run, measure, quick and explain RUN with --json; manifest.json of a run folder", reports["run"]},
		{"event", "a line of run --jsonl and measure --jsonl", reports["event"]},
		{"summary", "share --format json, quick --format json", reflect.TypeFor[summary.Set]()},
		{"compare", "compare --json", reports["compare"]},
		{"plan", "plan --json, plan.json of a plan's folder", plans["plan"]},
		{"plan-compare", "plan A B --json", plans["plan-compare"]},
		{"suggest", "suggest --json", plans["suggest"]},
		{"selftest", "doctor --self --json", reports["selftest"]},
		{"config", "config --json", render.JSONType()},
		{"check", "check --json", reflect.TypeFor[check.Result]()},
		{"ceiling", "ceiling --json", ceilings.JSONType()},
		{"doctor", "doctor --json", reflect.TypeFor[struct {
			Lines []doctor.Line `json:"lines"`
		}]()},
		{"explain", "explain FILE --json", reflect.TypeFor[explanation.Result]()},
		{"problems", "explain ID --json, explain --list --json", reflect.TypeFor[explanation.Pages]()},
		{"verdicts", "explain RUN PATH --json", reflect.TypeFor[explanation.Verdicts]()},
		{"whatif", "whatif --json", reflect.TypeFor[record.WhatIf]()},
		{"lab", "lab up --json", reflect.TypeFor[lab.Info]()},
		{"labs", "lab list --json", reflect.TypeFor[struct {
			Labs []lab.Summary `json:"labs"`
		}]()},
		{"loop", "measure acceptance --loop .. --dry-run --json", reflect.TypeFor[struct {
			Ports []loopback.Port `json:"ports"`
			Text  []string        `json:"text"`
		}]()},
		{"parts", "parts --json", reflect.TypeFor[struct {
			Parts []*catalog.Part `json:"parts"`
		}]()},
		{"parts-check", "parts --check --json", reflect.TypeFor[struct {
			Files    []string         `json:"files"`
			Problems catalog.Problems `json:"problems"`
		}]()},
		{"apply", "apply --json", settings.ApplyType()},
		{"baselines", "compare --baselines --json", results.PublishedType()},
		{"checks", "check --list --json", inspect.ChecksType()},
		{"exam", "lab exam --json", exam.JSONType()},
		{"facts", "facts --json; with --local one machine's facts themselves, else hosts", inspect.FactsType()},
		{"facts-dry-run", "facts --dry-run --json", inspect.DryRunType()},
		{"fault", "lab fault --json", exam.FaultType()},
		{"faults", "lab fault --list --json", exam.FaultsType()},
		{"init", "init --json", planning.DraftType()},
		{"lab-build", "lab build --json", reflect.TypeFor[lab.Built]()},
		{"lab-reboot", "lab reboot --json", reflect.TypeFor[lab.Rebooted]()},
		{"lab-wire", "what is between two taps of a lab, when it ends", exam.WireType()},
		{"version", "version --json", cli.VersionType()},
	}
	slices.SortFunc(of, func(a, b Kind) int { return strings.Compare(a.Name, b.Name) })
	return of
}

// ownJSON are the schemas of types with their own JSON encoding.
func ownJSON() map[reflect.Type]jsonschema.Object {
	amount := jsonschema.Object{"type": "number"}
	return map[reflect.Type]jsonschema.Object{
		reflect.TypeFor[unit.Money](): amount,
		reflect.TypeFor[catalog.Price](): {
			"type":                 "object",
			"additionalProperties": false,
			"required":             []any{"amount", "currency"},
			"properties": jsonschema.Object{"amount": amount, "currency": jsonschema.Object{"type": "string"},
				"note": jsonschema.Object{"type": "string"}},
		},
	}
}

// raised are the versions of the schemas that have one above 1.
var raised = map[string]int{"summary": summary.Version, "run": 2}

func (k Kind) version() int { return max(raised[k.Name], 1) }

// ID is the kind with its version, as an output has it: linerate/run/2.
func (k Kind) ID() string { return fmt.Sprintf("linerate/%s/%d", k.Name, k.version()) }

// schema is the schema of one kind of output.
func (k Kind) schema() (jsonschema.Object, error) {
	m := jsonschema.Maker{Own: ownJSON()}
	o, err := m.Of(k.body, fmt.Sprintf("urn:linerate:schema:%s:%d", k.Name, k.version()), k.ID()+": "+k.Of)
	if err != nil {
		return nil, err
	}
	top := o // the keys of the object itself
	if ref, ok := o["$ref"].(string); ok {
		top = o["$defs"].(jsonschema.Object)[strings.TrimPrefix(ref, "#/$defs/")].(jsonschema.Object)
	}
	top["properties"].(jsonschema.Object)["schema"] = jsonschema.Object{"const": k.ID()}
	required, _ := top["required"].([]any)
	if !slices.Contains(required, any("schema")) {
		top["required"] = append([]any{"schema"}, required...)
	}
	return o, nil
}

// Of is the schema of a kind, which may be written as in an output: linerate/run/2.
func Of(name string) (jsonschema.Object, error) {
	kind := strings.TrimPrefix(name, "linerate/")
	if kind == FabricKind {
		return planning.FabricSchema(), nil
	}
	all := map[string]Kind{FabricKind: {}}
	for _, k := range Kinds() {
		if k.Name == kind || k.ID() == name {
			return k.schema()
		}
		all[k.Name] = k
	}
	names := slices.Sorted(maps.Keys(all))
	a := &cli.Advice{ID: diag.WordUnknown, Text: fmt.Sprintf("no output is called %q", cli.Clean(name)),
		Help: []string{"linerate schema"}}
	if near := fabric.Nearest(kind, names); near != "" {
		a.Help = []string{"did you mean " + near + "?"}
	}
	return nil, cli.Fail(cli.ExitInput, a)
}
