package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"linerate/fault"
	"linerate/lab"
	"linerate/result"
)

// kept is what explain reads of an experiment of block, but for the captures.
func kept(x *result.Experiment) *result.Experiment {
	k := &result.Experiment{Name: x.Name, Method: x.Method, From: x.From, To: x.To, Direction: x.Direction, Settings: x.Settings, Bytes: x.Bytes, IOPS: x.IOPS, Latency: x.Latency, Ceiling: x.Ceiling}
	bare := func(b *result.Block) *result.Block {
		c := *b
		for _, k := range []**result.BlockCount{&c.Read, &c.Write} {
			if *k != nil {
				one := **k
				one.Histogram = ""
				*k = &one
			}
		}
		return &c
	}
	k.Block = bare(x.Block)
	for _, r := range x.Repeats {
		r.Histogram, r.Block, r.Streams = "", nil, nil
		r.CPU = slices.DeleteFunc(slices.Clone(r.CPU), func(c result.CPU) bool { return c.Core >= 0 })
		k.Repeats = append(k.Repeats, r)
	}
	return k
}

// Storage over a network, of which one part after another is made slow: a drive, the network, the host that asks, and memory that answers in a drive's place. Each verdict is what was done, and of a
// lab left alone it is none of these.
func TestStorageVerdicts(t *testing.T) {
	needLab(t)
	if !lab.MayDrive() || !lab.MayQuota() {
		missing(t, "loop devices, and control groups of version 1 that limit drives and processors")
	}
	p := newPlace(t)
	s := p.labUp(t, copyFile(t, "testdata/storage.yaml", p.path("storage.yaml")), "0.3")
	at := &fault.Place{Sender: fault.End{Host: "nas"}, Source: "/var/tmp/source", Rate: 100e6, Program: p.program(t), Exec: func(host, script string) (string, error) {
		return strings.TrimSpace(s.on(t, host, "sh", "-c", script)), nil
	}}
	at.Drive()
	if at.Err != nil {
		t.Fatal(at.Err)
	}
	const nic = "fast"
	asks := &fault.Place{Sender: fault.End{Host: "pc"}, Program: at.Program, Exec: at.Exec}
	type want struct {
		limiter      string
		confidence   []string
		says, counts string
	}
	for _, c := range []struct {
		name        string
		spoil, undo func()
		want        map[string]want // by experiment; only these are run
	}{
		{name: "cached source, and a link that is left alone", want: map[string]want{
			"near": {"page-cache-read", []string{"proved"}, "is no figure of the drive", "sectors read"},
			"far":  {"link", []string{"proved"}, "reaches what link pc.slow.1--old.slow.1 allows", ""}}},
		{name: "slow source", want: map[string]want{"near": {"cpu-quota", []string{"proved", "likely"}, "held back by pc: its control group", "nr_throttled"}},
			spoil: func() { fault.Find("cpu-quota").Make(asks, fault.Values{"cores": 0.1, "end": 1}) }, undo: func() { asks.Back() }},
		{name: "slow network", want: map[string]want{"near": {"local-shaper", []string{"proved"}, "tbf on " + nic + " of nas", ""}},
			spoil: func() {
				s.on(t, "nas", "tc", "qdisc", "replace", "dev", nic, "root", "tbf", "rate", "200mbit", "burst", "128kb", "limit", "1mb")
			}, undo: func() { s.on(t, "nas", "tc", "qdisc", "del", "dev", nic, "root") }},
		{name: "slow target", want: map[string]want{"near": {"media-limit", []string{"likely"}, "is held back by the drive loop", "io_ticks"}},
			spoil: func() { fault.Find("slow-drive").Make(at, fault.Values{"share": 0.15}) }},
	} {
		if c.spoil != nil {
			c.spoil()
		}
		if at.Err != nil || asks.Err != nil {
			t.Fatal(at.Err, asks.Err)
		}
		args := []string{"run", s.fabric, "--lab=" + s.id, "--json"}
		if len(c.want) == 1 {
			args = append(args, "--only", "near")
		}
		tries(t, func() error {
			a := p.linerate(t, args...)
			if a.code != exitDone {
				t.Fatalf("%s: %s", c.name, a)
			}
			for _, x := range a.run(t).Experiments {
				v, w := x.Verdict, c.want[x.Name]
				if v == nil || v.Limiter != w.limiter || !slices.Contains(w.confidence, v.Confidence) || !strings.Contains(v.Sentence, w.says) ||
					w.counts != "" && !slices.ContainsFunc(v.Evidence, func(e result.Evidence) bool { return strings.HasPrefix(e.Counter, w.counts) }) {
					return fmt.Errorf("%s: want %+v: %+v\n%+v", c.name, w, v, x.Block)
				}
				t.Logf("%s: %s", c.name, v.Sentence)
				if *record == "" || w.limiter == "cpu-quota" { // that is told by captures
					continue
				}
				text, err := json.MarshalIndent([]*result.Experiment{kept(x)}, "", " ")
				if err == nil {
					err = os.WriteFile(filepath.Join(*record, "storage", w.limiter+".json"), append(text, '\n'), 0o644)
				}
				if err != nil {
					t.Error(err)
				}
			}
			return nil
		})
		if c.undo != nil {
			c.undo()
		}
	}
}
