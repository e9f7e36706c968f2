package render

import (
	"go/ast"
	"go/parser"
	"go/token"
	"iter"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"linerate/internal/design/catalog"
	"linerate/internal/design/fabric"
	"linerate/internal/design/plan"
	"linerate/internal/device"
	"linerate/internal/device/config"
	"linerate/internal/device/families"
	"linerate/internal/record"
	"linerate/internal/testenv"
)

// ownGaps are the gaps that only renderers report, by the start of their texts, with the reason: no plan leads to them.
var ownGaps = map[string]string{
	"vlan-filtering stays as it is": "the plan asks that tags pass, " +
		"not that others are kept out",
	"receive buffers and the cable's length of %s: the NIC's own defaults stay%s": "the plan has no setting for them",
	"files of a network manager that outlive a reboot": "the file asks for that: network: " +
		"none",
	"settings of kind %s: no way to set them is known here": "no kind of the plan is without a " +
		"way: TestKinds",
	"%d used ports carry InfiniBand: they have none of these settings":   "InfiniBand has its own flow control",
	"the undo of the PFC watchdog":                                       "of the undo, not of the plan",
	"functions.ps1 has no undo":                                          "of the undo, not of the plan",
	"iSCSI targets and sessions: their names are not in the fabric file": "the plan does not know them",
	"no settings for this switch: all its used ports carry InfiniBand":   "InfiniBand has its own flow control",
}

// manyPlans returns the plans of the fabrics that come with the program, and of those that provoke the rules, by file.
// They include each refusal and each gap.
func manyPlans(t *testing.T) iter.Seq2[string, *plan.Plan] {
	t.Helper()
	files := fabrics(t)
	for _, pattern := range []string{"testdata/switches/*.yaml", "../../design/plan/testdata/rules/*/*.yaml"} {
		found, err := filepath.Glob(pattern)
		if err != nil || len(found) == 0 {
			t.Fatalf("%s: %v, %v", pattern, found, err)
		}
		files = append(files, found...)
	}
	catalog := testenv.Must(catalog.Load())(t)
	return func(yield func(string, *plan.Plan) bool) {
		for _, file := range files {
			f, problems := fabric.Load(file, fabric.Options{Catalog: catalog})
			if len(problems) > 0 {
				t.Fatal(problems)
			}
			if !yield(file, plan.Build(f)) {
				return
			}
		}
	}
}

// TestPlanSaysItFirst: the plan reports each refusal of a device, and each gap of a device's files, in the same words
// before rendering, and nothing else.
func TestPlanSaysItFirst(t *testing.T) {
	refused, gaps := 0, 0
	for path, p := range manyPlans(t) {
		s := Render(p)
		refusals := map[string]string{}
		for _, r := range s.Refused {
			subject, text, _ := strings.Cut(r, ": ")
			refusals[subject] = text
		}
		for _, h := range p.Hosts {
			refused += agreeRefused(t, path, p, "host "+h.Name, refusals["host "+h.Name], p.HostGaps(h))
			gaps += agreeGaps(t, path, p, s.Device(h.Name), h.Name, p.HostGaps(h))
		}
		for _, sw := range p.Switches {
			refused += agreeRefused(t, path, p, "switch "+sw.Name, refusals["switch "+sw.Name], p.SwitchGaps(sw))
			gaps += agreeGaps(t, path, p, s.Device(sw.Name), sw.Name, p.SwitchGaps(sw))
		}
		if len(s.Refused)+len(s.Devices) != len(p.Hosts)+len(p.Switches) {
			t.Errorf("%s: %d devices are rendered and %d refused, of %d", path, len(s.Devices), len(s.Refused),
				len(p.Hosts)+len(p.Switches))
		}
	}
	if refused < 40 || gaps < 60 {
		t.Errorf("only %d refusals and %d gaps were seen", refused, gaps)
	}
}

// agreeRefused compares the refusal of a device with the plan's problems: an error with the same reason, or a warning
// that config omits it.
func agreeRefused(t *testing.T, path string, p *plan.Plan, subject, refusal string, gaps device.Gaps) int {
	t.Helper()
	want := gaps.Refusals()
	if (refusal == "") != (len(want) == 0) {
		t.Errorf("%s: %s is refused with %q; the plan says %q", path, subject, refusal, want)
	}
	for _, x := range gaps {
		if x.Severity != record.Error && !x.LeftOut {
			continue
		}
		if !strings.Contains(refusal, config.Plain(x.Message)) {
			t.Errorf("%s: %s is refused with %q, without the plan's %q", path, subject, refusal, x.Message)
		}
		severity, message := record.Error, x.Message
		if x.LeftOut {
			severity, message = record.Warning, x.Message+", so that config leaves it out"
		}
		says(t, path, p, severity, x, message)
	}
	return len(want)
}

// agreeGaps compares the README of a rendered device with the plan's problems.
func agreeGaps(t *testing.T, path string, p *plan.Plan, d *config.Device, name string, gaps device.Gaps) int {
	t.Helper()
	if d == nil {
		return 0
	}
	n := 0
	want := gaps.Missing()
	for _, missing := range d.Missing {
		if slices.ContainsFunc(want, func(g string) bool { return config.Plain(g) == missing }) {
			n++
			continue
		}
		if !ownGap(missing) {
			t.Errorf("%s: %s: %q is in its README and not in the plan", path, name, missing)
		}
	}
	for _, g := range want {
		if !slices.Contains(d.Missing, config.Plain(g)) {
			t.Errorf("%s: %s: the plan says %q, and its README does not", path, name, g)
		}
	}
	for _, x := range gaps {
		says(t, path, p, x.Severity, x, x.Message)
	}
	return n
}

func ownGap(text string) bool {
	for form := range ownGaps {
		before, after, _ := strings.Cut(form, "%")
		if strings.HasPrefix(text, before) &&
			(after == "" || strings.Contains(text, strings.TrimLeft(strings.Split(after[1:], "%")[0], "sd"))) {
			return true
		}
	}
	return false
}

// says searches the plan's record of a gap.
func says(t *testing.T, path string, p *plan.Plan, severity record.Severity, x device.Gap, message string) {
	t.Helper()
	if !slices.ContainsFunc(p.Problems, func(y record.Problem) bool {
		return y.ID == x.Rule && y.Severity == severity && y.Message == message && y.Fix == x.Fix &&
			(y.Subject == x.Subject || slices.Contains(y.Subjects, x.Subject))
	}) {
		t.Errorf("%s: the plan has no %s %s of %s: %q", path, severity, x.Rule, x.Subject, message)
	}
}

// TestRenderersHaveNoGapsOfTheirOwn: a gap that only a renderer reports is listed above, with the reason why no plan
// leads to it. Every other gap belongs in package plan, which reports it first.
func TestRenderersHaveNoGapsOfTheirOwn(t *testing.T) {
	var files []string
	for _, pattern := range []string{"../*/render/*.go", "../dcb/*.go", "../guide/*.go"} {
		found, err := filepath.Glob(pattern)
		if err != nil || len(found) == 0 {
			t.Fatal(pattern, found, err)
		}
		files = append(files, found...)
	}
	seen := map[string]bool{}
	for _, path := range files {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		f := testenv.Must(parser.ParseFile(token.NewFileSet(), path, nil, 0))(t)
		ast.Inspect(f, func(n ast.Node) bool {
			for _, text := range missed(n) {
				listed := ""
				for form := range ownGaps {
					if strings.HasPrefix(text, form) {
						listed = form
					}
				}
				if listed == "" {
					t.Errorf("%s: %q is said by the renderer alone", path, text)
				}
				seen[listed] = true
			}
			return true
		})
	}
	for form := range ownGaps {
		if !seen[form] && !strings.HasPrefix(form, "no settings for this switch") {
			t.Errorf("no renderer says %q", form)
		}
	}
}

// missed returns the texts that a call of Miss, or an append to Missing, adds.
func missed(n ast.Node) []string {
	call, ok := n.(*ast.CallExpr)
	if !ok {
		return nil
	}
	name := ""
	switch f := call.Fun.(type) {
	case *ast.SelectorExpr:
		name = f.Sel.Name
	case *ast.Ident:
		name = f.Name
	}
	args := call.Args
	switch {
	case name == "append" && len(args) > 1:
		if sel, ok := args[0].(*ast.SelectorExpr); !ok || sel.Sel.Name != "Missing" {
			return nil
		}
		args = args[1:]
	case name != "Miss" && name != "miss":
		return nil
	}
	text := ""
	ast.Inspect(args[0], func(n ast.Node) bool {
		if l, ok := n.(*ast.BasicLit); ok && l.Kind == token.STRING && text == "" {
			text, _ = strconv.Unquote(l.Value)
		}
		return text == ""
	})
	if text == "" {
		return nil // a list that was made by miss
	}
	return []string{text}
}

// TestSystemsAgree: the plan omits exactly the systems without a renderer.
func TestSystemsAgree(t *testing.T) {
	for _, os := range append(families.Hosts(), "", "plan9") {
		h := &plan.Host{Name: "a", OS: os, Decl: &fabric.Host{}}
		r := ofHost(h)
		if refused := len((&plan.Plan{}).HostGaps(h).Refusals()) > 0; refused != (r == nil) {
			t.Errorf("host with %q: a renderer: %v; the plan leaves it out: %v", os, r != nil, refused)
		}
	}
	for _, os := range append(families.Switches(), "", "netgear") {
		s := &plan.Switch{Name: "s", OS: os, Decl: &fabric.Switch{}, Part: &catalog.Part{ID: "sn2700", Name: "x"}}
		r := ofSwitch(&plan.Plan{}, s)
		if known := families.OfSwitch(os) != nil; known != (r != nil) {
			t.Errorf("switch with %q: a renderer: %v; the plan knows it: %v", os, r != nil, known)
		}
	}
}
