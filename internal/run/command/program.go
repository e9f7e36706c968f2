package command

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"linerate/internal/record/claims"
)

// program is a ready-made program: how to run it, and how to read its figure.
type program struct {
	name   string
	binary string
	pack   string // Debian's package; empty: source says where it is from
	source string
	// command and server are run if the file has no command; empty: the user must give one, or there is no server. ready
	// is the text in the server's output that shows that it is ready.
	command, server, ready string
	read                   func(text string) (reading, error)
}

// reading is a figure in an output.
type reading struct {
	value float64
	unit  string
	line  string
}

// readyMade is the table of programs. fabric.Apps has the same names.
func readyMade() []program {
	out := []program{lammps(), iperf3(), fio()}
	out = append(out, osu()...)
	out = append(out, imb()...)
	return append(out, perftest()...)
}

// HasServer reports whether a ready-made program needs a server on another host.
func HasServer(name string) bool {
	return slices.ContainsFunc(readyMade(), func(p program) bool { return p.name == name && p.server != "" })
}

// toolRate is the rate in the output of a tool that package claims reads.
func toolRate(tool string) func(string) (reading, error) {
	return func(text string) (reading, error) {
		all, err := claims.Read(tool, []byte(text))
		if err != nil {
			return reading{}, err
		}
		if len(all) > 1 {
			return reading{}, fmt.Errorf(
				"it has %d results, and one is wanted: run them one after another, or name the figure with extract: {match: ..}",
				len(all))
		}
		if all[0].Stalled != "" {
			return reading{}, errors.New("nothing arrived after the first packets: " + all[0].Stalled)
		}
		return reading{float64(all[0].Rate), "bit/s", all[0].Line}, nil
	}
}

// fio with --output-format=json, or its text. The user decides what it reads and writes.
func fio() program {
	return program{name: "fio", binary: "fio", pack: "fio", read: toolRate("fio")}
}

// iperf3 with -J, which also has the receiver's rate.
func iperf3() program {
	return program{name: "iperf3", binary: "iperf3", pack: "iperf3",
		command: "iperf3 -c {peer_address} -B {address} -p {port} -t 5 -J",
		server:  "iperf3 -s -1 -B {address} -p {port} --forceflush", ready: "Server listening", read: toolRate("iperf3")}
}

// lammps prints "Loop time of 1.23 on 4 procs for 100 steps with 32000 atoms" at the end of each run (docs.lammps.org,
// Run_output). An input with several run commands has several of these lines; extract: {match: ..} chooses one.
func lammps() program {
	return program{name: "lammps", binary: "lmp", pack: "lammps", read: byPattern(`Loop time of (\S+) on`, "s")}
}

// perftest are ib_write_bw and similar programs: the server waits, the client measures. The bandwidth is the highest of
// the output, the latency that of its only row (t_typical, half of a round trip).
func perftest() (out []program) {
	names := []string{"ib_write_bw", "ib_read_bw", "ib_send_bw", "ib_write_lat", "ib_read_lat", "ib_send_lat"}
	for _, name := range names {
		p := program{name: name, binary: name, pack: "perftest", command: name + " -F -p {port} {peer_address}",
			server: name + " -F -p {port}", ready: "Waiting for client", read: toolRate("perftest")}
		if strings.HasSuffix(name, "_lat") {
			p.read = perftestLatency
		}
		out = append(out, p)
	}
	return out
}

func perftestLatency(text string) (reading, error) {
	all, err := claims.Read("perftest", []byte(text))
	if err != nil {
		return reading{}, err
	}
	v, ok := all[0].Latency.Get()
	if !ok || len(all) != 1 || len(all[0].Sizes) > 1 {
		return reading{}, errors.New("it has no single latency; measure one size at a time")
	}
	return reading{v, "s", all[0].Line}, nil
}

const osuSource = "it is built from mvapich.cse.ohio-state.edu/benchmarks; Debian has no package of it"

// osu are the OSU micro-benchmarks of two processes: rows of size and figure under headers that begin with "# Size".
// The latency is from the row of 8 bytes, or the smallest size above; the bandwidth is the highest.
func osu() []program {
	return []program{
		{
			name:    "osu_latency",
			binary:  "osu_latency",
			source:  osuSource,
			command: "mpirun -n 2 osu_latency",
			read: func(text string) (reading, error) {
				return row(text, "# Size", 1, "us", first8)
			},
		},
		{
			name:    "osu_bw",
			binary:  "osu_bw",
			source:  osuSource,
			command: "mpirun -n 2 osu_bw",
			read: func(text string) (reading, error) {
				return row(text, "# Size", 1, "MB/s", highest)
			},
		},
	}
}

// first8 takes the first row of at least 8 bytes, highest the one with the highest figure.
func first8(best, next tableRow) bool { return best.size < 8 && next.size >= 8 }

func highest(best, next tableRow) bool { return next.value > best.value }

const imbSource = "it is built from github.com/intel/mpi-benchmarks; Debian has no package of it"

// imb are the Intel MPI benchmarks' PingPong: rows of #bytes, #repetitions, t[usec], Mbytes/sec.
func imb() []program {
	return []program{
		{
			name:    "imb_latency",
			binary:  "IMB-MPI1",
			source:  imbSource,
			command: "mpirun -n 2 IMB-MPI1 PingPong",
			read: func(text string) (reading, error) {
				return row(text, "#bytes", 2, "us", first8)
			},
		},
		{
			name:    "imb_bw",
			binary:  "IMB-MPI1",
			source:  imbSource,
			command: "mpirun -n 2 IMB-MPI1 PingPong",
			read: func(text string) (reading, error) {
				return row(text, "#bytes", 3, "MB/s", highest)
			},
		},
	}
}
