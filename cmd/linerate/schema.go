package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"linerate/docs"
	"linerate/internal/base/jsonschema"
	"linerate/internal/base/unit"
	"linerate/internal/config"
	"linerate/internal/design/catalog"
	"linerate/internal/design/fabric"
	"linerate/internal/explain"
	"linerate/internal/facts"
	"linerate/internal/host/loopback"
	"linerate/internal/inspect/check"
	"linerate/internal/inspect/doctor"
	"linerate/internal/lab"
	"linerate/internal/record"
	"linerate/internal/report"
	"linerate/internal/report/summary"
)

// fabricSchemaID is the $id of the schema of fabric files.
const fabricSchemaID = "urn:linerate:schema:fabric:1"

// fabricKind is the one kind that is read and not printed.
const fabricKind = "fabric"

// jsonKind is one kind of JSON that the program prints.
type jsonKind struct {
	name string
	of   string       // what prints it
	body reflect.Type // what encoding/json makes it of; its schema key is added
}

// jsonKinds are the kinds of output that have a schema, in the order of their names. Tests hold every output that they see against it.
func jsonKinds() []jsonKind {
	reports := report.Kinds()
	of := []jsonKind{
		{"run", "run, measure, quick and explain RUN with --json; manifest.json of a run folder", reports["run"]},
		{"event", "a line of run --jsonl and measure --jsonl", reports["event"]},
		{"card", "show --as json, quick --as json", reflect.TypeFor[summary.Set]()},
		{"compare", "compare --json", reports["compare"]},
		{"plan", "plan --json, plan.json of a plan's folder", reports["plan"]},
		{"plan-compare", "plan A B --json", reports["plan-compare"]},
		{"suggest", "plan --suggest --json", reports["suggest"]},
		{"selftest", "selftest --json", reports["selftest"]},
		{"config", "config --json", config.JSONType()},
		{"check", "check --json", reflect.TypeFor[check.Result]()},
		{"ceiling", "ceiling --json", reflect.TypeFor[struct {
			Paths []ceilingJSON `json:"paths"`
		}]()},
		{"doctor", "doctor --json", reflect.TypeFor[struct {
			Lines []doctor.Line `json:"lines"`
		}]()},
		{"explain", "explain of what another tool measured, --json", reflect.TypeFor[struct {
			Figures []*explain.Claim `json:"figures"`
		}]()},
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
		{"apply", "apply --json", reflect.TypeFor[struct {
			Fabric string     `json:"fabric"`
			Hosts  []*applied `json:"hosts"`
		}]()},
		{"baselines", "compare --baselines --json", reflect.TypeFor[baselinesJSON]()},
		{"checks", "check --list --json", reflect.TypeFor[checksJSON]()},
		{"exam", "lab exam --json", reflect.TypeFor[examJSON]()},
		{"facts", "facts --json; with --local one machine's facts themselves, else hosts", reflect.TypeFor[struct {
			*facts.Facts
			Hosts []factsHost `json:"hosts,omitempty"`
		}]()},
		{"facts-dry-run", "facts --dry-run --json", reflect.TypeFor[struct {
			Hosts []dryMachine `json:"hosts"`
		}]()},
		{"fault", "lab fault --json", reflect.TypeFor[madeJSON]()},
		{"faults", "lab fault --list --json", reflect.TypeFor[faultsJSON]()},
		{"init", "init --json", reflect.TypeFor[initJSON]()},
		{"lab-build", "lab build --json", reflect.TypeFor[lab.Built]()},
		{"lab-reboot", "lab reboot --json", reflect.TypeFor[lab.Rebooted]()},
		{"lab-wire", "what stands between two taps of a lab, when it ends", reflect.TypeFor[wireReport]()},
		{"version", "version --json", reflect.TypeFor[versionJSON]()},
	}
	slices.SortFunc(of, func(a, b jsonKind) int { return strings.Compare(a.name, b.name) })
	return of
}

// ownJSON are the forms of types that write their JSON themselves.
func ownJSON() map[reflect.Type]jsonschema.Object {
	amount := jsonschema.Object{"type": "number"}
	return map[reflect.Type]jsonschema.Object{
		reflect.TypeFor[unit.Money](): amount,
		reflect.TypeFor[catalog.Price](): {"type": "object", "additionalProperties": false, "required": []any{"amount", "currency"},
			"properties": jsonschema.Object{"amount": amount, "currency": jsonschema.Object{"type": "string"}, "note": jsonschema.Object{"type": "string"}}},
	}
}

// schema is what one kind of output looks like.
func (k jsonKind) schema() (jsonschema.Object, error) {
	m := jsonschema.Maker{Own: ownJSON()}
	o, err := m.Of(k.body, "urn:linerate:schema:"+k.name+":1", "linerate/"+k.name+"/1: "+k.of)
	if err != nil {
		return nil, err
	}
	top := o // where the keys of the object itself stand
	if ref, ok := o["$ref"].(string); ok {
		top = o["$defs"].(jsonschema.Object)[strings.TrimPrefix(ref, "#/$defs/")].(jsonschema.Object)
	}
	top["properties"].(jsonschema.Object)["schema"] = jsonschema.Object{"const": "linerate/" + k.name + "/1"}
	required, _ := top["required"].([]any)
	if !slices.Contains(required, any("schema")) {
		top["required"] = append([]any{"schema"}, required...)
	}
	return o, nil
}

// fabricSchema is what a fabric file looks like, with what docs/fabric.md says of each key.
func fabricSchema() jsonschema.Object {
	sections := map[string]string{"fabric": "the file", "subnet": "subnets", "host": "hosts", "nic": "nics", "bond": "bonds", "drive": "drives", "volume": "volumes", "profile": "profiles", "switch": "switches",
		"link": "links", "item": "cables and spares", "part": "parts", "class": "classes", "experiment": "experiments", "goal": "goals"}
	keys := docs.FabricKeys()
	return fabric.Schema(fabricSchemaID, func(entry, key string) string {
		section := sections[entry]
		if section == "" {
			section = entry // addressing, figure
		}
		k := keys[section][key]
		if k.What == "" {
			return ""
		}
		return strings.ReplaceAll(k.What, "`", "") + "\nExample: " + k.Example
	})
}

func (e *env) schemaCommand() *cobra.Command {
	var names []string
	for _, k := range jsonKinds() {
		names = append(names, k.name)
	}
	names = append([]string{fabricKind}, names...)
	return &cobra.Command{
		Use:   "schema [KIND]",
		Short: "The JSON Schema of fabric files, and of what --json and --jsonl print",
		Long: `Without KIND the kinds are listed. The schemas are of this version: they are made of the
same tables and types as what reads and writes the files, and allow no key that it does not know.
An editor completes and checks a fabric file that has this line in it, and beside it
what linerate schema fabric prints, as fabric.schema.json:

  # yaml-language-server: $schema=fabric.schema.json`,
		Example: `  linerate schema
  linerate schema fabric
  linerate schema run`,
		Args:      cobra.MaximumNArgs(1),
		ValidArgs: names,
		RunE: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				fmt.Fprintf(e.out, "%-13s %s\n", fabricKind, "fabric files: what run, plan and lab up read")
				for _, k := range jsonKinds() {
					fmt.Fprintf(e.out, "%-13s %s\n", k.name, k.of)
				}
				return nil
			}
			o, err := schemaOf(args[0])
			if err != nil {
				return err
			}
			b, err := json.MarshalIndent(o, "", "  ")
			if err != nil {
				return err
			}
			_, err = fmt.Fprintf(e.out, "%s\n", b)
			return err
		},
	}
}

// schemaOf is the schema of a kind, which may be written as in an output: linerate/run/1.
func schemaOf(name string) (jsonschema.Object, error) {
	kind := strings.TrimSuffix(strings.TrimPrefix(name, "linerate/"), "/1")
	if kind == fabricKind {
		return fabricSchema(), nil
	}
	all := map[string]jsonKind{fabricKind: {}}
	for _, k := range jsonKinds() {
		if k.name == kind {
			return k.schema()
		}
		all[k.name] = k
	}
	names := slices.Sorted(maps.Keys(all))
	hint := "there are " + strings.Join(names, ", ")
	if near := fabric.Nearest(kind, names); near != "" {
		hint = "did you mean " + near + "?"
	}
	return nil, fail(exitInput, errors.Join(fmt.Errorf("schema %s: no kind has that name; %s", name, hint)))
}
