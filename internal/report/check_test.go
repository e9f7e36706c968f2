package report

import (
	"strings"
	"testing"

	"linerate/internal/inspect/check"
	"linerate/internal/record"
)

// Nothing found is said only of what was looked at, and by how much of the checks.
func TestCheckHeads(t *testing.T) {
	all := check.Checks()
	missing := []record.Unknown{{Subject: "nas", Reason: "no answer"}}
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

// A command is never broken: copied out of the terminal it has to run.
func TestCommandsAreWhole(t *testing.T) {
	const fix = "Set-NetAdapterAdvancedProperty -Name 'SLOT 3' -RegistryKeyword '*JumboPacket' -RegistryValue 9014; netsh interface ipv4 set subinterface 'SLOT 3' mtu=9000 store=persistent"
	f := record.Finding{ID: "mtu", Severity: record.Error, Subject: "pc: SLOT 3", Have: "MTU 1500", Want: "MTU 9000", Fix: fix, Undo: "undo " + fix}
	var b strings.Builder
	if err := (Terminal{Out: &b, Width: 60}).Check(Checked{"pc", 1, check.Checks()}, check.Result{Findings: []record.Finding{f}}); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"  fix    " + fix + "\n", "  undo   undo " + fix + "\n"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("want %q: %s", want, b.String())
		}
	}
}
