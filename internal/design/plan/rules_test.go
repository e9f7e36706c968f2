package plan_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"linerate/internal/design/plan"
	"linerate/internal/golden"
	"linerate/internal/record"
	"linerate/internal/testenv"
)

// TestRules plans the fabrics of each rule in testdata/rules. Those whose name begins with not- look alike and have
// none of its problems; the others have exactly those of want.txt.
func TestRules(t *testing.T) {
	for _, r := range plan.Rules() {
		t.Run(r.ID, func(t *testing.T) {
			folder := filepath.Join("testdata", "rules", r.ID)
			files := testenv.Must(filepath.Glob(filepath.Join(folder, "*.yaml")))(t)
			var got strings.Builder
			with, without := 0, 0
			worst := map[record.Severity]bool{}
			for _, file := range files {
				name := strings.TrimSuffix(filepath.Base(file), ".yaml")
				found := 0
				for _, p := range plan.Build(load(t, file)).Problems {
					if p.ID != r.ID {
						continue
					}
					found++
					worst[p.Severity] = true
					fmt.Fprintf(&got, "%s: %s: %s: %s", name, p.Severity, p.Subject, p.Message)
					if p.Fix != "" {
						fmt.Fprintf(&got, "\n    fix: %s", p.Fix)
					}
					if p.Line > 0 {
						fmt.Fprintf(&got, "\n    line %d", p.Line)
					}
					got.WriteString("\n")
					if p.Why != r.Why || p.Why == "" {
						t.Errorf("%s: a problem without the rule's reason: %+v", name, p)
					}
				}
				if strings.HasPrefix(name, "not-") {
					without++
					if found > 0 {
						t.Errorf("%s gives %d problems, want none", name, found)
					}
				} else {
					with++
					if found == 0 {
						t.Errorf("%s gives no problem", name)
					}
				}
			}
			if with == 0 || without == 0 {
				t.Fatalf("%d fabrics that it finds something in and %d that look alike; it needs both in %s", with, without, folder)
			}
			if !worst[r.Worst] || r.Worst != record.Error && worst[record.Error] || r.Worst == record.Info &&
				worst[record.Warning] {
				t.Errorf("its worst severity is said to be %s, and the fabrics give %v", r.Worst, worst)
			}
			golden.Compare(t, filepath.Join(folder, "want.txt"), got.String())
		})
	}
}

// TestRuleFolders expects no folder without a rule, and no two rules of one id.
func TestRuleFolders(t *testing.T) {
	ids := map[string]bool{}
	for _, r := range plan.Rules() {
		if ids[r.ID] || r.ID == "" || r.Title == "" || r.Why == "" {
			t.Errorf("rule %+v", r)
		}
		ids[r.ID] = true
	}
	folders := testenv.Must(os.ReadDir(filepath.Join("testdata", "rules")))(t)
	for _, f := range folders {
		if !ids[f.Name()] {
			t.Errorf("testdata/rules/%s is of no rule", f.Name())
		}
	}
}

// TestRuleDocs expects every rule with its severity and title in the table of docs/rules.md, in the order of the code.
func TestRuleDocs(t *testing.T) {
	text := testenv.Must(os.ReadFile(filepath.Join("../../..", "docs", "rules.md")))(t)
	var got []string
	for _, line := range strings.Split(string(text), "\n") {
		if strings.HasPrefix(line, "| `") {
			got = append(got, line)
		}
	}
	for i, r := range plan.Rules() {
		want := fmt.Sprintf("| `%s` | %s | %s |", r.ID, r.Worst, r.Title)
		if i >= len(got) || !strings.HasPrefix(got[i], want) {
			t.Errorf("docs/rules.md, row %d: want it to begin with\n%s", i+1, want)
		}
	}
	if len(got) != len(plan.Rules()) {
		t.Errorf("docs/rules.md has %d rows, the code %d rules", len(got), len(plan.Rules()))
	}
}
