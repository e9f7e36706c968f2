package proof

import (
	"os"
	"slices"
	"strings"
	"testing"

	"linerate/internal/base/method"
	"linerate/internal/record"
)

// Where the class is RDMA, its devices count the losses: an error of any kind is a loss, and counters that do not grow
// with the traffic prove nothing.
func TestProofOfVerbsNeedsCounters(t *testing.T) {
	raw, err := os.ReadFile("testdata/verbs-in-effect.txtar")
	if err != nil {
		t.Fatal(err)
	}
	after := "-- a after rdma statistic show link mlx5_0/1 --\nlink mlx5_0/1 out_of_sequence 3 packet_seq_err 10 " +
		"local_ack_timeout_err 0 rnr_nak_retry_err 4 np_ecn_marked_roce_packets 0"
	receives := strings.Replace(after, "-- a", "-- r", 1)
	for _, x := range []struct{ name, old, new, state, says string }{
		{"nothing changed", "ports", "ports", record.InEffect, "RDMA devices counted 0 sequence errors"},
		{"a packet of the sender was asked for again", after, strings.Replace(after, "packet_seq_err 10", "packet_seq_err 11",
			1), record.NotInEffect, "RDMA devices counted 1 sequence errors"},
		{"its acknowledgement did not come", after, strings.Replace(after, "timeout_err 0", "timeout_err 2", 1),
			record.NotInEffect, "RDMA devices counted 2 sequence errors"},
		{"the receiver missed some", receives, strings.Replace(receives, "out_of_sequence 3", "out_of_sequence 8", 1),
			record.NotInEffect, "RDMA devices counted 5 sequence errors"},
		{"a receiver that was not ready", after, strings.Replace(after, "retry_err 4", "retry_err 7", 1), record.InEffect,
			"3 times a receiver that was not ready, which is not a loss"},
		{"counters of another device", "port_xmit_packets:703000", "port_xmit_packets:5090", record.NotKnown,
			"counted 90 packets of 698000"},
	} {
		text := strings.Replace(string(raw), x.old, x.new, 1)
		if x.old != x.new && text == string(raw) {
			t.Fatal(x.name)
		}
		out := provingOf(t, text).judge()
		i := slices.IndexFunc(out.Tests, func(r record.ProofTest) bool { return r.Test == record.ProofSequence })
		if out.State != x.state || !strings.Contains(out.Tests[i].Have+strings.Join(out.NotKnown, " "), x.says) {
			t.Errorf("%s: %s", x.name, saidOf(out))
		}
	}

	// Without counters on either side it is not known. With a single class, the marks that its receiver counted slow it
	// down, too.
	none := provingOf(t, string(raw))
	for i := range none.ports {
		if s := none.ports[i].Shots; s.After != nil {
			s.After.RDMA = nil
		}
	}
	if out := none.judge(); out.State != record.NotKnown || !strings.Contains(strings.Join(out.NotKnown, " "),
		"a -> r: neither end's RDMA device counts sequence errors") || len(out.Settles) == 0 {
		t.Error(saidOf(out))
	}
	for lossless, want := range map[int]bool{1: true, 2: false} {
		p := provingOf(t, strings.Replace(string(raw), receives, strings.Replace(receives, "roce_packets 0", "roce_packets 9",
			1), 1))
		p.lossless = lossless
		if have := strings.Contains(p.relief().Have, "9 marks of ECN"); have != want {
			t.Errorf("%d lossless classes: %s", lossless, p.relief().Have)
		}
	}
}

// The bytes of WRITEs come from the streams. The packets of iWARP are not known.
func TestFlowOfVerbs(t *testing.T) {
	n := int64(700)
	streams := []record.Stream{{Flow: 1, Sent: 6000, Received: 5900, Packets: &n},
		{Flow: 1, Sent: 4000, Received: 4000, Packets: &n}, {Flow: 0, Sent: 1, Received: 1}}
	e := &record.Experiment{Repeats: []record.Repeat{{InEffect: map[string]string{"class_traffic": method.RDMA}}}}
	f := record.Flow{From: "a", To: "r", Class: "roce"}
	x := flowOf(e, f, 1, streams)
	if x.sent == nil || *x.sent != 10000 || *x.received != 9900 || x.packets == nil || *x.packets != 1400 ||
		x.lost != nil {
		t.Errorf("%+v", x)
	}
	streams[1].Packets = nil
	if x = flowOf(e, f, 1, streams); x.packets != nil || !strings.Contains(x.why, "iWARP") {
		t.Errorf("%+v", x)
	}
}
