package explanation

import (
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"linerate/docs"
	"linerate/internal/design/plan"
	"linerate/internal/golden"
	"linerate/internal/inspect/check/checks"
	"linerate/internal/testenv"
)

func TestMain(m *testing.M) {
	flag.Parse()
	os.Exit(m.Run())
}

// The examples of the pages are those of the tests: recorded runs of the causes, cases of the checks and of the rules.
// The golden file is written again when one of them changes.
func TestExamples(t *testing.T) {
	all := map[string]map[string]Example{ofCause: causeExamples(t), ofCheck: checkExamples(t), ofRule: ruleExamples(t),
		ofError: errorExamples(t)}
	text := testenv.Must(json.MarshalIndent(all, "", "  "))(t)
	golden.Compare(t, "examples.json", string(text)+"\n")
}

// checkExamples are the findings that the cases of the checks expect; that of ID.txtar counts.
func checkExamples(t *testing.T) map[string]Example {
	t.Helper()
	out := map[string]Example{}
	const folder = "../../inspect/check/checks/testdata/"
	for _, k := range checks.All() {
		names := testenv.Must(filepath.Glob(folder + k.ID + "*.txtar"))(t)
		others := testenv.Must(filepath.Glob(folder + "*.txtar"))(t)
		for _, name := range append(append([]string{folder + k.ID + ".txtar"}, names...), others...) {
			text, err := os.ReadFile(name)
			if err != nil || out[k.ID].Text != "" {
				continue
			}
			for _, f := range txtar.Parse(text).Files {
				if f.Name == "want" {
					if x, ok := finding(string(f.Data), k.ID); ok {
						out[k.ID] = x
					}
				}
			}
		}
	}
	return out
}

// finding is the one of a check in the text that a case wants.
func finding(text, id string) (x Example, ok bool) {
	lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
	at := slices.IndexFunc(lines, func(l string) bool {
		return strings.HasSuffix(l, " "+id) && strings.Count(l,
			" ") == 1
	})
	if at < 0 || at+1 >= len(lines) {
		return x, false
	}
	x.Text = lines[at+1]
	to := new(string)
	for _, line := range lines[at+2:] {
		key, value, cut := strings.Cut(line, ": ")
		switch {
		case cut && key == "costs":
			x.Cost, to = value, &x.Cost
		case cut && key == "seen":
			x.Seen, to = append(x.Seen, value), new(string)
		case cut && key == "fix":
			x.Fix, to = value, &x.Fix
		case cut && key == "undo":
			x.Undo, to = value, &x.Undo
		case cut && key == "so", cut && key == "not known":
			to = new(string)
		case slices.Contains([]string{"error", "warning", "info"}, strings.SplitN(line, " ", 2)[0]):
			return x, true
		default:
			*to += "\n" + line
		}
	}
	return x, true
}

// errorExamples are the first case of each error; that of ID.txtar counts.
func errorExamples(t *testing.T) map[string]Example {
	t.Helper()
	out := map[string]Example{}
	names := testenv.Must(filepath.Glob("../../../cmd/linerate/testdata/errors/*.txtar"))(t)
	for _, x := range docs.Errors() {
		own := slices.DeleteFunc(slices.Clone(names), func(n string) bool { return filepath.Base(n) != x.ID+".txtar" })
		for _, name := range append(own, names...) {
			files := testenv.Must(txtar.ParseFile(name))(t).Files
			_, text, _ := strings.Cut(string(files[len(files)-1].Data), "\n") // below the exit code
			for _, one := range strings.Split(strings.TrimSpace(text), "\n\n") {
				if before, ok := strings.CutSuffix(one, "\nnote: linerate explain "+x.ID); ok && out[x.ID].Text == "" {
					out[x.ID] = Example{Text: before[strings.Index(before, "error: "):]}
				}
			}
		}
	}
	return out
}

// ruleExamples are the first problem of each rule in its fabrics.
func ruleExamples(t *testing.T) map[string]Example {
	t.Helper()
	out := map[string]Example{}
	for _, r := range plan.Rules() {
		text := string(testenv.Must(os.ReadFile("../../design/plan/testdata/rules/" + r.ID + "/want.txt"))(t))
		var x Example
		for _, line := range strings.Split(text, "\n") {
			fix, isFix := strings.CutPrefix(line, "    fix: ")
			switch {
			case isFix && x.Fix == "":
				x.Fix = fix
			case strings.HasPrefix(line, " "):
			case x.Text != "" && x.Fix != "":
			default:
				parts := strings.SplitN(line, ": ", 3) // the fabric, the severity, the problem
				if len(parts) == 3 {
					x.Text = parts[2]
				}
			}
		}
		out[r.ID] = x
	}
	return out
}
