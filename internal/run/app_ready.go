package run

import (
	"fmt"
	"slices"

	tools "linerate/internal/record/claims"
)

// program is a ready-made one: how it is run, and what of its output is the figure.
type program struct {
	name   string
	binary string
	pack   string // Debian's package; empty: source says where it is from
	source string
	// command and server are what is run if the file has no command; empty: the problem is the user's, or there is no server. ready is what the
	// server's output says when it can be used.
	command, server, ready string
	read                   func(text string) (reading, error)
}

// reading is a figure in an output.
type reading struct {
	value float64
	unit  string
	line  string
}

// readyMade is the table. fabric.Apps has the same names.
func readyMade() []program {
	out := []program{lammps(), iperf3(), fio()}
	out = append(out, osu()...)
	out = append(out, imb()...)
	return append(out, perftest()...)
}

// HasServer says whether a ready-made program needs a server on another host.
func HasServer(name string) bool {
	return slices.ContainsFunc(readyMade(), func(p program) bool { return p.name == name && p.server != "" })
}

// toolRate is the rate in the output of a tool that package claims reads.
func toolRate(tool string) func(string) (reading, error) {
	return func(text string) (reading, error) {
		all, err := tools.Read(tool, []byte(text))
		if err != nil {
			return reading{}, err
		}
		if len(all) > 1 {
			return reading{}, fmt.Errorf("it has %d results, and one is wanted: run them one after another, or name the figure with figure: {match: ..}", len(all))
		}
		return reading{float64(all[0].Rate), "bit/s", all[0].Line}, nil
	}
}
