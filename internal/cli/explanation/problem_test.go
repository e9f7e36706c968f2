package explanation

import (
	"bytes"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"linerate/docs"
	"linerate/internal/cli"
	"linerate/internal/cli/ceilings"
	"linerate/internal/design/plan"
	limiters "linerate/internal/explain/cause"
	"linerate/internal/inspect/check/checks"
	"linerate/internal/testenv"
)

// explained runs explain with words, and returns what it prints.
func explained(t *testing.T, o Options, words ...string) (string, error) {
	t.Helper()
	var out, errs bytes.Buffer
	e := &cli.Env{In: strings.NewReader(""), Out: &out, Err: &errs, Getenv: func(string) string { return "" }}
	if o.Claims == nil {
		o.Claims = &ceilings.ClaimFlags{}
	}
	err := Words(t.Context(), e, o, words)
	return out.String(), err
}

// ids returns the ids of all causes, checks and rules, from their own tables.
func ids() (out []string) {
	out = limiters.IDs()
	for _, c := range docs.Causes() {
		out = append(out, c.IDs...)
	}
	for _, k := range checks.All() {
		out = append(out, k.ID)
	}
	for _, r := range plan.Rules() {
		out = append(out, r.ID)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// Every id of a cause, a check and a rule opens a page with all parts, and the list has it.
func TestEveryIDHasAPage(t *testing.T) {
	listed, err := explained(t, Options{List: true})
	testenv.Check(t, err)
	all := ids()
	if len(all) < 150 {
		t.Fatalf("only %d ids", len(all))
	}
	for _, id := range all {
		page, err := explained(t, Options{}, id)
		if err != nil {
			t.Errorf("%s: %v", id, err)
			continue
		}
		for _, part := range []string{"\n  symptom   ", "\n  evidence  ", "\n  fix       ", "\n  undo      ",
			"\n  example   "} {
			if !strings.Contains(page, part) {
				t.Errorf("%s: no%q in\n%s", id, part, page)
			}
		}
		if !strings.Contains(listed, "\n  "+id+" ") {
			t.Errorf("%s is not in the list", id)
		}
	}
}

// Every error of docs/errors.md opens a page with all parts.
func TestEveryErrorHasAPage(t *testing.T) {
	listed, err := explained(t, Options{List: true})
	testenv.Check(t, err)
	for _, x := range docs.Errors() {
		page, err := explained(t, Options{}, x.ID)
		testenv.Check(t, err)
		for _, part := range []string{"\n  symptom   error: ", "\n  why       ", "\n  write     ", "\n  example   error: "} {
			if !strings.Contains(page, part) {
				t.Errorf("%s: no%q in\n%s", x.ID, part, page)
			}
		}
		if !strings.Contains(listed, "\n  "+x.ID+" ") {
			t.Errorf("%s is not in the list", x.ID)
		}
	}
}

// Every kind of error of the code has a row in docs/errors.md, and the other way round.
func TestErrorsAreDocumented(t *testing.T) {
	text := testenv.Must(os.ReadFile("../../base/diag/id.go"))(t)
	var inCode, inDocs []string
	for _, m := range regexp.MustCompile(`ID += "([a-z-]+)"`).FindAllStringSubmatch(string(text), -1) {
		inCode = append(inCode, m[1])
	}
	for _, x := range docs.Errors() {
		inDocs = append(inDocs, x.ID)
	}
	slices.Sort(inCode)
	slices.Sort(inDocs)
	if !slices.Equal(inCode, inDocs) {
		t.Errorf("in internal/base/diag/id.go\n%v\nin docs/errors.md\n%v", inCode, inDocs)
	}
}

// An unknown id gets the nearest one.
func TestNearestID(t *testing.T) {
	for word, near := range map[string]string{"mtu-one-sidd": "mtu-one-sided", "pcie-degrade": "pcie-degraded",
		"MTU-BLACKHOLE": "mtu-black-hole"} {
		_, err := explained(t, Options{}, word)
		if err == nil {
			t.Errorf("%s opens a page", word)
			continue
		}
		if got := nearest(word); got != near {
			t.Errorf("%s: %q is near, want %q", word, got, near)
		}
	}
	if got := nearest("zzzzzzzzzzzz"); got != "" {
		t.Errorf("%q is near", got)
	}
}

// Commands for two hosts are told apart by the host before each.
func TestHostsOfSteps(t *testing.T) {
	page, err := explained(t, Options{}, "mtu-black-hole")
	testenv.Check(t, err)
	testenv.Contains(t, "the page", page, "\n  undo      on host1: ip link set fast mtu 9000\n"+
		"            on host2: ip link set fast mtu 9000\n")
}
