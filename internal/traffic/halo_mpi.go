package traffic

import (
	"errors"
	"fmt"
	"strings"
	"time"
)

// MPIProgram is the name of the program with the exchanges over MPI, which mpirun starts.
const MPIProgram = "linerate-mpi"

// MPI is the transport of exchanges that a library of MPI does.
const MPI = "mpi"

// The kinds of MPI whose libraries it can use, by their ABI.
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

// Version is the first words of what a library calls itself, which have its version: "Open MPI v4.1.4", "MPICH Version: 4.0.2".
func (l MPILibrary) Version() string {
	text, _, _ := strings.Cut(l.Text, ",")
	return strings.Join(strings.Fields(text), " ")
}

// MPIHost is what linerate-mpi says of a host.
type MPIHost struct {
	Libraries []MPILibrary
	Lacks     map[string]string // why there is no library of a kind
	Cores     []int             // that a process may run on; nil: not known
}

// Library is the host's of a kind; its zero value: there is none.
func (h MPIHost) Library(kind string) MPILibrary {
	for _, l := range h.Libraries {
		if l.Kind == kind {
			return l
		}
	}
	return MPILibrary{}
}

// mpiLines are the lines of linerate-mpi in an output that also has what mpirun and the library say.
func mpiLines(text string) func() (verbsLine, error) {
	lines := strings.Split(text, "\n")
	return func() (verbsLine, error) {
		for i, line := range lines {
			word, _, _ := strings.Cut(line, " ")
			switch word {
			case MPIProgram, "library", "lacks", "cores", "rank", "hist", "done", "error":
				if i == len(lines)-1 {
					continue // it has no end
				}
				lines = lines[i+1:]
				l, err := parseVerbsLine(line)
				l.By = MPIProgram
				return l, err
			}
		}
		lines = nil
		return verbsLine{}, errors.New(MPIProgram + ": its output breaks off")
	}
}

// ReadMPILibraries reads the output of linerate-mpi libraries. Format: docs/design/halo.md.
func ReadMPILibraries(text string) (h MPIHost, err error) {
	h.Lacks = map[string]string{}
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
			h.Lacks[l.Values["kind"]] = l.Text
		case l.Word == "cores" && l.Values["list"] != "":
			if h.Cores, err = ParseCores(l.Values["list"]); err != nil {
				return h, fmt.Errorf("%s: %w", MPIProgram, err)
			}
		}
	}
}

// HaloOverMPI is what linerate-mpi counted on all hosts.
type HaloOverMPI struct {
	Library MPILibrary
	Ends    []*Outcome    // of each host; all stamps are of the clock of process 0
	All     int64         // exchanges of each process, also those before and behind the window
	Doubt   time.Duration // of the clocks
}

// ReadHaloMPI reads the output of mpirun with linerate-mpi halo, of the processes that o says; o.Host is of no account. What a process says that
// is wrong is an Error.
// Format: docs/design/halo.md.
func ReadHaloMPI(text string, o HaloOptions) (*HaloOverMPI, error) {
	out := &HaloOverMPI{}
	var ends []*haloEnd
	ranks := make([][]*haloRank, o.Hosts)
	all := make([]*haloRank, o.Processes)
	for host := range o.Hosts {
		h := o
		h.Host = host
		e := &haloEnd{grid: GridOf(o.Processes), ranks: ranksOf(host, o.Hosts, o.Processes)}
		e.setup = Setup{Halo: &h, Streams: len(e.ranks)}
		ranks[host] = e.listed(window{})
		for _, r := range ranks[host] {
			all[r.rank] = r
		}
		ends = append(ends, e)
	}
	lines := mpiLines(text)
	told := map[int64]bool{}
	next := func() (verbsLine, error) {
		for {
			l, err := lines()
			switch {
			case err != nil || l.Word == "done" || l.Word == "hist":
				return l, err
			case l.Word == "library":
				out.Library = MPILibrary{l.Values["kind"], l.Values["file"], l.Text}
			case l.Word == "rank":
				var n, exchanges, doubt int64
				if err := l.numbers(map[string]*int64{"n": &n, "all": &exchanges, "doubt": &doubt}); err != nil {
					return l, err
				}
				told[n], out.All, out.Doubt = true, max(out.All, exchanges), max(out.Doubt, time.Duration(doubt))
				return l, nil
			}
		}
	}
	if err := readRanks(MPIProgram, all, next, 0); err != nil {
		var said *verbsError
		if errors.As(err, &said) {
			return nil, &Error{Code: CodeInternal, Subject: MPIProgram, Text: said.Error()}
		}
		return nil, err
	}
	if len(told) != o.Processes || out.Library.Kind == "" {
		return nil, fmt.Errorf("%s: it tells of %d processes in place of %d", MPIProgram, len(told), o.Processes)
	}
	for host, e := range ends {
		one := e.outcome(window{}, ranks[host])
		one.Halo.Wait = "polling"
		out.Ends = append(out.Ends, one)
	}
	return out, nil
}
