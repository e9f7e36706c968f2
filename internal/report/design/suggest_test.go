package design

import (
	"bytes"
	"encoding/json"
	"testing"

	"linerate/internal/design/catalog"
	"linerate/internal/design/suggest"
	"linerate/internal/golden"
	"linerate/internal/report/terminal"
)

// suggestions are those of a catalogue with few parts: the real one grows.
func suggestions(t *testing.T) *suggest.Answer {
	t.Helper()
	c, err := catalog.Load()
	if err != nil {
		t.Fatal(err)
	}
	few := &catalog.Catalog{Sources: c.Sources}
	var text []byte
	for _, p := range c.Parts {
		switch p.ID {
		case "mnpa19-xtr",
			"chelsio-s320e",
			"mcx354a-fcct",
			"sfp+-dac-3m",
			"arista-aoc-q-q-40g-10m",
			"crs309-1g-8s",
			"crs305-1g-4s",
			"sx6012",
			"crs326-24g-2s":
			few.Parts = append(few.Parts, p)
		}
	}
	over, problems := c.With(
		catalog.File{Name: "parts.d/none.yaml", Text: append(text, "sources: {x: {kind: recall}}\n"...)},
	)
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	over.Parts = few.Parts // looked through; names are still found among all
	return suggest.For(suggest.Requirements{Hosts: 3, Rate: 10e9, Distance: 3, Slots: 2,
		Systems: []suggest.System{{OS: "windows"}, {OS: "truenas", Version: "CORE"}, {OS: "linux"}}}, over)
}

func TestSuggestions(t *testing.T) {
	a := suggestions(t)
	for name, term := range map[string]terminal.Terminal{"suggest-80.txt": {Width: 80}, "suggest-120.txt": {Width: 120}} {
		var b bytes.Buffer
		term.Out = &b
		if err := PrintSuggestions(term, a, false); err != nil {
			t.Fatal(err)
		}
		if err := PrintSuggested(term, a.Designs[0], 1); err != nil {
			t.Fatal(err)
		}
		golden.Compare(t, "testdata/"+name, b.String())
	}
	var b bytes.Buffer
	if err := SuggestJSON(&b, a); err != nil {
		t.Fatal(err)
	}
	var back suggestJSON
	if err := json.Unmarshal(b.Bytes(),
		&back); err != nil || len(back.Designs) != len(a.Designs) || back.Designs[0].Number != 1 ||
		back.Designs[0].Fabric == "" {
		t.Errorf("%v: %d designs", err, len(back.Designs))
	}
}

// What is known of a part, what is not, and where it comes from.
func TestPart(t *testing.T) {
	c, err := catalog.Load()
	if err != nil {
		t.Fatal(err)
	}
	over, problems := c.With(catalog.File{Name: "parts.d/mine.yaml",
		Text: []byte(
			"parts:\n  - id: mine\n    name: Mine\n    kind: nic\n    rdma: [rocev2]\n    drivers: {linux: {driver: x, pfc: " +
				"false, notes: [a note]}}\n    traps: [look at the label]\n    sources: {rdma: [recall], drivers: [recall]}\n  " +
				"  confidence: low\n",
		)})
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	var b bytes.Buffer
	for _, name := range []string{"mine", "CRS305", "SFP+-DAC-1m", "P4500", "SP350"} {
		p, err := over.Find(name)
		if err != nil {
			t.Fatal(err)
		}
		if err := PrintPart((terminal.Terminal{Width: 80, Out: &b}), p, over.Sources); err != nil {
			t.Fatal(err)
		}
		b.WriteByte('\n')
	}
	golden.Compare(t, "testdata/parts-80.txt", b.String())
}
