package halo

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"linerate/internal/base/failure"
	"linerate/internal/base/xslices"
	"linerate/internal/traffic"
	"linerate/internal/traffic/placement"
	"linerate/internal/traffic/rdma"
)

// MPIProgram is the name of the program with the exchanges over MPI, which mpirun starts.
const MPIProgram = "linerate-mpi"

// MPI is the transport of exchanges that a library of MPI does.
const MPI = "mpi"

// The kinds of MPI whose libraries linerate-mpi can use, by their ABI.
const (
	OpenMPI = "openmpi"
	MPICH   = "mpich" // and Intel MPI, MVAPICH
)

// MPILibrary is a library of a host.
type MPILibrary struct {
	Kind string // openmpi or mpich; empty: there is none
	File string
	Text string // what it calls itself, with its version; the first line
}

// Version is the first words of what a library calls itself, which have its version: "Open MPI v4.1.4", "MPICH Version:
// 4.0.2".
func (l MPILibrary) Version() string {
	text, _, _ := strings.Cut(l.Text, ",")
	return strings.Join(strings.Fields(text), " ")
}

// MPIHost is what linerate-mpi says of a host.
type MPIHost struct {
	Libraries []MPILibrary
	Missing   map[string]string // why there is no library of a kind
	Cores     []int             // that a process may run on; nil: unknown
}

// Library is the host's of a kind; its zero value: there is none.
func (h MPIHost) Library(kind string) MPILibrary {
	return xslices.First(h.Libraries, func(l MPILibrary) bool { return l.Kind == kind })
}

// mpiLines returns the lines of linerate-mpi in an output that also has those of mpirun and the library.
func mpiLines(text string) func() (rdma.Line, error) {
	lines := strings.Split(text, "\n")
	return func() (rdma.Line, error) {
		for i, line := range lines {
			word, _, _ := strings.Cut(line, " ")
			switch word {
			case MPIProgram, "library", "lacks", "cores", "rank", "hist", "done", "error":
				if i == len(lines)-1 {
					continue // it has no end
				}
				lines = lines[i+1:]
				l, err := rdma.ParseLine(line)
				l.By = MPIProgram
				return l, err
			}
		}
		lines = nil
		return rdma.Line{}, errors.New(MPIProgram + ": its output breaks off")
	}
}

// ReadMPILibraries reads the output of linerate-mpi libraries. Format: docs/design/halo.md.
func ReadMPILibraries(text string) (h MPIHost, err error) {
	h.Missing = map[string]string{}
	next := mpiLines(text)
	for {
		l, err := next()
		switch {
		case err != nil:
			return h, err
		case l.Word == "done":
			return h, nil
		case l.Word == "library":
			h.Libraries = append(h.Libraries, MPILibrary{l.Values["kind"], l.Values["file"], l.Text})
		case l.Word == "lacks":
			h.Missing[l.Values["kind"]] = l.Text
		case l.Word == "cores" && l.Values["list"] != "":
			if h.Cores, err = placement.ParseCores(l.Values["list"]); err != nil {
				return h, fmt.Errorf("%s: %w", MPIProgram, err)
			}
		}
	}
}

// OverMPI is what linerate-mpi counted on all hosts.
type OverMPI struct {
	Library MPILibrary
	Ends    []*traffic.Outcome // of each host; all stamps are of the clock of process 0
	All     int64              // exchanges of each process, also those before and after the interval
	Doubt   time.Duration      // of the clocks
}

// ReadHaloMPI reads the output of mpirun with linerate-mpi halo, of the processes of o; o.Host is ignored. An invalid
// line of a process is an Error. Format: docs/design/halo.md.
func ReadHaloMPI(text string, o traffic.HaloOptions) (*OverMPI, error) {
	out := &OverMPI{}
	var ends []*engine
	ranks := make([][]*process, o.Hosts)
	all := make([]*process, o.Processes)
	for host := range o.Hosts {
		h := o
		h.Host = host
		e := newEngine(traffic.Endpoint{Setup: traffic.Setup{Halo: &h}})
		e.setup.Streams = len(e.ranks)
		ranks[host] = e.listed(traffic.Interval{})
		for _, r := range ranks[host] {
			all[r.rank] = r
		}
		ends = append(ends, &e)
	}
	lines := mpiLines(text)
	reported := map[int64]bool{}
	next := func() (rdma.Line, error) {
		for {
			l, err := lines()
			switch {
			case err != nil || l.Word == "done" || l.Word == "hist":
				return l, err
			case l.Word == "library":
				out.Library = MPILibrary{l.Values["kind"], l.Values["file"], l.Text}
			case l.Word == "rank":
				var n, exchanges, doubt int64
				if err := l.Numbers(map[string]*int64{"n": &n, "all": &exchanges, "doubt": &doubt}); err != nil {
					return l, err
				}
				reported[n], out.All, out.Doubt = true, max(out.All, exchanges), max(out.Doubt, time.Duration(doubt))
				return l, nil
			}
		}
	}
	if err := readRanks(MPIProgram, all, next, 0); err != nil {
		var said *rdma.LineError
		if errors.As(err, &said) {
			return nil, &failure.Error{Code: failure.CodeInternal, Subject: MPIProgram, Text: said.Error()}
		}
		return nil, err
	}
	if len(reported) != o.Processes || out.Library.Kind == "" {
		return nil, fmt.Errorf("%s: it reports %d processes instead of %d", MPIProgram, len(reported), o.Processes)
	}
	for host, e := range ends {
		one := e.outcome(traffic.Interval{}, ranks[host])
		one.Halo.Wait = "polling"
		out.Ends = append(out.Ends, one)
	}
	return out, nil
}
