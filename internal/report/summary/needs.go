package summary

import (
	"fmt"

	"linerate/internal/base/method"
	"linerate/internal/design/fabric"
)

// Wanted is the subject of a summary to measure.
type Wanted struct {
	From, To string // A and B, as named in the fabric
	RDMA     bool
	Storage  []Stored
}

// Stored is a drive or share, as named in the fabric, and its client.
type Stored struct{ By, Of string }

// need is one experiment that fills rows of a summary.
type need struct {
	name, method  string
	rdma, storage bool
	parameters    [][]string // a key and its values
}

// needs are the experiments of a full summary, in the order of measurement: those that most users need first.
var needs = []need{
	{name: "tcp", method: method.Throughput, parameters: [][]string{{"streams", "1", "8"}, {"direction", "out", "in"}}},
	{name: "tcp-both", method: method.Throughput, parameters: [][]string{{"streams", "8"}, {"direction", "both"}}},
	{name: "ping", method: method.Latency},
	{name: "ping-loaded", method: method.Latency,
		parameters: [][]string{{"load_streams", "4"}, {"load_direction", "both"}}},
	{name: "rdma", method: method.RDMA, rdma: true,
		parameters: [][]string{
			{"op", "write", "read", "send"},
			{"metric", "goodput"},
			{"size", "64KiB"},
			{"direction", "out", "in"},
		}},
	{name: "rdma-latency", method: method.RDMA, rdma: true,
		parameters: [][]string{{"op", "write", "read", "send"}, {"metric", "latency"}}},
	{name: "storage", method: method.Storage, storage: true, parameters: [][]string{{"profile", "cdm"}}},
}

// Experiments returns those that fill a summary, as in a fabric file. Times, repeats and transports are left to the
// caller; times of storage are its profile's.
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
			for _, a := range n.parameters {
				e.Parameters = append(e.Parameters, fabric.Parameter{Key: a[0], Values: append([]string(nil), a[1:]...)})
			}
			out = append(out, e)
		}
	}
	return out
}
