package summary

import (
	"fmt"

	"linerate/internal/design/fabric"
	"linerate/internal/record"
)

// Wanted says what a card is to be of.
type Wanted struct {
	From, To string // A and B, as the fabric names its hosts
	RDMA     bool
	Storage  []Stored
}

// Stored is a drive or share, as the fabric names it, and the host that asks it.
type Stored struct{ By, Of string }

// need is one experiment that fills rows of a card.
type need struct {
	name, method  string
	rdma, storage bool
	axes          [][]string // a key and its values
}

// needs are the experiments of a full card, in the order in which they are measured: first what everybody asks for.
var needs = []need{
	{name: "tcp", method: "stream", axes: [][]string{{"streams", "1", "8"}, {"direction", "out", "in"}}},
	{name: "tcp-both", method: "stream", axes: [][]string{{"streams", "8"}, {"direction", "both"}}},
	{name: "ping", method: "ping"},
	{name: "ping-loaded", method: "ping", axes: [][]string{{"load_streams", "4"}, {"load_direction", "both"}}},
	{name: "rdma", method: record.MethodVerbs, rdma: true, axes: [][]string{{"op", "write", "read", "send"}, {"metric", "goodput"}, {"size", "64KiB"}, {"direction", "out", "in"}}},
	{name: "rdma-latency", method: record.MethodVerbs, rdma: true, axes: [][]string{{"op", "write", "read", "send"}, {"metric", "latency"}}},
	{name: "storage", method: record.MethodBlock, storage: true, axes: [][]string{{"profile", "cdm"}}},
}

// Experiments are those that fill a card, as a fabric file would have them. Times, repeats and transports are left to whoever measures; times of storage are its profile's.
func Experiments(w Wanted) []*fabric.Experiment {
	var out []*fabric.Experiment
	for _, n := range needs {
		if n.rdma && !w.RDMA {
			continue
		}
		ends := []Stored{{w.From, w.To}}
		if n.storage {
			ends = w.Storage
		}
		for i, end := range ends {
			e := &fabric.Experiment{Name: n.name, Method: n.method, From: []string{end.By}, To: []string{end.Of}}
			if i > 0 {
				e.Name = fmt.Sprintf("%s-%d", n.name, i+1)
			}
			for _, a := range n.axes {
				e.Axes = append(e.Axes, fabric.Axis{Key: a[0], Values: append([]string(nil), a[1:]...)})
			}
			out = append(out, e)
		}
	}
	return out
}
