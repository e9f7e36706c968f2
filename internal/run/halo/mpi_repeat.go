package halo

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"linerate/internal/agent"
	"linerate/internal/agent/process"
	"linerate/internal/base/unit"
	"linerate/internal/record"
	"linerate/internal/run/command"
	"linerate/internal/run/experiment"
	"linerate/internal/run/remote"
	"linerate/internal/traffic"
	"linerate/internal/traffic/halo"
)

// mpiCores are the cores of all processes, -1: any, and whether each host's machine has fewer cores than processes.
// Agents on one machine share its cores.
func mpiCores(s Spec, sides []*command.Host, seen []mpiOnHost) (cores []int, crowded []bool, err error) {
	if len(s.Tuning.Nodes) > 0 {
		return nil, nil, errors.New("placement: NUMA nodes are not of mpi; name cores, such as placement: 0,1")
	}
	hosts := len(sides)
	together, first := map[string]int{}, make([]int, hosts)
	machine := func(i int) string { return cmp.Or(sides[i].Client.Hello().BootID, "host "+sides[i].Name) }
	for i := range sides {
		first[i] = together[machine(i)]
		together[machine(i)] += (s.Processes - i + hosts - 1) / hosts
	}
	for i := range sides {
		n := (s.Processes - i + hosts - 1) / hosts
		crowded = append(
			crowded,
			len(seen[i].Cores) > 0 && together[machine(i)] > len(seen[i].Cores) ||
				len(s.Tuning.Cores) > 0 && len(s.Tuning.Cores) < n,
		)
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
func (h *exchange) mpiWords(s Spec, kind string, cores []int) []string {
	var addresses, pinned []string
	for _, p := range h.ports {
		addresses = append(addresses, p.Address.Addr().String())
	}
	for _, core := range cores {
		pinned = append(pinned, strconv.Itoa(core))
	}
	grid := halo.GridOf(s.Processes)
	return []string{mpirun, "-n", strconv.Itoa(s.Processes), mpiPath, "halo", "library=" + kind,
		fmt.Sprintf("processes=%d", s.Processes), fmt.Sprintf("hosts=%d", len(h.hosts)),
		fmt.Sprintf("columns=%d", grid.Columns), fmt.Sprintf("words=%d", s.Tile), "exchange=" + s.Exchange,
		fmt.Sprintf("warmup=%d", int64(s.Warmup)), fmt.Sprintf("window=%d", int64(s.Interval)),
		fmt.Sprintf("seed=%d", s.Seed), fmt.Sprintf("room=%d", max(64, mpiOutput/s.Processes)),
		"cores=" + strings.Join(pinned, ","), "addresses=" + strings.Join(addresses, ",")}
}

// overMPI exchanges over MPI once: mpirun of the first host starts the processes on all hosts, over their connections.
func (h *exchange) overMPI(ctx context.Context, s experiment.Session, spec Spec, during func()) error {
	rep, samples, err := h.repeatOverMPI(ctx, s, spec, during)
	if err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		h.c.Fail(err)
		return s.Lost(h.c)
	}
	return s.Keep(h.c, rep, samples)
}

func (h *exchange) repeatOverMPI(ctx context.Context, s experiment.Session, spec Spec,
	during func()) (rep record.Repeat, samples []record.Sample, err error) {
	seen, programs, err := mpiHosts(ctx, s, h.hosts)
	if err != nil {
		return rep, nil, err
	}
	sides, together, err := command.HostsOf(ctx, s, h.hosts)
	if err != nil {
		return rep, nil, err
	}
	pinned, crowded, err := mpiCores(spec, sides, seen)
	if err != nil {
		return rep, nil, err
	}
	kind := seen[0].kind
	k := command.NewCommand(h.c, h.hosts, h.ports, h.mpiWords(spec, kind, pinned))
	asks, err := k.Requests(nil, 0, together, together && s.Lab() == nil)
	if err != nil {
		return rep, nil, err
	}
	yields := together || slices.Contains(crowded, true)
	for i := range asks {
		asks[i].Files = append(asks[i].Files, programs[i])
		asks[i].Limit = spec.Warmup + spec.Interval + mpiStart + command.StartAllowance
		asks[i].Env = append(
			asks[i].Env,
			"OMPI_MCA_hwloc_base_binding_policy=none",
			"HYDRA_BINDING=none",
		) // the processes choose their cores
		if yields {
			asks[i].Env = append(asks[i].Env, "OMPI_MCA_mpi_yield_when_idle=1")
		}
	}
	asks[0].Limit -= command.StartAllowance
	asks[0].Needs = []string{mpirun} // the other word is a link that the agent has yet to make
	begin, samples, err := k.RunHosts(ctx, s, sides, asks, during)
	if err != nil {
		return rep, samples, err
	}
	main := sides[0].Outcome
	over, err := halo.ReadHaloMPI(string(main.Stdout.Text),
		traffic.HaloOptions{Processes: spec.Processes, Tile: spec.Tile, Exchange: spec.Exchange, Hosts: len(h.hosts)})
	if err != nil {
		return rep, samples, mpiError(h.hosts[0], main, err)
	}
	var all []outcome
	for i, e := range sides {
		o := over.Ends[i]
		o.Halo.Crowded = crowded[i]
		if kind == halo.OpenMPI && yields {
			o.Halo.Wait = "polling, a turn is given up where there is nothing to do"
		}
		all = append(all, outcome{e.Name, h.ports[i].Address.Addr(), 0, o})
	}
	if rep, err = recordOf(spec, all); err != nil {
		return rep, samples, err
	}
	rep.Start, rep.Slice = begin, main.Watch.Slice
	rep.Halo.Library = over.Library.Version()
	rep.InEffect = inEffect(rep.Halo)
	rep.InEffect["release skew"] += fmt.Sprintf(" (clocks in doubt by %.2g ms)", over.Doubt.Seconds()*1e3)
	rep.InEffect["library"] = over.Library.Text + " (" + over.Library.File + ")"
	if main.Exit != 0 { // after the last line of the result
		rep.Warnings = append(
			rep.Warnings,
			fmt.Sprintf("%s: mpirun ended with exit code %d after the exchanges: %s", h.hosts[0], main.Exit,
				process.LastLines(main.Stderr.Text)),
		)
	}
	for i, e := range sides {
		rep.CPU = append(rep.CPU, remote.CoresOf(e.Name, e.Outcome.Watch.CPU)...)
		for _, w := range e.Outcome.Watch.Warnings {
			rep.Warnings = append(rep.Warnings, e.Name+": "+w)
		}
		unknown, err := overItsNetwork(k, i, e, over, spec, together)
		if err != nil {
			return rep, samples, err
		}
		if unknown != "" {
			rep.Unknown = append(rep.Unknown,
				record.Unknown{Subject: e.Name + ": the network of MPI's messages", Reason: unknown})
		}
	}
	return rep, samples, nil
}

// mpiError is why the processes have no result: the message of one of them, else of mpirun.
func mpiError(host string, main *agent.AppOutcome, err error) error {
	if own := remote.AsError(err); own != nil {
		return fmt.Errorf("%s: %w", host, own)
	}
	if main.Exit != 0 {
		return fmt.Errorf("%s: mpirun ended with exit code %d; its last lines: %s", host, main.Exit,
			cmp.Or(process.LastLines(main.Stderr.Text, main.Stdout.Text), "it printed nothing"))
	}
	return fmt.Errorf("%s: %w; its last lines: %s", host, err, process.LastLines(main.Stdout.Text, main.Stderr.Text))
}

// overItsNetwork compares what a host's planned interface sent with what its processes sent to other hosts. MPI chooses
// its networks itself, and a figure of another network does not count. unknown is why the comparison is impossible.
func overItsNetwork(k *command.Command, i int, e *command.Host, over *halo.OverMPI, s Spec,
	together bool) (unknown string, err error) {
	if !together && k.OverRDMA() {
		return "RDMA is planned there, which MPI may choose by itself, and the interface's counters do not see it", nil
	}
	host := command.AppHost(e)
	if host.Sent == nil {
		return "the counters of the planned interface cannot be read", nil
	}
	expected := int64(over.Ends[i].Halo.Remote) * over.All * int64(max(1, s.Tile*traffic.WordSize))
	if float64(*host.Sent) < mpiShare*float64(expected) {
		return "", fmt.Errorf(
			"%s: MPI's messages to other hosts were %s, and %s sent %s meanwhile: they went another way; look at what "+
				"mpirun is configured for networks outside linerate (openmpi-mca-params.conf, environment)",
			e.Name,
			unit.Bytes(expected),
			host.Interface,
			unit.Bytes(*host.Sent),
		)
	}
	return "", nil
}
