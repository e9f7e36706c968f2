package checks

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"linerate/internal/facts/read"
	"linerate/internal/inspect/check"
	"linerate/internal/record"
)

// document004 are the machines of document 004 ("100G RoCEv2"), with the commands and outputs that it prints: a CRS504
// with RouterOS, a host with Windows.
func document004(t *testing.T, machines ...string) *check.World {
	t.Helper()
	w := &check.World{}
	for _, h := range machines {
		paths, _ := filepath.Glob("testdata/document004/" + h + "/*")
		if len(paths) == 0 {
			t.Fatalf("there is nothing of %s", h)
		}
		texts, order := map[string][]byte{}, []string(nil)
		for _, p := range paths {
			text, err := os.ReadFile(p)
			if err != nil {
				t.Fatal(err)
			}
			texts[filepath.Base(p)], order = text, append(order, filepath.Base(p))
		}
		kept, notRead := read.FromKept(h, texts, order)
		f, err := read.Parse(kept)
		if err != nil || len(notRead) > 0 || len(f.Unknown) > 0 {
			t.Fatal(err, notRead, f.Unknown)
		}
		w.Add(h, f)
	}
	return w
}

// Document 004 describes a network that works and is not what its author thinks. The checks find its faults in the
// printed outputs, each with the line that proves it, and nothing else.
func TestDocument004(t *testing.T) {
	const (
		port  = "1 R qsfp28-1-1 switch1 roce-profile default ignore ignore default roce-pfc"
		set   = "set qsfp28-1-1 egress-rate-queue3=100.0Gbps pfc=roce-pfc profile=roce-profile trust-l3=keep"
		queue = "3 H default 3 high-priority-group 3 auto yes yes yes"
		rest  = "1 H default 1 low-priority-group 2 auto yes yes yes"
	)
	want := []struct {
		name, machine, id string
		severity          record.Severity
		lines             []string
	}{
		{"F1, set and not in effect", "crs504", "switch-config-not-applied", record.Warning, []string{set, port}},
		{"F1, all traffic is lossless", "crs504", "forced-class", record.Warning, []string{port}},
		{"F2, no map for DSCP 26", "crs504", "dscp-unmapped", record.Warning, []string{"1 H roce-profile 0 0 3"}},
		{"F3, no class for congestion notifications", "crs504", "cnp-class", record.Warning,
			[]string{"6 I default 6 strict-priority auto yes no no"}},
		{"F4, ECN on the tx-manager", "crs504", "ecn-placement", record.Warning, []string{"0 H default auto yes", rest}},
		{"F5, strict precedence", "crs504", "starved-class", record.Warning, []string{rest, queue}},
		{"F6, a rate on all interfaces of a cage", "crs504", "pfc-egress-rate", record.Info,
			[]string{strings.Replace(set, "qsfp28-1-1", "qsfp28-1-2", 1)}},
		{"F7, willing", "nas", "dcbx-willing", record.Info, []string{"Set-NetQosDcbxSetting -Willing $True"}},
		{"F10, a release that knows DCBX", "crs504", "dcbx-release", record.Info, []string{"set lldp-dcbx=yes"}},
		{"F11, WRED on the lossless queue", "crs504", "wred-lossless", record.Warning, []string{queue}},
	}
	findings := check.Run(All(), document004(t, "crs504", "nas"), check.Choice{}).Findings
	for _, x := range want {
		i := slices.IndexFunc(findings, func(f record.Finding) bool {
			return f.ID == x.id && f.Subject.Host == x.machine
		})
		if i < 0 {
			t.Errorf("%s: %s is not found", x.name, x.id)
			continue
		}
		f := findings[i]
		if f.Severity != x.severity {
			t.Errorf("%s: %s, want %s", x.name, f.Severity, x.severity)
		}
		for _, line := range x.lines {
			if !slices.ContainsFunc(f.Evidence, func(e record.EvidenceLine) bool { return e.Line == line }) {
				t.Errorf("%s: no evidence %q, but %+v", x.name, line, f.Evidence)
			}
		}
		findings = slices.Delete(findings, i, i+1)
	}
	for _, f := range findings {
		t.Errorf("also found: %s %s: %s, %s %v", f.Severity, f.ID, f.Subject, f.Have, f.Evidence)
	}
}
