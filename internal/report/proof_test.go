package report

import (
	"bytes"
	"strings"
	"testing"

	"linerate/internal/record"
)

// The terminal and the page say the sentence, each test with its numbers, what is not known and what would settle it; text from devices is no markup.
func TestProofShown(t *testing.T) {
	no, low, high, n := false, 6.2e9, 6.4e9, int64(6_250_000_000)
	dscp := 26
	r := &record.Run{Schema: record.RunSchema, Fabric: "star", Sentence: "The class roce is not lossless in effect: it lost 655 packets.", Experiments: []*record.Experiment{{
		ID: "x", Name: "proof-roce", Method: record.MethodProof, From: "n[1-2]", To: "n3", Pattern: "incast", Direction: "out", Settings: map[string]string{"class": "roce"},
		Proof: &record.Proof{Class: "roce", Priority: 3, DSCP: &dscp, State: record.NotInEffect, Sentence: "The class roce is not lossless in effect: it lost 655 packets.", Traffic: "tcp", TrafficWhy: "n3 has no RDMA device on e9", Sent: &n, Beside: &n,
			Tests: []record.ProofTest{
				{Test: record.ProofSequence, Title: "nothing of the class was lost between its ends", Passed: &no, Want: "0 sequence errors", Have: "it lost 655 packets"},
				{Test: record.ProofBytes, Title: "the class's counters have what was sent", Want: "6.25 GB", Have: "not known", NotKnown: []string{"sw: <b>Et1</b>: not counted"}, Counters: []record.ProofCounter{
					{Device: "n1", Port: "e1", What: "class-bytes-sent", Source: "ethtool -S e1", Line: "tx_prio3_bytes: 7294000000", Before: 1000000000, After: 7294000000, Low: &low, High: &high}}},
			},
			NotKnown: []string{"sw: <b>Et1</b>: not counted"}, Settles: []string{"a switch that counts"}, NotShown: []string{"RDMA was not sent"},
			Causes: []record.ProofCause{{ID: "pfc-one-sided", Text: "n1 counted none", Fix: "dcb pfc set dev e1 prio-pfc 3:on", Undo: "dcb pfc set dev e1 prio-pfc 3:off"}}},
	}}}
	var text, page bytes.Buffer
	if err := (Terminal{Width: 200, Out: &text}).Run(r); err != nil {
		t.Fatal(err)
	}
	if err := HTML(&page, r); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"not in effect", "it lost 655 packets", "not known", "a switch that counts", "RDMA was not sent", "TCP: n3 has no RDMA device on e9", "pfc-one-sided", "dcb pfc set dev e1 prio-pfc 3:on", "dcb pfc set dev e1 prio-pfc 3:off", "priority 3, DSCP 26"} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("the terminal does not say %q:\n%s", want, text.String())
		}
		if !strings.Contains(page.String(), want) {
			t.Errorf("the page does not say %q", want)
		}
	}
	for _, want := range []string{"7294000000", "6200000000 to 6400000000 more", "0 sequence errors", "tx_prio3_bytes: 7294000000", "&lt;b&gt;Et1"} {
		if !strings.Contains(page.String(), want) {
			t.Errorf("the page does not have %q", want)
		}
	}
	if strings.Contains(page.String(), "<b>Et1") {
		t.Error("text of a device is markup")
	}
}
