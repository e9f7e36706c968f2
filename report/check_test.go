package report

import (
	"strings"
	"testing"

	"linerate/check"
)

// Nothing found is said only of what was looked at, and by how much of the checks.
func TestCheckHeads(t *testing.T) {
	all := check.Checks()
	missing := []check.Unknown{{Subject: "nas", Reason: "no answer"}}
	for _, c := range []struct {
		of   Checked
		r    check.Result
		says string
	}{
		{Checked{"a, b of home", 2, all}, check.Result{}, "a, b of home: nothing found that holds it back"},
		{Checked{"a", 1, all[:2]}, check.Result{}, "a: nothing found that holds it back by the 2 of "},
		{Checked{"a", 1, all[:1]}, check.Result{Unknown: missing}, " that was asked; 1 could not be looked at"},
		{Checked{"home", 0, all}, check.Result{Unknown: missing}, "home: no machine was looked at; 1 could not be looked at"},
		{Checked{"", 0, all}, check.Result{}, "no machine was looked at"},
	} {
		var b strings.Builder
		if err := (Terminal{Out: &b, Width: 200}).Check(c.of, c.r); err != nil {
			t.Fatal(err)
		}
		head, _, _ := strings.Cut(b.String(), "\n")
		if !strings.Contains(head, c.says) || c.of.Machines == 0 && strings.Contains(head, "nothing found") {
			t.Errorf("%+v: %q does not say %q", c.of.What, head, c.says)
		}
	}
}
