package run

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"linerate/internal/record"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"linerate/internal/agent"
	"linerate/internal/base/unit"
	"linerate/internal/traffic"
)

const (
	mpirun = "mpirun"
	// mpiStart is what mpirun may take to start its processes and to end them, askLimit what a question about what a host has may.
	mpiStart, askLimit = 60 * time.Second, 20 * time.Second
	// mpiOutput is what all processes together may say of their histograms; an agent keeps 448 KiB of an output.
	mpiOutput = 320 << 10
	// mpiShare is the part of the messages' bytes that the planned interface has to have sent at least. More always passes: headers.
	mpiShare = 0.9
)

// mpiSeen is what a host has of MPI.
type mpiSeen struct {
	traffic.MPIHost
	kind    string // of its mpirun
	version string // as the library of the same installation calls itself; empty: it cannot be compared
}

// The line that mpirun --version has first, by kind: Open MPI, Hydra of MPICH, Intel MPI.
var (
	openMPIRun = regexp.MustCompile(`\(Open MPI\) (\S+)`)
	hydraRun   = regexp.MustCompile(`(?s)^HYDRA.*?Version:\s+(\S+)`)
	intelRun   = regexp.MustCompile(`Intel\(R\) MPI`)
)

// mpirunOf is the kind of an mpirun and its version, out of what it says of --version.
func mpirunOf(text string) (kind, version string) {
	if m := openMPIRun.FindStringSubmatch(text); m != nil {
		return traffic.OpenMPI, "Open MPI v" + m[1]
	}
	if m := hydraRun.FindStringSubmatch(text); m != nil {
		return traffic.MPICH, "MPICH Version: " + m[1]
	}
	if intelRun.MatchString(text) {
		return traffic.MPICH, ""
	}
	return "", ""
}

// mpiName is a kind as a person calls it.
func mpiName(kind string) string {
	return map[string]string{traffic.OpenMPI: "Open MPI", traffic.MPICH: "MPICH, or what has its ABI"}[kind]
}

// mpiPackages are Debian's packages of a kind.
func mpiPackages(kind string) string {
	return map[string]string{traffic.OpenMPI: "openmpi-bin", traffic.MPICH: "mpich"}[kind]
}

// mpiTrouble says why hosts do not exchange over MPI together; empty: they can. The first one's mpirun starts all.
func mpiTrouble(hosts []string, seen []mpiSeen) string {
	kind := seen[0].kind
	var of traffic.MPILibrary
	for i, h := range hosts {
		x := seen[i]
		l := x.Library(kind)
		switch {
		case x.kind != kind:
			return fmt.Sprintf("mpirun on %s is of %s and on %s of %s: one does not start the other's processes; put the same first on the PATH of all hosts", hosts[0], mpiName(kind), h, mpiName(x.kind))
		case l.Kind == "" && len(x.Libraries) > 0:
			return fmt.Sprintf("mpirun on %s is of %s, and %s has no library of it, but %s (%s): apt-get install %s (Debian)", hosts[0], mpiName(kind), h, x.Libraries[0].Version(), x.Lacks[kind], mpiPackages(kind))
		case l.Kind == "":
			return fmt.Sprintf("no MPI library is on %s: %s; apt-get install %s (Debian), or put its folder into LD_LIBRARY_PATH", h, x.Lacks[kind], mpiPackages(kind))
		case x.version != "" && strings.HasPrefix(l.Version(), strings.SplitAfter(x.version, " ")[0]) && l.Version() != x.version:
			return fmt.Sprintf("mpirun on %s is of %s and the library there is %s (%s): put the mpirun that belongs to the library first on the PATH", h, x.version, l.Version(), l.File)
		case i > 0 && l.Version() != of.Version():
			return fmt.Sprintf("%s has %s and %s has %s: processes of different versions do not talk to each other; install the same on all hosts", hosts[0], of.Version(), h, l.Version())
		}
		if i == 0 {
			of = l
		}
	}
	return ""
}

// mpiProgram is linerate-mpi for a host, as a file of its agent's.
func (s *session) mpiProgram(ctx context.Context, host string) (agent.AppFile, error) {
	f := agent.AppFile{Name: traffic.MPIProgram, Own: true, Program: true}
	h := s.clients[host].Hello()
	if h.OS != "linux" {
		return f, lackError(fmt.Sprintf("exchanges over MPI are measured between Linux hosts alone in this version, and %s runs %s", host, h.OS))
	}
	err := errors.New("this linerate has none")
	if s.cfg.MPIProgram != nil {
		f.Data, err = s.cfg.MPIProgram(ctx, h.OS, h.Arch)
	}
	if err != nil {
		return f, lackError(fmt.Sprintf("there is no %s for %s (%s/%s): %v", traffic.MPIProgram, host, h.OS, h.Arch, err))
	}
	return f, nil
}

// mpiPath is where the program is on every host.
const mpiPath = "{folder}/.linerate/" + traffic.MPIProgram

// lookAtMPI asks a host once what it has.
func (s *session) lookAtMPI(ctx context.Context, host string, program agent.AppFile) (seen mpiSeen, err error) {
	ask := func(needs []string, argv ...string) (string, error) {
		return askHost(ctx, s.clients[host], host, agent.App{Argv: argv, Needs: needs, Files: []agent.AppFile{program}})
	}
	text, err := ask([]string{mpirun}, mpirun, "--version")
	if err != nil {
		return seen, err
	}
	if seen.kind, seen.version = mpirunOf(text); seen.kind == "" {
		return seen, lackError(fmt.Sprintf("mpirun on %s is of an MPI that is not known here; it says %q, and there are Open MPI, MPICH and what has MPICH's ABI", host, brief(text)))
	}
	if text, err = ask(nil, mpiPath, "libraries"); err != nil {
		return seen, err
	}
	seen.MPIHost, err = traffic.ReadMPILibraries(text)
	return seen, err
}

// mpiHosts is what all hosts of a cell have of MPI, and the program for each. What is amiss with them is a lackError.
func (s *session) mpiHosts(ctx context.Context, hosts []string) (seen []mpiSeen, programs []agent.AppFile, err error) {
	seen, programs = make([]mpiSeen, len(hosts)), make([]agent.AppFile, len(hosts))
	for i, h := range hosts {
		if programs[i], err = s.mpiProgram(ctx, h); err != nil {
			return nil, nil, err
		}
	}
	errs := make([]error, len(hosts))
	var wg sync.WaitGroup
	for i, h := range hosts {
		if known, ok := s.mpi[h]; ok {
			seen[i] = known
			continue
		}
		wg.Go(func() { seen[i], errs[i] = s.lookAtMPI(ctx, h, programs[i]) })
	}
	wg.Wait()
	for _, err := range errs { // one is enough
		if err != nil {
			return nil, nil, err
		}
	}
	if s.mpi == nil {
		s.mpi = map[string]mpiSeen{}
	}
	for i, h := range hosts {
		s.mpi[h] = seen[i]
	}
	if why := mpiTrouble(hosts, seen); why != "" {
		return nil, nil, lackError(why)
	}
	return seen, programs, nil
}

// mpiCores are the cores of all processes, -1: any, and the hosts whose machine has fewer cores than processes. Agents on one machine share its cores.
func mpiCores(s HaloSpec, sides []*appSide, seen []mpiSeen) (cores []int, crowded []bool, err error) {
	if len(s.Tuning.Nodes) > 0 {
		return nil, nil, errors.New("placement: NUMA nodes are not of mpi; name cores, such as placement: 0,1")
	}
	hosts := len(sides)
	together, first := map[string]int{}, make([]int, hosts)
	machine := func(i int) string { return cmp.Or(sides[i].client.Hello().BootID, "host "+sides[i].host) }
	for i := range sides {
		first[i] = together[machine(i)]
		together[machine(i)] += (s.Processes - i + hosts - 1) / hosts
	}
	for i := range sides {
		n := (s.Processes - i + hosts - 1) / hosts
		crowded = append(crowded, len(seen[i].Cores) > 0 && together[machine(i)] > len(seen[i].Cores) || len(s.Tuning.Cores) > 0 && len(s.Tuning.Cores) < n)
	}
	for r := range s.Processes {
		host, core := r%hosts, -1
		switch own := seen[host].Cores; {
		case len(s.Tuning.Cores) > 0:
			core = s.Tuning.Cores[r/hosts%len(s.Tuning.Cores)]
		case s.Tuning.Placement != traffic.PlaceOff && !crowded[host] && len(own) > 0:
			core = own[first[host]+r/hosts]
		}
		cores = append(cores, core)
	}
	return cores, crowded, nil
}

// mpiWords is the command of an exchange.
func (c *Cell) mpiWords(s HaloSpec, kind string, cores []int) []string {
	var addresses, pinned []string
	for _, p := range c.halo.ports {
		addresses = append(addresses, p.Address.Addr().String())
	}
	for _, core := range cores {
		pinned = append(pinned, strconv.Itoa(core))
	}
	grid := traffic.GridOf(s.Processes)
	return []string{mpirun, "-n", strconv.Itoa(s.Processes), mpiPath, "halo", "library=" + kind, fmt.Sprintf("processes=%d", s.Processes), fmt.Sprintf("hosts=%d", len(c.halo.hosts)),
		fmt.Sprintf("columns=%d", grid.Columns), fmt.Sprintf("words=%d", s.Tile), "exchange=" + s.Exchange, fmt.Sprintf("warmup=%d", int64(s.Warmup)), fmt.Sprintf("window=%d", int64(s.Window)),
		fmt.Sprintf("seed=%d", s.Seed), fmt.Sprintf("room=%d", max(64, mpiOutput/s.Processes)), "cores=" + strings.Join(pinned, ","), "addresses=" + strings.Join(addresses, ",")}
}

// haloOverMPI measures a cell of halo over MPI once: mpirun of the first host starts the processes on all, over their reaches.
func (s *session) haloOverMPI(ctx context.Context, c *Cell, spec HaloSpec, during func()) error {
	rep, samples, err := s.repeatOverMPI(ctx, c, spec, during)
	if err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		c.fails(err)
		return s.lost(c)
	}
	return s.keep(c, rep, samples)
}

func (s *session) repeatOverMPI(ctx context.Context, c *Cell, spec HaloSpec, during func()) (rep record.Repeat, samples []record.Sample, err error) {
	h := c.halo
	seen, programs, err := s.mpiHosts(ctx, h.hosts)
	if err != nil {
		return rep, nil, err
	}
	sides, together, err := s.appSides(ctx, h.hosts)
	if err != nil {
		return rep, nil, err
	}
	pinned, crowded, err := mpiCores(spec, sides, seen)
	if err != nil {
		return rep, nil, err
	}
	kind := seen[0].kind
	k := &Cell{Exp: c.Exp, Samples: c.Samples, app: &appCell{hosts: h.hosts, ports: h.ports, words: c.mpiWords(spec, kind, pinned)}}
	for _, p := range h.ports {
		if net := p.Address.Masked(); !slices.Contains(k.app.nets, net) {
			k.app.nets = append(k.app.nets, net)
		}
	}
	asks, err := k.appAsks(nil, 0, together, together && s.cfg.Lab == nil)
	if err != nil {
		return rep, nil, err
	}
	yields := together || slices.Contains(crowded, true)
	for i := range asks {
		asks[i].Files = append(asks[i].Files, programs[i])
		asks[i].Limit = spec.Warmup + spec.Window + mpiStart + appStart
		asks[i].Env = append(asks[i].Env, "OMPI_MCA_hwloc_base_binding_policy=none", "HYDRA_BINDING=none") // the processes place themselves
		if yields {
			asks[i].Env = append(asks[i].Env, "OMPI_MCA_mpi_yield_when_idle=1")
		}
	}
	asks[0].Limit -= appStart
	asks[0].Needs = []string{mpirun} // the other word is a link that the agent has yet to make
	begin, samples, err := s.runSides(ctx, k, sides, asks, during)
	if err != nil {
		return rep, samples, err
	}
	main := sides[0].out
	over, err := traffic.ReadHaloMPI(string(main.Stdout.Text), traffic.HaloOptions{Processes: spec.Processes, Tile: spec.Tile, Exchange: spec.Exchange, Hosts: len(h.hosts)})
	if err != nil {
		return rep, samples, mpiError(h.hosts[0], main, err)
	}
	var all []haloOutcome
	for i, e := range sides {
		o := over.Ends[i]
		o.Halo.Crowded = crowded[i]
		if kind == traffic.OpenMPI && yields {
			o.Halo.Wait = "polling, a turn is given up where there is nothing to do"
		}
		all = append(all, haloOutcome{e.host, h.ports[i].Address.Addr(), 0, o})
	}
	if rep, err = recordHalo(spec, all); err != nil {
		return rep, samples, err
	}
	rep.Start, rep.Slice = begin, main.Watch.Slice
	rep.Halo.Library = over.Library.Version()
	rep.InEffect = haloInEffect(rep.Halo)
	rep.InEffect["release skew"] += fmt.Sprintf(" (clocks in doubt by %.2g ms)", over.Doubt.Seconds()*1e3)
	rep.InEffect["library"] = over.Library.Text + " (" + over.Library.File + ")"
	if main.Exit != 0 { // behind the last line of the result
		rep.Warnings = append(rep.Warnings, fmt.Sprintf("%s: mpirun ended with exit code %d after the exchanges: %s", h.hosts[0], main.Exit, agent.LastLines(main.Stderr.Text)))
	}
	for i, e := range sides {
		rep.CPU = append(rep.CPU, cores(e.host, e.out.Watch.CPU)...)
		for _, w := range e.out.Watch.Warnings {
			rep.Warnings = append(rep.Warnings, e.host+": "+w)
		}
		unknown, err := k.overItsNetwork(i, e, over, spec, together)
		if err != nil {
			return rep, samples, err
		}
		if unknown != "" {
			rep.Unknown = append(rep.Unknown, record.Unknown{Subject: e.host + ": the network of MPI's messages", Reason: unknown})
		}
	}
	return rep, samples, nil
}

// mpiError is why the processes have no result: what one of them says itself, else what mpirun says.
func mpiError(host string, main *agent.AppOutcome, err error) error {
	if own := asMeasure(err); own != nil {
		return fmt.Errorf("%s: %w", host, own)
	}
	if main.Exit != 0 {
		return fmt.Errorf("%s: mpirun ended with exit code %d; its last lines: %s", host, main.Exit, cmp.Or(agent.LastLines(main.Stderr.Text, main.Stdout.Text), "it printed nothing"))
	}
	return fmt.Errorf("%s: %w; its last lines: %s", host, err, agent.LastLines(main.Stdout.Text, main.Stderr.Text))
}

// overItsNetwork holds what a host's planned interface sent against what its processes sent to other hosts: MPI looks for ways itself, and a figure of another
// network is none. unknown says why it cannot be told.
func (c *Cell) overItsNetwork(i int, e *appSide, over *traffic.HaloOverMPI, s HaloSpec, together bool) (unknown string, err error) {
	if !together && c.app.rdma() {
		return "RDMA is planned there, which MPI may choose by itself, and the interface's counters do not see it", nil
	}
	host := appHost(e)
	if host.Sent == nil {
		return "the counters of the planned interface cannot be read", nil
	}
	most := int64(over.Ends[i].Halo.Remote) * over.All * int64(max(1, s.Tile*traffic.WordSize))
	if float64(*host.Sent) < mpiShare*float64(most) {
		return "", fmt.Errorf("%s: MPI's messages to other hosts were %s, and %s sent %s meanwhile: they went another way; look at what mpirun is told of networks beside linerate (openmpi-mca-params.conf, environment)",
			e.host, unit.Bytes(most), host.Interface, unit.Bytes(*host.Sent))
	}
	return "", nil
}
