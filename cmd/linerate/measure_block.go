package main

import (
	"errors"
	"fmt"
	"net/netip"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"linerate/internal/cli/manual"
	"linerate/internal/design/fabric"
	"linerate/internal/design/plan"
	"linerate/internal/facts"
	"linerate/internal/run"
)

// blockTarget is what the storage of a command line is called in its experiment.
const blockTarget = "storage"

// blockFlags are the flags of measure block; those that it shares with measure are in measureFlags.
type blockFlags struct {
	measureFlags
	target, storage                                  string
	profile, load, read, depth, threads, order, span []string
	limits                                           []string
	warmup, think, pause, cache, onError, dataSeed   string
	sync, verify, steady                             bool
}

func (e *env) measureBlockCommand() *cobra.Command {
	var f blockFlags
	names, about := run.BlockProfiles()
	var profiles strings.Builder
	for _, name := range names {
		if slices.Contains([]string{"general", "peak", "vdi", "sql"}, name) { // told with vmfleet
			continue
		}
		fmt.Fprintf(&profiles, "\n  %-10s  %s", name, about[name])
	}
	c := &cobra.Command{
		Use:    "block --to PATH",
		Hidden: true, // the text of measure has it
		Short:  "Reads and writes of storage: a file, a folder, a share that is mounted, a device",
		Long: `Asks storage for blocks, and says what came, how late, and what the processors, the drive and the network did meanwhile. PATH is of the host of --from (this machine if it is left out),
whatever is behind it: a drive, or a share or LUN that its own system has there. --storage names the host that has the storage: it is watched in the same window.
A folder, or a file that is not there, is given a file of --span, which is removed at the end. A file or device that is there is read; nothing is written to it, but to a device
that --destroy names with its serial number (or its size, where it has none) and that nothing uses. nvme-tcp://HOST:PORT/NQN is an NVMe/TCP subsystem, asked by linerate's own initiator.
Profiles:` + profiles.String(),
		Example: `  linerate measure block --to /mnt/tank/bench --profile cdm
  linerate measure block --to /mnt/nas --storage "ssh root@nas" --load SEQ1M-Q8T1,RND4K-Q32T1 --read 100%,0%
  linerate measure block --from "ssh n[1-4]" --to /mnt/csv --size 4KiB..1MiB --pattern random --depth 32 --read 70%
  linerate measure block --to /dev/nvme1n1 --load RND4K-Q32T16 --read 0% --destroy /dev/nvme1n1=S4EVNX0M`,
		Args:        cobra.NoArgs,
		Annotations: map[string]string{checksItself: "yes", manual.Shown: "yes"},
		RunE: func(c *cobra.Command, _ []string) error {
			return e.measureAs(c, run.Block, &f.measureFlags, func() (*fabric.Experiment, ends, error) { return e.checkBlock(&f) })
		},
	}
	flags := c.Flags()
	flags.StringVar(&f.target, "to", "", "the storage, as the host of --from calls it: a file, a folder, a device, or nvme-tcp://HOST:PORT/NQN")
	flags.StringArrayVar(&f.from, "from", nil, "the reach of the host that asks (default local); several, or a range such as \"ssh n[1-4]\", at once")
	flags.StringVar(&f.storage, "storage", "", "the reach of the host that has the storage, to be watched")
	flags.StringVar(&f.toAddress, "to-address", "", "an address in the network between them, whose interfaces are counted (default: the fastest subnet that they share)")
	flags.StringSliceVar(&f.profile, "profile", nil, "a set of loads by name")
	flags.StringSliceVar(&f.load, "load", nil, "order, block, depth and threads: SEQ1M-Q8T1, RND4K-Q32T16; several at once: RND8K-Q32T1:70%+SEQ32K-Q1T1:0%")
	flags.StringSliceVar(&f.sizes, "size", nil, "bytes of a block, several, or 512B..1MiB in doublings (default 4KiB)")
	flags.StringSliceVar(&f.order, "pattern", nil, "random (the default), sequential, zipf")
	flags.StringSliceVar(&f.read, "read", nil, "share of reads, such as 100%,70%,0% (default 100%)")
	flags.StringSliceVar(&f.depth, "depth", nil, "requests under way of each thread (default 1)")
	flags.StringSliceVar(&f.threads, "threads", nil, "threads (default 1)")
	flags.StringSliceVar(&f.span, "span", nil, "how much of the storage is used, and the size of a file that is made (default: all, 1GiB of what is made)")
	flags.StringVar(&f.amount, "amount", "", "ask for so many bytes in place of a time")
	flags.StringVar(&f.time, "time", "", "the window of a repeat (default 5s)")
	flags.StringVar(&f.warmup, "warmup", "", "before the window (default 1s)")
	flags.StringSliceVar(&f.limits, "rate", nil, "requests a second of each host at most, such as 1000, or bits a second, such as 200M")
	flags.BoolVar(&f.steady, "steady", false, "go on until the steady state holds, --time at most")
	flags.StringVar(&f.think, "think", "", "what passes between an answer and the next request in its place")
	flags.StringVar(&f.pause, "pause", "", "between two repeats")
	flags.StringVar(&f.cache, "cache", "", "around the system's cache (the default, where the storage can) or through it")
	flags.StringVar(&f.onError, "on-error", "", "after a request that failed: stop (the default; what was measured until then is kept) or go-on")
	flags.BoolVar(&f.sync, "sync", false, "a write counts when it is on the medium")
	flags.BoolVar(&f.verify, "verify", false, "every block says where it belongs, and is looked at when it is read")
	flags.StringArrayVar(&f.destroy, "destroy", nil, "DEVICE=SERIAL or DEVICE=SIZE: what is on this device may be overwritten")
	flags.StringVar(&f.dataSeed, "data-seed", "", "of offsets and data (default 1)")
	flags.IntVar(&f.repeats, "repeats", run.DefaultRepeats, "repeats; a profile may have another default")
	f.addKept(flags, "")
	return c
}

// checkBlock reads what a command line of measure block asks for, before any host is asked. All its mistakes come together.
func (e *env) checkBlock(f *blockFlags) (*fabric.Experiment, ends, error) {
	wrong := &e.wrong
	x := f.experiment(wrong)
	at, err := f.hosts()
	wrong.add(err)
	if f.toAddress != "" && f.storage == "" {
		wrong.add(errors.New("--to-address: it is in the network to the host of --storage, and there is none"))
	}
	owner := ""
	if len(at.to) > 0 {
		owner = at.to[0]
	}
	for _, name := range at.from {
		to := name
		if owner != "" {
			to = owner
		}
		x.From, x.To = append(x.From, name), append(x.To, to+"."+blockTarget)
	}
	f.paths = map[string]string{}
	for _, name := range at.from {
		f.paths[name] = f.target
		if at.reach[name].Kind == "local" && f.target != "" && !strings.Contains(f.target, "://") {
			if path, err := filepath.Abs(f.target); err == nil { // the agent is in a folder of its own
				f.paths[name] = path
			}
		}
	}
	f.checkKept(wrong)
	e.endSecrets(at)
	return x, at, wrong.err()
}

// hosts are those that ask, and the one that has the storage, if it is named.
func (f *blockFlags) hosts() (ends, error) {
	one := measureFlags{from: f.from, patterns: []string{""}} // each host once, and no other end is needed
	if f.storage != "" {
		one.to = []string{f.storage}
	}
	return one.ends()
}

// experiment turns the flags into the experiment that a file would have.
func (f *blockFlags) experiment(wrong *mistakes) *fabric.Experiment {
	x := &fabric.Experiment{Name: run.Block, Method: run.Block}
	if f.target == "" {
		wrong.add(errors.New("--to: it is not said what is to be measured; write --to FOLDER (a file of --span is made there, and removed), --to FILE or --to DEVICE"))
	}
	add := func(key, flag string, texts ...string) {
		if len(texts) == 0 || len(texts) == 1 && texts[0] == "" && !slices.Contains(f.given, flag) {
			return
		}
		values, errs := fabric.Values(run.Block, key, texts)
		for _, err := range errs {
			wrong.add(fmt.Errorf("--%s: %w", flag, err))
		}
		x.Axes = append(x.Axes, fabric.Axis{Key: key, Values: values})
	}
	for _, k := range []struct {
		key   string
		texts []string
	}{{"profile", f.profile}, {"load", f.load}, {"pattern", f.order}, {"size", f.sizes}, {"depth", f.depth}, {"threads", f.threads}, {"read", f.read}, {"span", f.span},
		{"amount", []string{f.amount}}, {"time", []string{f.time}}, {"warmup", []string{f.warmup}}, {"think", []string{f.think}}, {"rate", f.limits}, {"pause", []string{f.pause}}, {"cache", []string{f.cache}}} {
		add(k.key, k.key, k.texts...)
	}
	add("on_error", "on-error", f.onError)
	add("seed", "data-seed", f.dataSeed)
	for key, on := range map[string]bool{"sync": f.sync, "verify": f.verify, "steady": f.steady} {
		if on {
			add(key, key, "true")
		}
	}
	if len(wrong.list) == 0 {
		for _, err := range run.CheckBlock(x) {
			wrong.add(err)
		}
	}
	for _, text := range f.destroy {
		if at := strings.LastIndex(text, "="); at < 1 || at == len(text)-1 {
			wrong.add(fmt.Errorf("--destroy %s: write DEVICE=SERIAL, or DEVICE=SIZE where it has no serial number, so that no other device is overwritten by a slip", text))
		}
	}
	return x
}

// blockPlan is the plan of the hosts of measure block: the storage is a drive of the one that has it, or of each that asks.
func (f measureFlags) blockPlan(x *fabric.Experiment, e ends, found map[string]*facts.Facts) (*plan.Plan, []string, error) {
	p := &plan.Plan{Name: x.Method, Fabric: &fabric.Fabric{Name: x.Method, Path: "measure", Experiments: []*fabric.Experiment{x}}}
	for _, name := range e.all() {
		decl := &fabric.Host{Name: name}
		switch {
		case slices.Contains(e.to, name):
			d := &fabric.Drive{Name: blockTarget, Mounts: map[string]string{}}
			for _, asks := range e.from {
				d.Mounts[asks] = f.paths[asks]
			}
			if slices.Contains(e.from, name) {
				d.Path = f.paths[name]
			}
			decl.Drives = []*fabric.Drive{d}
		case len(e.to) == 0:
			decl.Drives = []*fabric.Drive{{Name: blockTarget, Path: f.paths[name]}}
		}
		p.Hosts = append(p.Hosts, &plan.Host{Name: name, Reach: e.reach[name].String(), Decl: decl})
	}
	if len(e.to) == 0 || len(e.all()) == 1 {
		return p, nil, nil
	}
	var wanted netip.Addr
	if f.toAddress != "" {
		wanted = netip.MustParseAddr(f.toAddress) // looked at before
	}
	ports, err := commonSubnet(e.all(), found, wanted)
	if err != nil {
		if wanted.IsValid() {
			return nil, nil, fail(exitInput, err)
		}
		return p, []string{"the network between the hosts is not counted: " + err.Error()}, nil
	}
	for i, name := range e.all() {
		join(p, name, ports[i], 0)
	}
	return p, mtusDiffer(p.Hosts), nil
}
