package network

import (
	"strings"
	"testing"

	"linerate/internal/agent"
	"linerate/internal/base/method"
	"linerate/internal/base/unit"
	"linerate/internal/facts"
	"linerate/internal/record"
	"linerate/internal/run/experiment"
	"linerate/internal/run/remote"
	"linerate/internal/run/runtest"
	"linerate/internal/traffic"
	"linerate/internal/traffic/engines"
)

func withRDMA(interfaces ...string) *facts.Facts {
	f := &facts.Facts{}
	for _, name := range interfaces {
		f.RDMA = append(f.RDMA,
			facts.RDMADevice{Name: "mlx5_" + name, Ports: []facts.RDMAPort{{Port: 1, Interface: unit.Known(name)}}})
	}
	return f
}

// The class is sent over RDMA only where the adapters are planned with it at all ends and have a device; else over TCP,
// with the reason.
func TestTrafficOfProof(t *testing.T) {
	inPlan := strings.ReplaceAll(proofFabric, "cage: sfp+}}}\nswitches", "cage: sfp+}, rdma: rocev2}}\nswitches")
	for _, x := range []struct {
		name, fabric, experiment string
		look                     func(host string) *facts.Facts
		verbs                    bool
		says                     string
	}{
		{"all", inPlan, "p: {method: lossless, class: roce}", func(string) *facts.Facts { return withRDMA("c") }, true,
			"have a device: n2 mlx5_c, n1 mlx5_c, n3 mlx5_c"},
		{"not planned", proofFabric, "p: {method: lossless, class: roce}", func(string) *facts.Facts { return withRDMA("c") },
			false, "n2.c is not planned with RDMA (rdma: rocev2); n1.c is not"},
		{"one without", inPlan, "p: {method: lossless, class: roce}", func(host string) *facts.Facts {
			return withRDMA(map[string]string{"n3": "other"}[host] + map[bool]string{true: "c"}[host != "n3"])
		}, false, "n3 has no RDMA device on c"},
		{"one that says nothing", inPlan, "p: {method: lossless, class: roce}", func(host string) *facts.Facts {
			if host == "n1" {
				return nil
			}
			return withRDMA("c")
		}, false, "n1 says nothing of its RDMA devices"},
		{"asked for", inPlan, "p: {method: lossless, class: roce, transport: " +
			"tcp}", func(string) *facts.Facts { return withRDMA("c") }, false, "the experiment asks for transport: tcp"},
	} {
		combinations := runtest.Expand(runtest.Plan(t, x.fabric+"  "+x.experiment+"\n"), experiment.Options{}, Lossless)
		if combinations[0].Record.NotRun != "" {
			t.Fatal(x.name, combinations[0].Record.NotRun)
		}
		c := losslessOf(combinations[0])
		for i := range c.flows { // this plan was made without facts, so it has no interface names
			from, to := *c.flows[i].FromPort, *c.flows[i].ToPort
			from.Interface, to.Interface = "c", "c"
			c.flows[i].FromPort, c.flows[i].ToPort = &from, &to
		}
		if got := c.transportOf(x.look); got.rdma != x.verbs || !strings.Contains(got.why, x.says) {
			t.Errorf("%s: %+v, want %v and %q", x.name, got, x.verbs, x.says)
		}
	}
}

// A flow of the class is a WRITE with the marks of the class.
func TestProofOverVerbs(t *testing.T) {
	text := strings.Replace(
		strings.ReplaceAll(proofFabric, "cage: sfp+}}}\nswitches", "cage: sfp+}, rdma: rocev2}}\nswitches"),
		"{priority: 3, lossless", "{priority: 3, dscp: 26, lossless", 1)
	combinations := runtest.Expand(runtest.Plan(t, text+"  p: {method: lossless, class: roce}\n"), experiment.Options{},
		Lossless)
	one := losslessOf(combinations[0])
	s, err := newSpec(one.c, one.flows[0], "throughput", 1e9)
	if err != nil {
		t.Fatal(err)
	}
	s.ClassMark = one.marks[0]
	one.overRDMA(&s, one.flows[0].FromPort, false)
	want := traffic.VerbsOptions{Op: traffic.OpWrite, Metric: traffic.MetricGoodput, Link: traffic.LinkRoCEv2,
		Level: 3, Class: 26<<2 | 2}
	if s.Method != method.RDMA || s.Transport != traffic.RDMA || s.RDMA != want || s.Streams != 2 ||
		s.Size != losslessMessage ||
		s.ClassMark != nil {
		t.Errorf("%+v", s)
	}
	a, _ := s.sides(&agent.Client{}, &agent.Client{})
	if err := engines.All().Check(a.Setup); err != nil {
		t.Errorf("the agents refuse it: %v", err)
	}
}

// A group mixes WRITEs and streams: each is counted at the end that knows it, over the shared interval, and its streams
// have what was sent in how many packets.
func TestJoinRDMAAndStreams(t *testing.T) {
	n := func(v int64) *int64 { return &v }
	seen := func(pairs ...traffic.VerbsSaid) *traffic.Outcome {
		v := &traffic.VerbsSeen{Device: "rxe0", Link: traffic.LinkRoCEv2, Transport: "RC", MTU: 1024,
			Seconds: 1, Class: n(106), ReleasedNS: 400, Pairs: pairs}
		return &traffic.Outcome{OpenNS: 0, CloseNS: 1e9, StartNS: 0, EndNS: 1e9, Slice: 0.5,
			Series: []float64{8e6, 4e6}, Verbs: v}
	}
	write := Spec{Method: method.RDMA, Direction: traffic.Out, Size: 4000, Interval: 1e9,
		RDMA: traffic.VerbsOptions{Op: traffic.OpWrite, Metric: traffic.MetricGoodput}}
	end := func(host string, o *traffic.Outcome) *remote.End {
		return &remote.End{Host: host, Client: &agent.Client{}, Outcome: o}
	}
	tcp := func(active bool, sent, received int64) *traffic.Outcome {
		return &traffic.Outcome{OpenNS: 0, CloseNS: 1e9, StartNS: 0, EndNS: 1e9, Goodput: 2e6, Slice: 0.5,
			Series: []float64{2e6, 2e6}, FirstNS: 900,
			Streams: []traffic.StreamEnd{{Direction: traffic.Out, Active: active, Sent: sent, Received: received}}}
	}
	receiver := seen(traffic.VerbsSaid{}, traffic.VerbsSaid{})
	receiver.Series = nil
	pairs := []*flow{
		{
			from: end(
				"a",
				seen(traffic.VerbsSaid{Asked: 500_000, Posted: n(200), Completed: n(190)},
					traffic.VerbsSaid{Asked: 250_000, Posted: n(100), Completed: n(100)}),
			),
			to:   end("r", receiver),
			spec: write,
		},
		{from: end("a", tcp(true, 300_000, 0)), to: end("r", tcp(false, 0, 290_000)),
			spec: Spec{Method: "throughput", Direction: traffic.Out, Interval: 1e9}, firstStream: 2},
	}
	r, err := joinGroup(pairs[0].spec, pairs, nil)
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Streams) != 3 || r.Flows[0].Goodput != 6e6 || r.Flows[1].Goodput != 2e6 || r.Goodput != 8e6 ||
		r.Skew != 500e-9 {
		t.Fatalf("%+v %+v, skew %g", r.Flows, r.Streams, r.Skew)
	}
	first := r.Streams[0]
	if first.Sent != 200*4000 || first.Received != 190*4000 || first.Packets == nil || *first.Packets != 200*4 ||
		r.Streams[2].Flow != 1 ||
		r.Streams[2].Index != 2 ||
		r.Streams[2].Received != 290_000 {
		t.Errorf("%+v", r.Streams)
	}
	if r.InEffect["class_traffic"] != method.RDMA || r.InEffect["class_traffic_class"] != "106" ||
		r.InEffect["class_device"] != "rxe0 port 0" ||
		r.InEffect["transport"] != "tcp" {
		t.Errorf("%v", r.InEffect)
	}
	c := &lossless{group: group{c: &experiment.Combination{Record: &record.Experiment{Settings: map[string]string{}}}},
		sends: &classTransport{rdma: true, why: "they have one"}}
	if c.sentAs(&r); r.InEffect["class_traffic"] != method.RDMA || r.InEffect["class_traffic_why"] != "they have one" {
		t.Errorf("%v", r.InEffect)
	}
	c.sends.rdma = false
	if c.sentAs(&r); r.InEffect["class_traffic"] != traffic.TCP {
		t.Errorf("%v", r.InEffect)
	}

	// A queue pair that failed is a failure of its flow, with the figures until then.
	pairs[0].from.Outcome.Verbs.Broken = &traffic.VerbsBroken{AtNS: 5e8, LastNS: 4e8, Text: "rxe0: retries exceeded"}
	if err := brokenBy(pairs[0].spec, nil, pairs[0].ends()); err == nil ||
		!strings.Contains(err.Error(), "retries exceeded; it broke off after 500 ms") {
		t.Error(err)
	}
}
