package main

import (
	"context"
	"fmt"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"linerate/agent"
	"linerate/fabric"
	"linerate/facts"
	"linerate/plan"
	"linerate/reach"
	"linerate/result"
	"linerate/run"
	"linerate/unit"
)

type measureFlags struct {
	from, to, toAddress, rate, pace, time, folder, agentFile string
	copies, placement, gather                                string
	every                                                    []string
	underLoad                                                bool
	loadStreams, loadDirections                              []string
	likeAnApplication, spin                                  bool
	transports, streams, directions, sizes, mtus             []string
	repeats                                                  int
	fragment                                                 bool
	asJSON, resume                                           bool
	against                                                  string   // the flags of the other side
	given                                                    []string // the flags of the command line
	schedule                                                 scheduleFlags
}

func (e *env) measureCommand() *cobra.Command {
	var f measureFlags
	c := &cobra.Command{
		Use:   "measure stream|ping [HOST]",
		Short: "One experiment by hand, without a fabric file",
		Long: `Measures between two reaches: local, netns NAME, ssh [USER@]HOST, lab ID/HOST or
tcp://ADDRESS:PORT#SECRET (of an agent --listen).
HOST alone is short for --from local --to "ssh HOST". Over ICMP (ping --transport icmp) HOST is an address or
a name of anything that answers echoes, such as a switch: only the other end needs linerate.`,
		Example: `  linerate measure stream nas
  linerate measure ping nas
  linerate measure ping nas --every 1ms --streams 1,4
  linerate measure ping nas --under-load --load-direction both
  linerate measure stream nas --rate 25G --size 512B..1MiB --streams 1,4,8 --direction out,in,both -o sweep
  linerate measure ping 10.9.0.254 --transport icmp
  linerate measure stream nas --streams 1 --against "--streams 4" --repeats 10
  linerate measure stream --from "netns a" --to "netns b" --to-address 10.9.0.2 --rate 1G --time 4s`,
		Args:        cobra.RangeArgs(1, 2),
		Annotations: map[string]string{checksItself: "yes"},
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) == 2 && f.onlyICMP() && args[0] == "ping" && !strings.HasPrefix(args[1], "tcp://") {
				for _, flag := range []string{"to", "to-address"} {
					if c.Flags().Changed(flag) {
						e.wrong.add(fmt.Errorf("--%s: the other end is named twice, over icmp %s is its address; leave one out", flag, args[1]))
					}
				}
				address, err := resolve(c.Context(), args[1])
				if f.toAddress = address; err != nil {
					e.wrong.add(err)
					f.to = "local" // that nothing stands there is said already
				}
			} else if len(args) == 2 {
				if c.Flags().Changed("to") {
					e.wrong.add(fmt.Errorf("--to %s: the other end is named twice, %s stands for --to, too; leave one out", f.to, args[1]))
				}
				f.to = "ssh " + args[1]
				if strings.HasPrefix(args[1], "tcp://") {
					f.to = args[1]
				}
			}
			f.given = changed(c.Flags())
			return e.measure(c.Context(), args[0], f)
		},
	}
	f.add(c.Flags())
	return c
}

// add defines the flags; --against reads them a second time.
func (f *measureFlags) add(flags *pflag.FlagSet) {
	flags.StringVar(&f.from, "from", "local", "the reach that sends with direction out")
	flags.StringVar(&f.to, "to", "", "the reach at the other end")
	flags.StringVar(&f.toAddress, "to-address", "", "the address to measure to (default: the fastest subnet that both ends share)")
	flags.StringVar(&f.rate, "rate", "", "the link's rate, for the ceiling; it never limits")
	flags.StringVar(&f.pace, "pace", "", "what each stream's program hands over at most, such as 300M")
	flags.StringVar(&f.copies, "copies", "", "where a stream's bytes are copied: both ends (label A, the default), receive (B: pages are handed over at the sender), none (C: discarded at the receiver)")
	flags.BoolVar(&f.likeAnApplication, "like-an-application", false, "copies at both ends, as without --copies")
	flags.StringVar(&f.placement, "placement", "", "cores of the threads: auto (by a trial, the default), off, or lists for from and to such as 0,1/2,3")
	flags.StringVar(&f.gather, "gather", "", "messages of --size handed over with one call (label G)")
	flags.BoolVar(&f.spin, "spin", false, "ping asks the socket again and again instead of sleeping")
	flags.StringSliceVar(&f.every, "every", nil, "ping asks at these times, such as 1ms, whatever the answers do; round trips count from the time at which a question was due")
	flags.BoolVar(&f.underLoad, "under-load", false, "ping beside TCP streams, and without them before: --load-streams 4")
	flags.StringSliceVar(&f.loadStreams, "load-streams", nil, "ping beside so many TCP streams, such as 1,8, and without them before")
	flags.StringSliceVar(&f.loadDirections, "load-direction", nil, "of the data of the load: out (the default), in, both")
	flags.StringVar(&f.time, "time", "5s", "the steady window of a repeat")
	flags.StringSliceVar(&f.sizes, "size", nil, "bytes of one message, several such as 4KiB,64KiB, or 512B..1MiB in doublings")
	flags.StringSliceVar(&f.mtus, "mtu", nil, "the MTU of the path; measuring changes no settings, so another than the path has is listed as not run")
	flags.StringSliceVar(&f.transports, "transport", nil, "tcp (the default), udp; ping also icmp")
	flags.BoolVar(&f.fragment, "fragment", false, "over UDP, cut messages above the MTU into IP fragments instead of refusing them")
	flags.StringSliceVar(&f.streams, "streams", nil, "numbers of streams, such as 1,4; of ping the pairs that ask at once")
	flags.StringSliceVar(&f.directions, "direction", nil, "out, in, both; of ping the end that asks")
	flags.IntVar(&f.repeats, "repeats", run.DefaultRepeats, "repeats")
	flags.StringVarP(&f.folder, "output", "o", "", "keep the run folder here, new or empty")
	flags.BoolVar(&f.resume, "resume", false, "go on with the interrupted measurement in -o")
	flags.StringVar(&f.agentFile, "agent", "", "the program to send to hosts, instead of this one")
	flags.BoolVar(&f.asJSON, "json", false, "print one JSON object")
	flags.StringVar(&f.against, "against", "", "measure in turns, A B A B, with these flags different, and compare")
	f.schedule.add(flags)
}

func (e *env) measure(ctx context.Context, method string, f measureFlags) error {
	x, rate, reaches, err := e.checkMeasure(method, &f)
	if err != nil {
		return err
	}
	// One agent an end from here to the end of the measurement: one that listens serves one controller.
	clients := map[string]*agent.Client{}
	defer func() {
		for _, c := range clients {
			c.Close()
		}
	}()
	p, warnings, err := f.plan(ctx, x, rate, reaches, clients)
	if err != nil {
		return err
	}
	cells, err := run.Cells(p, run.Options{Repeats: f.repeats})
	if err != nil {
		return err
	}
	own := runFlags{schedule: f.schedule, asJSON: f.asJSON, agentFile: f.agentFile, resume: f.resume}
	if slices.Contains(f.given, "against") {
		if cells, err = f.bothSides(method, p, cells); err != nil {
			return fail(exitInput, err)
		}
		own.variants = []string{cells[len(cells)-1].Exp.Variant}
	}
	folder := f.folder
	if folder == "" {
		// Nobody asked for the files: they are kept until the report is printed.
		temporary, err := os.MkdirTemp("", "linerate-")
		if err != nil {
			return err
		}
		defer os.RemoveAll(temporary)
		folder = filepath.Join(temporary, "run")
	}
	own.folder = folder
	out, head, err := e.folder(p, own, "", cells)
	if err != nil {
		return err
	}
	if f.resume {
		if err := sameEnds(head, reaches); err != nil {
			out.Close()
			return fail(exitInput, fmt.Errorf("%s: %w", out.Path, err))
		}
	}
	defer out.Close()
	head.Schedule.Turns = slices.Contains(f.given, "against")
	head.Warnings = append(head.Warnings, warnings...)
	j := &job{env: e, plan: p, cells: cells, folder: out, run: head, flags: own, kept: f.folder != ""}
	j.clients = clients
	j.reachOf = func(host string) (reach.Spec, error) { return reaches[host], nil }
	return j.do(ctx)
}

// sameEnds refuses to go on with a measurement between other ends. The port and secret of an agent that listens are new each time.
func sameEnds(old *result.Run, reaches map[string]reach.Spec) error {
	bare := func(text string) string {
		if host, _, ok := strings.Cut(text, ":"); ok && strings.HasPrefix(text, "tcp ") {
			return host
		}
		return text
	}
	for _, h := range old.Hosts {
		if now, ok := reaches[h.Name]; ok && h.Reach != "" && bare(h.Reach) != bare(now.String()) {
			return fmt.Errorf("it was measured with --%s %q, not %q; resume it with the same ends, or name another folder", h.Name, h.Reach, now)
		}
	}
	return nil
}

// plan makes the plan of two hosts and one link that the flags and the hosts'
// own facts describe. It warns of a rate above what an end reports.
func (f measureFlags) plan(ctx context.Context, x *fabric.Experiment, rate unit.BitRate, reaches map[string]reach.Spec, clients map[string]*agent.Client) (p *plan.Plan, fast []string, err error) {
	found := map[string]*facts.Facts{}
	names := []string{"from", "to"}
	if f.lone() {
		names = names[:1]
	}
	for _, name := range names {
		client, err := agent.Open(ctx, reaches[name], agent.OpenOptions{Host: name, Version: version(), AgentFile: f.agentFile})
		if err != nil {
			return nil, nil, fail(exitIncomplete, err)
		}
		clients[name] = client
		text, err := client.Facts(ctx, string(facts.Full))
		if err != nil {
			return nil, nil, fail(exitIncomplete, err)
		}
		if found[name], err = facts.Parse(text); err != nil {
			return nil, nil, err
		}
	}
	var from, to *plan.Port
	if f.lone() {
		from, to, err = loneEnd(found["from"], f.toAddress)
	} else {
		from, to, err = sharedSubnet(found["from"], found["to"], f.toAddress)
	}
	if err != nil {
		return nil, nil, fail(exitInput, err)
	}
	l := &plan.Link{Name: "from--to", Label: "from--to", Speed: rate, MTU: min(from.MTU, to.MTU)}
	p = &plan.Plan{Name: x.Method, MTU: l.MTU, Links: []*plan.Link{l},
		Fabric: &fabric.Fabric{Name: x.Method, Experiments: []*fabric.Experiment{x}}}
	for i, end := range []struct {
		name string
		at   *plan.Port
	}{{"from", from}, {"to", to}} {
		end.at.ID, end.at.Host, end.at.Link, end.at.Card = end.name+"."+end.at.Interface, end.name, l.Name, end.at.Interface
		if rate > 0 {
			fast = append(fast, rateAbove(rate, end.name, end.at)...)
			end.at.Speed = rate
		}
		if l.Speed == 0 || end.at.Speed > 0 && end.at.Speed < l.Speed {
			l.Speed = end.at.Speed
		}
		l.Ends[i] = plan.End{ID: end.at.ID, Host: end.name}
		p.Hosts = append(p.Hosts, &plan.Host{Name: end.name, Reach: reaches[end.name].String(), Ports: []*plan.Port{end.at}, Decl: &fabric.Host{Name: end.name}})
	}
	l.Subnet = from.Address.Masked()
	fast = append(fast, f.paceAbove(l.Speed)...)
	return p, fast, nil
}

// sharedSubnet finds the interface and address of each end: those of the
// address that was given, else of the fastest subnet that both have.
func sharedSubnet(from, to *facts.Facts, address string) (a, b *plan.Port, err error) {
	var wanted netip.Addr
	if address != "" {
		if wanted, err = netip.ParseAddr(address); err != nil {
			return nil, nil, fmt.Errorf("--to-address %s: not an IP address; write one such as 10.9.0.2", address)
		}
	}
	var seen []string
	for i := range to.NICs {
		for _, x := range to.NICs[i].Addresses {
			if x.Addr().IsLoopback() && wanted != x.Addr() || x.Addr().IsLinkLocalUnicast() {
				continue
			}
			seen = append(seen, x.Addr().String())
			if wanted.IsValid() && x.Addr() != wanted {
				continue
			}
			for k := range from.NICs {
				for _, y := range from.NICs[k].Addresses {
					if y.Masked() != x.Masked() {
						continue
					}
					p, q := port(&from.NICs[k], y), port(&to.NICs[i], x)
					if a == nil || min(p.Speed, q.Speed) > min(a.Speed, b.Speed) {
						a, b = p, q
					}
				}
			}
		}
	}
	if a == nil {
		return nil, nil, notShared(wanted, seen, addresses(from))
	}
	return a, b, nil
}

// notShared says why no pair of addresses can be measured between.
func notShared(wanted netip.Addr, there, here []string) error {
	list := func(all []string) string {
		if len(all) == 0 {
			return "none"
		}
		return strings.Join(all, ", ")
	}
	switch {
	case wanted.IsValid() && !slices.Contains(there, wanted.String()):
		return fmt.Errorf("--to-address %s: the end to does not have this address; it has %s; write one of them", wanted, list(there))
	case wanted.IsValid():
		return fmt.Errorf("--to-address %s: the end from has no address in its subnet, only %s; choose another address, or give from one there", wanted, list(here))
	}
	return fmt.Errorf("no subnet is shared by both ends: from has %s, to has %s; give both an address in one subnet", list(here), list(there))
}

// addresses are those of a host, without loopback and link-local ones.
func addresses(f *facts.Facts) (all []string) {
	for _, n := range f.NICs {
		for _, x := range n.Addresses {
			if !x.Addr().IsLoopback() && !x.Addr().IsLinkLocalUnicast() {
				all = append(all, x.Addr().String())
			}
		}
	}
	return all
}

// rateAbove warns of a declared rate that an end's interface does not have.
func rateAbove(rate unit.BitRate, end string, p *plan.Port) []string {
	if p.Speed == 0 || rate <= p.Speed {
		return nil
	}
	return []string{fmt.Sprintf("--rate %s is above the speed of %s at the end %s, %s; the ceilings are computed with --rate", rate, p.Interface, end, p.Speed)}
}

// paceAbove warns of a rate of the sending program that the link cannot have.
func (f measureFlags) paceAbove(link unit.BitRate) []string {
	pace, err := unit.ParseBitRate(f.pace)
	if err != nil || link == 0 || pace <= link {
		return nil
	}
	return []string{fmt.Sprintf("--pace %s is above the link's rate, %s: it limits nothing", pace, link)}
}

func port(n *facts.Interface, address netip.Prefix) *plan.Port {
	return &plan.Port{Interface: n.Name, Declared: true, Index: 1, MTU: n.MTU, Address: address, Speed: n.Speed.Or(0)}
}
