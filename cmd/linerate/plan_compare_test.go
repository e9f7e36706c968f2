package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestPlanCompare(t *testing.T) {
	if a := call(t, nil, "plan", mesh, example("roce-100g")); a.code != exitDone || !strings.Contains(a.out, "mesh-10g against roce-100g") || !strings.Contains(a.out, "4000 CNY") || a.err != "" {
		t.Errorf("two files: %s", a)
	}
	if a := call(t, nil, "plan", example("eval-25g"), "--against", "ten"); a.code != exitDone || !strings.Contains(a.out, "eval-25g against eval-25g [ten]") || !strings.Contains(a.out, "x 0.400") {
		t.Errorf("a variant: %s", a)
	}
	o := call(t, nil, "plan", mesh, mesh, "--json").object(t, "linerate/plan-compare/1")
	for _, key := range []string{"items", "only_a", "only_b", "problems_only_a", "problems_only_b"} {
		if v, ok := o[key].([]any); !ok || len(v) != 0 {
			t.Errorf("%s of a file against itself: %v", key, o[key])
		}
	}
}

func TestPlanCompareWrong(t *testing.T) {
	bad := filepath.Join(t.TempDir(), "bad.yaml")
	if err := os.WriteFile(bad, []byte("fabric: x\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, x := range []struct {
		args []string
		want string
	}{
		{[]string{mesh, bad}, bad + ":1:1: "},
		{[]string{bad, filepath.Join(root, "nothere.yaml")}, "nothere.yaml:1:1: "},
		{[]string{bad, filepath.Join(root, "nothere.yaml")}, bad + ":1:1: "},
		{[]string{mesh, "--against", ""}, "that is the design itself"},
		{[]string{mesh, "--against", "nothing"}, "there is no variant"},
		{[]string{mesh, mesh, "--csv", "bom"}, "--csv is of one design"},
		{[]string{mesh, mesh, "-o", "x"}, "--output is of one design"},
		{[]string{mesh, mesh, mesh}, "too many words: " + mesh},
		{[]string{}, "words are missing"},
	} {
		if a := call(t, nil, append([]string{"plan"}, x.args...)...); a.code != exitInput || a.out != "" || !strings.Contains(a.err, x.want) {
			t.Errorf("%v: want %s in\n%s", x.args, x.want, a)
		}
	}
}
