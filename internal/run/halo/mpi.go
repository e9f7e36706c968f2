package halo

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"sync"
	"time"

	"linerate/internal/agent"
	"linerate/internal/agent/process"
	"linerate/internal/run/command"
	"linerate/internal/run/experiment"
	"linerate/internal/traffic/halo"
)

const (
	mpirun = "mpirun"
	// mpiStart is the time limit for mpirun to start its processes and to end them.
	mpiStart = 60 * time.Second
	// mpiOutput is the limit of all processes' histograms together; an agent keeps 448 KiB of an output.
	mpiOutput = 320 << 10
	// mpiShare is the minimum share of the messages' bytes that the planned interface must have sent. It may always send
	// more: headers.
	mpiShare = 0.9
)

// mpiOnHost is the MPI installation of a host.
type mpiOnHost struct {
	halo.MPIHost
	kind    string // of its mpirun
	version string // of the library of the same installation; empty: it cannot be compared
}

// mpiKey is the key of the MPI installations of a session's hosts: each host is queried once.
type mpiKey struct{}

// First lines of mpirun --version, by kind: Open MPI, Hydra of MPICH, Intel MPI.
var (
	openMPIRun = regexp.MustCompile(`\(Open MPI\) (\S+)`)
	hydraRun   = regexp.MustCompile(`(?s)^HYDRA.*?Version:\s+(\S+)`)
	intelRun   = regexp.MustCompile(`Intel\(R\) MPI`)
)

// mpirunOf is the kind of an mpirun and its version, from the output of --version.
func mpirunOf(text string) (kind, version string) {
	if m := openMPIRun.FindStringSubmatch(text); m != nil {
		return halo.OpenMPI, "Open MPI v" + m[1]
	}
	if m := hydraRun.FindStringSubmatch(text); m != nil {
		return halo.MPICH, "MPICH Version: " + m[1]
	}
	if intelRun.MatchString(text) {
		return halo.MPICH, ""
	}
	return "", ""
}

// mpiName is the display name of a kind.
func mpiName(kind string) string {
	return map[string]string{halo.OpenMPI: "Open MPI", halo.MPICH: "MPICH, or what has its ABI"}[kind]
}

// mpiPackages are Debian's packages of a kind.
func mpiPackages(kind string) string {
	return map[string]string{halo.OpenMPI: "openmpi-bin", halo.MPICH: "mpich"}[kind]
}

// mpiTrouble returns why hosts cannot exchange over MPI together; empty: they can. The first host's mpirun starts all.
func mpiTrouble(hosts []string, seen []mpiOnHost) string {
	kind := seen[0].kind
	var of halo.MPILibrary
	for i, h := range hosts {
		x := seen[i]
		l := x.Library(kind)
		switch {
		case x.kind != kind:
			return fmt.Sprintf(
				"mpirun on %s is of %s and on %s of %s: one does not start the other's processes; put the same first on the "+
					"PATH of all hosts",
				hosts[0],
				mpiName(kind),
				h,
				mpiName(x.kind),
			)
		case l.Kind == "" && len(x.Libraries) > 0:
			return fmt.Sprintf("mpirun on %s is of %s, and %s has no library of it, but %s (%s): apt-get install %s (Debian)",
				hosts[0], mpiName(kind), h, x.Libraries[0].Version(), x.Missing[kind], mpiPackages(kind))
		case l.Kind == "":
			return fmt.Sprintf(
				"no MPI library is on %s: %s; apt-get install %s (Debian), or put its folder into LD_LIBRARY_PATH", h,
				x.Missing[kind], mpiPackages(kind))
		case x.version != "" && l.Version() != x.version &&
			strings.HasPrefix(l.Version(), strings.SplitAfter(x.version, " ")[0]):
			return fmt.Sprintf(
				"mpirun on %s is of %s and the library there is %s (%s): put the mpirun that belongs to the library first on "+
					"the PATH",
				h,
				x.version,
				l.Version(),
				l.File,
			)
		case i > 0 && l.Version() != of.Version():
			return fmt.Sprintf(
				"%s has %s and %s has %s: processes of different versions do not talk to each other; install the same on all hosts",
				hosts[0], of.Version(), h, l.Version())
		}
		if i == 0 {
			of = l
		}
	}
	return ""
}

// mpiProgram is linerate-mpi for a host, as a file of its agent's.
func mpiProgram(ctx context.Context, s experiment.Session, host string) (process.File, error) {
	f := process.File{Name: halo.MPIProgram, Own: true, Program: true}
	h := s.Client(host).Hello()
	if h.GOOS != "linux" {
		return f, experiment.MissingError(
			fmt.Sprintf("exchanges over MPI are measured between Linux hosts alone in this version, and %s runs %s", host,
				h.GOOS),
		)
	}
	var err error
	if f.Data, err = s.Program(ctx, halo.MPIProgram, h.GOOS, h.Arch); err == nil && f.Data == nil {
		err = errors.New("this linerate has none")
	}
	if err != nil {
		return f, experiment.MissingError(
			fmt.Sprintf("there is no %s for %s (%s/%s): %v", halo.MPIProgram, host, h.GOOS, h.Arch, err),
		)
	}
	return f, nil
}

// mpiPath is where the program is on every host.
const mpiPath = "{folder}/.linerate/" + halo.MPIProgram

// lookAtMPI queries the MPI installation of a host, once.
func lookAtMPI(ctx context.Context, s experiment.Session, host string,
	program process.File) (seen mpiOnHost, err error) {
	ask := func(needs []string, argv ...string) (string, error) {
		return command.Ask(ctx, s.Client(host), host, agent.App{Argv: argv, Needs: needs, Files: []process.File{program}})
	}
	text, err := ask([]string{mpirun}, mpirun, "--version")
	if err != nil {
		return seen, err
	}
	if seen.kind, seen.version = mpirunOf(text); seen.kind == "" {
		return seen, experiment.MissingError(
			fmt.Sprintf(
				"mpirun on %s is of an MPI that is not known here; it says %q, and there are Open MPI, MPICH and what has "+
					"MPICH's ABI",
				host,
				command.Brief(text),
			),
		)
	}
	if text, err = ask(nil, mpiPath, "libraries"); err != nil {
		return seen, err
	}
	seen.MPIHost, err = halo.ReadMPILibraries(text)
	return seen, err
}

// mpiHosts is the MPI installation of all hosts of a combination, and the program for each. A problem with them is a
// MissingError.
func mpiHosts(ctx context.Context, s experiment.Session,
	hosts []string) (seen []mpiOnHost, programs []process.File, err error) {
	seen, programs = make([]mpiOnHost, len(hosts)), make([]process.File, len(hosts))
	for i, h := range hosts {
		if programs[i], err = mpiProgram(ctx, s, h); err != nil {
			return nil, nil, err
		}
	}
	hasMPI := s.Shared(mpiKey{}, func() any { return map[string]mpiOnHost{} }).(map[string]mpiOnHost)
	errs := make([]error, len(hosts))
	var wg sync.WaitGroup
	for i, h := range hosts {
		if known, ok := hasMPI[h]; ok {
			seen[i] = known
			continue
		}
		wg.Go(func() { seen[i], errs[i] = lookAtMPI(ctx, s, h, programs[i]) })
	}
	wg.Wait()
	for _, err := range errs { // one is enough
		if err != nil {
			return nil, nil, err
		}
	}
	for i, h := range hosts {
		hasMPI[h] = seen[i]
	}
	if why := mpiTrouble(hosts, seen); why != "" {
		return nil, nil, experiment.MissingError(why)
	}
	return seen, programs, nil
}
