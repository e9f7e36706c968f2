package main

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"linerate/internal/cli"
	"linerate/internal/cli/job"
	"linerate/internal/cli/results"
	"linerate/internal/design/fabric"
	"linerate/internal/design/plan"
	"linerate/internal/record"
	"linerate/internal/record/runfolder"
	"linerate/internal/testenv"
)

const (
	ownNIC = `sources:
  invoice: {kind: document, ref: an invoice}
parts:
  - id: my-10g
    name: My 10G NIC
    kind: nic
    speeds: [10G]
    ports: [{count: 1, cage: sfp+}]
    price: {amount: 7 USD}
    sources: {speeds: [invoice], ports: [invoice], price: [invoice]}
    confidence: low
`
	ownFabric = `fabric: own
hosts:
  a: {os: linux, nics: {x: {part: my-10g}}}
  b: {os: linux, nics: {x: {part: MNPA19-XTR}}}
links:
  - {ends: [a.x, b.x], cable: {part: SFP+-DAC-1m}}
`
)

// withParts makes a folder with a fabric file and parts files next to it.
func withParts(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	files["own.yaml"] = ownFabric
	for name, text := range files {
		name = filepath.Join(dir, name)
		testenv.Check(t, os.MkdirAll(filepath.Dir(name), 0o755))
		testenv.WriteFile(t, name, []byte(text), 0o644)
	}
	return dir
}

func TestOwnParts(t *testing.T) {
	dir := withParts(t, map[string]string{"parts.d/mine.yaml": ownNIC})
	own := filepath.Join(dir, "own.yaml")
	if a := call(t, nil, "plan", own); a.code != cli.ExitDone || !strings.Contains(unwrapped(a.out), "mine.yaml") ||
		!strings.Contains(a.out, "7.00 USD") {
		t.Errorf("a part next to the fabric file: %s", a)
	}
	o := call(t, nil, "plan", own, "--json").object(t, "linerate/plan/1")
	item := list(t, o["bom"].(map[string]any), "items")[0]
	if item["part"] != "My 10G NIC" || item["part_from"] != filepath.Join(dir, "parts.d", "mine.yaml") {
		t.Errorf("the bill's first item: %v", item)
	}

	// The parts next to the fabric file override those of the user's folder.
	home := withParts(t, map[string]string{"linerate/parts.d/all.yaml": strings.Replace(ownNIC, "7 USD", "9 USD", 1)})
	vars := []string{"XDG_CONFIG_HOME=" + home}
	if a := call(t, vars, "plan", own); a.code != cli.ExitDone || !strings.Contains(a.out, "7.00 USD") {
		t.Errorf("both folders: %s", a)
	}
	lone := withParts(t, map[string]string{})
	if a := call(t, vars, "plan", filepath.Join(lone, "own.yaml")); a.code != cli.ExitDone ||
		!strings.Contains(a.out, "9.00 USD") {
		t.Errorf("the user's folder: %s", a)
	}
	if a := call(t, vars, "parts", "my-10g"); a.code != cli.ExitDone ||
		!strings.Contains(unwrapped(a.out), unwrapped(filepath.Join(home, "linerate", "parts.d", "all.yaml"))) {
		t.Errorf("linerate parts: %s", a)
	}
	if a := call(t, nil, "plan", filepath.Join(lone, "own.yaml")); a.code != cli.ExitInput ||
		!strings.Contains(a.err, "my-10g") {
		t.Errorf("without it: %s", a)
	}
}

// Each command that loads a fabric refuses invalid files next to it.
func TestOwnPartsWrong(t *testing.T) {
	dir := withParts(t, map[string]string{"parts.d/a.yaml": strings.Replace(ownNIC, "[10G]", "[10]", 1),
		"parts.d/b.yaml": strings.Replace(ownNIC, "kind: nic", "kinds: nic", 1)})
	own := filepath.Join(dir, "own.yaml")
	for _, args := range [][]string{{"plan", own}, {"run", own, "--lab"}, {"ceiling", own},
		{"facts", own, "-o", filepath.Join(dir, "out")}, {"lab", "up", own}} {
		a := call(t, nil, args...)
		if a.code != cli.ExitInput || a.out != "" ||
			!strings.Contains(a.err, "--> "+filepath.Join(dir, "parts.d", "a.yaml")+":7:14\n") ||
			!strings.Contains(a.err, filepath.Join("parts.d", "b.yaml")+":6:5\n") {
			t.Errorf("%v: %s", args, a)
		}
	}
}

// A run is explained with the parts that it was planned with, whatever the folders contain later.
func TestRecordedParts(t *testing.T) {
	dir := withParts(t, map[string]string{"parts.d/mine.yaml": ownNIC})
	own := filepath.Join(dir, "own.yaml")
	e := &cli.Env{Getenv: func(string) string { return "" }}
	p := testenv.Must(e.Load(own, ""))(t)
	files := job.Recorded(p.Fabric.Parts)
	if len(files) != 1 || files[0].Text != ownNIC {
		t.Fatalf("%+v", files)
	}
	testenv.Check(t, os.RemoveAll(filepath.Join(dir, "parts.d")))
	c := testenv.Must(results.RecordedCatalog(&runfolder.Opened{Run: &record.Run{Parts: files}}))(t)
	again, problems := fabric.Parse(own, p.Fabric.Text, fabric.Options{Catalog: c})
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	q := plan.Build(again)
	q.BOM.Items[0].Bought, p.BOM.Items[0].Bought = nil, nil // the same part, read twice
	if !reflect.DeepEqual(q.BOM.Items[0], p.BOM.Items[0]) {
		t.Errorf("%+v, was %+v", q.BOM.Items[0], p.BOM.Items[0])
	}
}
