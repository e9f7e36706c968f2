package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
	"go.yaml.in/yaml/v4"

	"linerate/internal/cli"
	"linerate/internal/cli/schemas"
	"linerate/internal/design/catalog"
	"linerate/internal/design/fabric"
	"linerate/internal/testenv"
)

var (
	resolving sync.Mutex
	resolved  = map[string]*jsonschema.Resolved{}
)

// validator is the schema of a kind for a validator; nil: the kind has none.
func validator(t *testing.T, kind string) *jsonschema.Resolved {
	t.Helper()
	resolving.Lock()
	defer resolving.Unlock()
	if r, ok := resolved[kind]; ok {
		return r
	}
	o, err := schemas.Of(kind)
	if err != nil {
		return nil
	}
	b := testenv.Must(json.Marshal(o))(t)
	var s jsonschema.Schema
	if err := json.Unmarshal(b, &s); err != nil {
		t.Fatalf("schema %s: %v", kind, err)
	}
	r, err := s.Resolve(&jsonschema.ResolveOptions{})
	if err != nil {
		t.Fatalf("schema %s: %v", kind, err)
	}
	resolved[kind] = r
	return r
}

// fits validates an output with the schema of its kind.
func fits(t *testing.T, kind string, output any) {
	t.Helper()
	r := validator(t, kind)
	if r == nil {
		t.Errorf("%s is printed, and linerate schema has no such kind", kind)
		return
	}
	if err := r.Validate(output); err != nil {
		t.Errorf("it is not what linerate schema %s says: %v", kind, err)
	}
}

// fromYAML is a fabric file as an editor's validator parses it.
func fromYAML(t *testing.T, text []byte) any {
	t.Helper()
	var v any
	testenv.Check(t, yaml.Unmarshal(text, &v))
	b := testenv.Must(json.Marshal(stringKeys(v)))(t)
	d := json.NewDecoder(bytes.NewReader(b))
	var out any
	testenv.Check(t, d.Decode(&out))
	return out
}

func stringKeys(v any) any {
	switch v := v.(type) {
	case map[any]any:
		out := map[string]any{}
		for k, x := range v {
			out[toText(k)] = stringKeys(x)
		}
		return out
	case map[string]any:
		for k, x := range v {
			v[k] = stringKeys(x)
		}
	case []any:
		for i, x := range v {
			v[i] = stringKeys(x)
		}
	}
	return v
}

func toText(k any) string {
	b, _ := json.Marshal(k)
	return strings.Trim(string(b), `"`)
}

// Every listed kind has a schema that a validator accepts, and the list is complete.
func TestSchemas(t *testing.T) {
	list := call(t, nil, "schema")
	if list.code != cli.ExitDone || list.err != "" {
		t.Fatal(list)
	}
	for _, line := range strings.Split(strings.TrimSpace(list.out), "\n") {
		kind := strings.Fields(line)[0]
		a := call(t, nil, "schema", kind)
		var o map[string]any
		if err := json.Unmarshal([]byte(a.out), &o); err != nil || a.code != cli.ExitDone ||
			o["$schema"] != "https://json-schema.org/draft/2020-12/schema" {
			t.Errorf("schema %s: %v %s", kind, err, a)
		}
		if validator(t, kind) == nil {
			t.Errorf("schema %s is listed and there is none", kind)
		}
	}
	if a := call(t, nil, "schema", "fabrik"); a.code != cli.ExitInput || a.out != "" ||
		!strings.Contains(a.err, "did you mean fabric?") {
		t.Errorf("a misspelt kind: %s", a)
	}
	call(t, nil, "schema", "linerate/run/2").ends(t, cli.ExitDone)
}

// docs/fabric.schema.json, to which the examples refer, is that of this version.
func TestSchemaFileIsCurrent(t *testing.T) {
	have := testenv.Must(os.ReadFile(filepath.Join(root, "docs", "fabric.schema.json")))(t)
	if a := call(t, nil, "schema", "fabric"); a.out != string(have) {
		t.Error("docs/fabric.schema.json is not what the program says; write it again: go run ./cmd/linerate schema " +
			"fabric > docs/fabric.schema.json")
	}
}

// fabricFiles are the valid fabric files of the repository.
func fabricFiles(t *testing.T) (names []string) {
	t.Helper()
	for _, pattern := range []string{"examples/*.yaml", "examples/designs/*.yaml",
		"internal/design/fabric/testdata/*.yaml", "cmd/linerate/testdata/*.yaml", "internal/design/plan/testdata/*.yaml",
		"internal/design/plan/testdata/*/*.yaml", "internal/device/*/render/testdata/*.yaml"} {
		found := testenv.Must(filepath.Glob(filepath.Join(root, filepath.FromSlash(pattern))))(t)
		names = append(names, found...)
	}
	return names
}

// The schema accepts what the decoder accepts; and the line of the examples leads to the schema.
func TestSchemaTakesFabrics(t *testing.T) {
	taken := 0
	for _, name := range fabricFiles(t) {
		text := testenv.Must(os.ReadFile(name))(t)
		if strings.HasPrefix(name, filepath.Join(root, "examples")) {
			first, _, _ := strings.Cut(string(text), "\n")
			to, ok := strings.CutPrefix(first, "# yaml-language-server: $schema=")
			if _, err := os.Stat(filepath.Join(filepath.Dir(name), to)); !ok || err != nil {
				t.Errorf("%s: its first line leads to no schema: %s", name, first)
			}
		}
		if _, err := fabric.Parse(name, text, fabric.Options{}); len(err) > 0 {
			continue
		}
		taken++
		if err := validator(t, schemas.FabricKind).Validate(fromYAML(t, text)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	if taken < 15 {
		t.Errorf("only %d files were looked at", taken)
	}
}

// The schema refuses a key in an entry where the decoder does: every key of an example, misspelt.
func TestSchemaRefusesMisspeltKeys(t *testing.T) {
	key := regexp.MustCompile(`([{ ,\n-])([a-z_]{4,}): `)
	names := map[string]bool{}
	for _, e := range fabric.Entries() {
		for _, k := range e.Keys {
			names[k] = true
		}
	}
	tried := 0
	catalog := testenv.Must(catalog.Load())(t)
	for _, name := range []string{"nas-40g", "eval-25g", "roce-100g"} {
		text := testenv.Must(os.ReadFile(example(name)))(t)
		for _, m := range key.FindAllSubmatchIndex(text, -1) {
			if word := string(text[m[4]:m[5]]); names[word] {
				names[word] = false // once is enough
			} else {
				continue
			}
			wrong := slices.Concat(text[:m[5]], []byte("x"), text[m[5]:])
			if _, err := fabric.Parse(name, wrong, fabric.Options{Catalog: catalog}); len(err) == 0 ||
				!strings.Contains(err.Error(), "has no key "+strconv.Quote(string(text[m[4]:m[5]])+"x")) {
				continue // a word in a comment, or a name
			}
			tried++
			if validator(t, schemas.FabricKind).Validate(fromYAML(t, wrong)) == nil {
				t.Errorf("%s: the schema takes %sx", name, text[m[4]:m[5]])
			}
		}
	}
	if tried < 20 {
		t.Errorf("only %d keys were misspelt", tried)
	}
	one := map[string]any{"schema": "linerate/version/1", "version": "1", "go": "1", "os": "linux", "arch": "amd64"}
	if err := validator(t, "version").Validate(one); err != nil {
		t.Error(err)
	}
	one["versoin"] = "1"
	if validator(t, "version").Validate(one) == nil {
		t.Error("an output with a key too many is taken")
	}
	delete(one, "versoin")
	delete(one, "go")
	if validator(t, "version").Validate(one) == nil {
		t.Error("an output without a key is taken")
	}
}

// Saved outputs match their schemas.
func TestSchemaTakesGoldenOutputs(t *testing.T) {
	n := 0
	for _, pattern := range []string{"internal/report/reporttest/testdata/*.json",
		"internal/report/design/testdata/*.json", "internal/report/summary/testdata/*.json"} {
		names := testenv.Must(filepath.Glob(filepath.Join(root, filepath.FromSlash(pattern))))(t)
		for _, name := range names {
			b := testenv.Must(os.ReadFile(name))(t)
			var o map[string]any
			if err := json.Unmarshal(b, &o); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			kind, _ := o["schema"].(string)
			r := validator(t, kind)
			if r == nil {
				t.Errorf("%s: %q has no schema", name, kind)
				continue
			}
			n++
			if err := r.Validate(o); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
	if n < 8 {
		t.Errorf("only %d outputs", n)
	}
}
