package report

import (
	"io"
	"strings"
	"testing"

	"linerate/internal/inspect/check"
	"linerate/internal/inspect/check/checks"
	"linerate/internal/record"
	"linerate/internal/report/reporttest"
	"linerate/internal/report/terminal"
)

// "Nothing found" is printed only for what was examined, and with the number of checks.
func TestCheckHeaders(t *testing.T) {
	all := checks.All()
	missing := []record.Unknown{{Subject: "nas", Reason: "no answer"}}
	for _, c := range []struct {
		of   Checked
		r    check.Result
		says string
	}{
		{Checked{What: "a, b of home", Machines: 2, Asked: all}, check.Result{},
			"a, b of home: nothing found that holds it back"},
		{Checked{What: "a", Machines: 1, Asked: all[:2]}, check.Result{}, "a: nothing found that holds it back by the 2 of "},
		{Checked{What: "a", Machines: 1, Asked: all[:1]}, check.Result{Unknown: missing},
			" that was asked; 1 could not be looked at"},
		{Checked{What: "home", Machines: 0, Asked: all}, check.Result{Unknown: missing},
			"home: no machine was looked at; 1 could not be looked at"},
		{Checked{What: "", Machines: 0, Asked: all}, check.Result{}, "no machine was looked at"},
	} {
		b := reporttest.Written(t, func(w io.Writer) error {
			return PrintCheck(terminal.Terminal{Out: w, Width: 200}, c.of, c.r)
		})
		head, _, _ := strings.Cut(b, "\n")
		if !strings.Contains(head, c.says) || c.of.Machines == 0 && strings.Contains(head, "nothing found") {
			t.Errorf("%+v: %q does not say %q", c.of.What, head, c.says)
		}
	}
}

// Only a check without findings is followed by the command that measures.
func TestCheckHasNextStep(t *testing.T) {
	of := Checked{What: "home", Machines: 2, Asked: checks.All(), Next: "linerate run home.yaml"}
	found := []record.Finding{{ID: "mtu", Severity: record.Error, Have: "MTU 1500", Want: "MTU 9000"}}
	for _, r := range []check.Result{{}, {Findings: found}} {
		b := reporttest.Written(t, func(w io.Writer) error { return PrintCheck(terminal.Terminal{Out: w}, of, r) })
		if strings.HasSuffix(b, "next  linerate run home.yaml\n") != (len(r.Findings) == 0) {
			t.Errorf("%d findings: %s", len(r.Findings), b)
		}
	}
}

// A command is never wrapped, so that it runs when it is copied from the terminal.
func TestCommandsAreWhole(t *testing.T) {
	const fix = "Set-NetAdapterAdvancedProperty -Name 'SLOT 3' -RegistryKeyword '*JumboPacket' -RegistryValue 9014; " +
		"netsh interface ipv4 set subinterface 'SLOT 3' mtu=9000 store=persistent"
	f := record.Finding{ID: "mtu", Severity: record.Error, Subject: record.PartsOf("pc", "SLOT 3"), Have: "MTU 1500",
		Want: "MTU 9000", Fix: fix, Undo: "undo " + fix}
	var b strings.Builder
	if err := PrintCheck((terminal.Terminal{Out: &b, Width: 60}), Checked{What: "pc", Machines: 1, Asked: checks.All()},
		check.Result{Findings: []record.Finding{f}}); err != nil {
		t.Fatal(err)
	}
	reporttest.Has(t, b.String(), "  fix    "+fix+"\n", "  undo   undo "+fix+"\n")
}
