package proof

import (
	"fmt"
	"slices"
	"strings"

	"linerate/internal/base/method"
	"linerate/internal/base/unit"
	"linerate/internal/base/xslices"
	"linerate/internal/device"
	"linerate/internal/explain/judge"
	"linerate/internal/facts"
	"linerate/internal/record"
)

// proving is the input to the judgement of a lossless class: what was sent, and the counters of every port on the path.
type proving struct {
	class    device.Class
	lossless int    // number of lossless classes in the plan
	traffic  string // tcp, udp, verbs
	why      string // the reason for the choice of traffic; empty: not known
	flows    []proofFlow
	ports    []Port           // in the order of the path: senders, switches, receiver
	unread   []string         // switches on the path that were not read, with the reason
	found    []record.Finding // of the checks, on the hosts and switches as they were afterwards
}

// proofFlow is one sender's traffic to the receiver, in the class or outside it.
type proofFlow struct {
	from, to       string
	background     bool   // best effort
	sent, received *int64 // payload in bytes, from the first to the last; nil: not known
	packets        *int64 // on the wire, sent; nil: not known
	lost           *int64 // packets; nil: not known
	why            string // why something is not known
}

// The places of a port on the path.
const (
	atSenders = iota
	switchIn
	switchOut
	atReceivers
)

// Port is a port that the traffic passes, in one direction.
type Port struct {
	Device, Port string
	at           int
	Shots        judge.Shots
	flows        []int // the flows that pass it
	class        int   // the number of the class in its counters
	peer         int   // the port at the other end of its link; -1: not known
}

// out reports whether the traffic leaves the device here.
func (p Port) out() bool { return p.at == atSenders || p.at == switchOut }

func (p Port) String() string {
	if p.Port == "" || p.Port == p.Device {
		return p.Device
	}
	return p.Device + ": " + p.Port
}

// proofTests run in this order. A test that returns nil does not apply.
var proofTests = []func(*proving) *record.ProofTest{(*proving).sequence, (*proving).discards, (*proving).bytes,
	(*proving).relief, (*proving).lossy, (*proving).heard, (*proving).device}

// judge compares what was sent with what was counted. A failed test counts more than unknown ones: one is enough.
func (p *proving) judge() *record.Proof {
	out := &record.Proof{Class: p.class.Name, Priority: p.class.Priority, Traffic: p.traffic, TrafficWhy: p.why,
		Tests: []record.ProofTest{}}
	if len(p.class.DSCP) > 0 {
		out.DSCP = &p.class.DSCP[0]
	}
	out.Sent, out.BestEffort = p.payload(false), p.payload(true)
	by := map[string]*record.ProofTest{}
	var failed, open []*record.ProofTest
	for _, ask := range proofTests {
		t := ask(p)
		if t == nil {
			continue
		}
		by[t.Test] = t
		out.Tests = append(out.Tests, *t)
		switch {
		case t.Passed == nil:
			open = append(open, t)
		case !*t.Passed:
			failed = append(failed, t)
		}
	}
	idle := quiet(by, failed)
	for _, t := range open {
		out.NotKnown = append(out.NotKnown, t.NotKnown...)
	}
	out.NotKnown = unique(out.NotKnown)
	switch {
	case idle:
		out.State = record.NotKnown
		out.NotKnown = append([]string{"nothing was congested: the class was neither paused nor marked, and what was sent " +
			"next to it lost nothing either"}, out.NotKnown...)
		out.Settles = []string{"more senders to one receiver, or a receiver whose link is slower than theirs together"}
	case len(failed) > 0:
		out.State = record.NotInEffect
	case len(open) > 0:
		out.State = record.NotKnown
		out.Settles = settles(open, p.traffic)
	default:
		out.State = record.InEffect
	}
	if !method.Named(p.traffic).UsesRDMA {
		because := ""
		if p.why != "" {
			because = " (" + p.why + ")"
		}
		out.NotShown = append(out.NotShown, fmt.Sprintf("the traffic was %s with the class's mark%s; whether RDMA is sent "+
			"with that mark is the check rdma-unmarked", strings.ToUpper(p.traffic), because))
	}
	p.causes(out, by)
	out.Sentence = p.sentence(out, failed)
	return out
}

// quiet reports whether the load never filled the path: the class was not slowed down, and no other packets were lost.
// Nothing follows from that for the class, unless another test failed.
func quiet(by map[string]*record.ProofTest, failed []*record.ProofTest) bool {
	no := func(id string) bool { return by[id] != nil && by[id].Passed != nil && !*by[id].Passed }
	return no(record.ProofRelief) && no(record.ProofLossy) && len(failed) == 2
}

// payload returns the bytes sent in the class, or outside it; nil: not known for every flow.
func (p *proving) payload(background bool) *int64 {
	sum := int64(0)
	for _, f := range p.flows {
		if f.background != background {
			continue
		}
		if f.sent == nil {
			return nil
		}
		sum += *f.sent
	}
	return &sum
}

// settles names what each open test needs.
func settles(open []*record.ProofTest, traffic string) (out []string) {
	for _, t := range open {
		if t.Test == record.ProofSequence && method.Named(traffic).UsesRDMA {
			out = append(out, "RDMA devices that count packets and sequence errors (rdma statistic; mlx5, bnxt_re, rxe)")
			continue
		}
		out = append(out, map[string]string{
			record.ProofSequence: "senders whose system says how many packets were retransmitted (Linux)",
			record.ProofDiscards: "counters of dropped packets of every port on the way, before and after: a connection for " +
				"the " +
				"switch in the file, or its answers pasted; of a NIC ethtool -S",
			record.ProofBytes: "a NIC that counts bytes by priority (mlx5 tx_prio3_bytes, bnxt_en tx_bytes_pri3), and a " +
				"switch that counts those of each queue (SONiC: show queue counters; RouterOS: qos port print stats)",
			record.ProofRelief: "pause frames by priority of each sender's NIC (ethtool -S), or of the switch's ports " +
				"(SONiC: show pfc counters; EOS: show priority-flow-control counters)",
			record.ProofLossy: "senders whose system says how many packets were retransmitted (Linux)",
		}[t.Test])
	}
	return unique(slices.DeleteFunc(out, func(s string) bool { return s == "" }))
}

// aboutClasses are the checks whose findings can be the reason why a class is not in effect.
var aboutClasses = []string{"forced-class", "dscp-unmapped", "class-map", "trust-mismatch", "switch-config-not-applied",
	"roce-mode-not-applied", "pfc-parity", "pfc-one-sided", "pfc-all", "pfc-headroom", "pause-and-pfc", "lossless-pool",
	"wred-lossless", "qos-not-offloaded", "rdma-unmarked", "cnp-class", "ecn-off", "ecn-placement", "dcbx-willing"}

// causes adds the causes of a state: from the tests themselves, and from the findings on the devices' settings.
func (p *proving) causes(out *record.Proof, by map[string]*record.ProofTest) {
	if out.State != record.NotInEffect {
		return
	}
	defer func() {
		for _, id := range aboutClasses {
			for _, f := range p.found {
				if f.ID == id && !slices.ContainsFunc(out.Causes, func(c record.ProofCause) bool { return c.ID == id }) {
					out.Causes = append(out.Causes, record.ProofCause{ID: id, Text: f.Subject.String() + ": " + f.Have, Fix: f.Fix,
						Undo: f.Undo})
				}
			}
		}
	}()
	if t := by[record.ProofHeard]; t != nil && t.Passed != nil && !*t.Passed {
		out.Causes = append(out.Causes, record.ProofCause{ID: "pfc-one-sided", Text: t.Have,
			Fix: fmt.Sprintf("switch flow control on for priority %d at the end that does not listen; on Linux: dcb pfc "+
				"set dev NAME prio-pfc all:off %d:on; a switch has its own command", p.class.Priority, p.class.Priority),
			Undo: fmt.Sprintf("dcb pfc set dev NAME prio-pfc %d:off", p.class.Priority)})
	}
	if t := by[record.ProofBytes]; method.Named(p.traffic).UsesRDMA && t != nil && t.Passed != nil && !*t.Passed &&
		p.unmarked() {
		out.Causes = append(out.Causes, record.ProofCause{ID: "rdma-unmarked", Text: t.Have,
			Fix: fmt.Sprintf("cma_roce_tos -d DEVICE -t %d", p.mark()), Undo: "cma_roce_tos -d DEVICE -t 0"})
	}
}

// mark returns the type of service of the class's RoCE traffic: the code point and ECT(0).
func (p *proving) mark() int {
	if len(p.class.DSCP) == 0 {
		return 0
	}
	return p.class.DSCP[0]<<2 | 2
}

// sentence describes the state in plain words.
func (p *proving) sentence(out *record.Proof, failed []*record.ProofTest) string {
	switch out.State {
	case record.InEffect:
		senders := xslices.Count(p.flows, func(f proofFlow) bool { return !f.background })
		return fmt.Sprintf("The class %s is lossless in effect. %s sent %s in it at once, and nothing of that was lost. "+
			"It was held back while best effort next to it lost packets.",
			out.Class, unit.Counted(senders, "host"), unit.Bytes(*out.Sent))
	case record.NotInEffect:
		var why []string
		for _, t := range failed {
			if t.Test == record.ProofDevice { // without it nothing else can work
				why = append([]string{t.Have}, why...)
				continue
			}
			why = append(why, t.Have)
		}
		return fmt.Sprintf("The class %s is not lossless in effect: %s.", out.Class, strings.Join(why, "; "))
	}
	first := "a counter is missing"
	if len(out.NotKnown) > 0 {
		first = out.NotKnown[0]
	}
	more := ""
	if n := len(out.NotKnown) - 1; n > 0 {
		more = fmt.Sprintf(" (and %s more)", unit.Counted(n, "reason"))
	}
	return fmt.Sprintf("Whether the class %s is lossless in effect is not known, because %s%s.", out.Class, first, more)
}

// SentenceWithProofs puts the results of proofs before the sentence of a run. For a run of only proofs they replace it.
func SentenceWithProofs(r *record.Run, sentence string) string {
	var said []string
	others := false
	for _, e := range r.Experiments {
		if e.Proof != nil {
			said = append(said, e.Proof.Sentence)
		}
		others = others || !method.Named(e.Method).ProvesClasses || e.Proof == nil
	}
	if others || len(said) == 0 {
		said = append(said, sentence)
	}
	return strings.Join(said, " ")
}

// proofTest returns a passed test. proofFails and proofUnknown change it.
func proofTest(id, title, want string) *record.ProofTest {
	yes := true
	return &record.ProofTest{Test: id, Title: title, Want: want, Passed: &yes}
}

// proofFails marks the test as failed.
func proofFails(t *record.ProofTest) { t.Passed = new(bool) }

// proofUnknown marks the test as not known, with the reasons. A failed test stays failed.
func proofUnknown(t *record.ProofTest, why ...string) {
	if len(why) == 0 {
		return
	}
	t.NotKnown = append(t.NotKnown, why...)
	if t.Passed != nil && *t.Passed {
		t.Passed = nil
	}
}

func unique(list []string) (out []string) {
	for _, s := range list {
		out = xslices.AppendNew(out, s)
	}
	return out
}

// ClassNames describes the counters of a class.
var ClassNames = map[facts.ClassCounted]string{facts.ClassBytesSent: "bytes sent",
	facts.ClassBytesReceived: "bytes received", facts.ClassPauseSent: "pauses sent",
	facts.ClassPauseReceived: "pauses received", facts.ClassSendDrops: "drops on the way out",
	facts.ClassReceiveDrops: "drops on the way in", facts.ClassMarked: "marks of ECN"}
