package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"linerate/internal/agent"
	"linerate/internal/facts"
	"linerate/internal/host/connect"
	"linerate/internal/inspect/doctor"
)

// doctorOrder is what the verb doctor is asked for.
type doctorOrder struct {
	file, agentFile string
	lab, asJSON     bool
	timeout         time.Duration
}

func (e *env) doctorCommand() *cobra.Command {
	var o doctorOrder
	c := &cobra.Command{
		Use:   "doctor [HOST..] [FABRIC.yaml]",
		Short: "What a run will need, and whether it is there: a line each, with what to type",
		Long: `Looks at this machine, at each HOST, and at the hosts of a fabric file that have a reach: the one that is named, or, where no HOST is named,
that of LINERATE_FABRIC, else the fabric.yaml of this folder or the nearest one above. All at once. Each line is ok, a warning (a run works, and something is missing in it), a problem, or not known,
because ..; below it stands what to type, and on which host. It changes nothing and installs nothing.

HOST is what measure takes: nas or root@nas is ssh's; "netns a", "lab ID/a", "tcp HOST:PORT", "kubectl POD" are one word each, in quotes.
--lab also looks at what guests of a lab are made of: QEMU, KVM, images; the hosts of a file are then not asked.

Exit code 3: there is a problem; 4: a host could not be looked at; 2: a HOST or the file is wrong.`,
		Example: `  linerate doctor                            this machine, and the hosts of fabric.yaml here or above
  linerate doctor nas root@desk              over ssh, beside this machine
  linerate doctor "netns a" "netns b"        namespaces of this machine
  linerate doctor examples/mesh-10g.yaml --lab
  linerate doctor -f home.yaml --timeout 5s --json`,
		Args: cobra.ArbitraryArgs,
		RunE: func(c *cobra.Command, args []string) error {
			specs := e.doctorWords(&o, args, c.Flags().Changed("file"))
			if o.timeout <= 0 {
				e.wrong.add(fmt.Errorf("--timeout %v: write a time above 0, as 20s", o.timeout))
			}
			if err := e.wrong.err(); err != nil {
				return err
			}
			return e.doctor(c.Context(), o, specs)
		},
	}
	c.Flags().StringVarP(&o.file, "file", "f", "", "the fabric file whose hosts are looked at")
	c.Flags().BoolVar(&o.lab, "lab", false, "also what a lab on this machine is made of; a file's hosts are not asked")
	c.Flags().DurationVar(&o.timeout, "timeout", connectTimeout, "cut off a host that is not reached within this time; above 20s, it may also take that much longer to answer")
	c.Flags().StringVar(&o.agentFile, "agent", "", "the program to send to hosts, instead of this one")
	c.Flags().BoolVar(&o.asJSON, "json", false, "print one JSON object")
	return c
}

// doctorHost is a host that is to be looked at.
type doctorHost struct {
	doctor.Host
	spec connect.Spec
	err  error // why it cannot be asked
}

// doctorWords sorts the words of the command line into hosts, this machine first, and a file.
func (e *env) doctorWords(o *doctorOrder, args []string, fileGiven bool) (out []*doctorHost) {
	words := []string{string(connect.Local)}
	for _, word := range args {
		if !strings.HasSuffix(word, ".yaml") && !strings.HasSuffix(word, ".yml") {
			words = append(words, word)
			continue
		}
		if o.file != "" {
			e.wrong.add(fmt.Errorf("%s and %s: one file at a time", clean(o.file), clean(word)))
		}
		o.file = word
	}
	hosts, wrong := hostWords("doctor", words)
	for _, err := range wrong {
		e.wrong.add(err)
	}
	for i, host := range hosts {
		h := &doctorHost{spec: host.spec}
		h.Reach, h.Name, h.Here = host.spec.String(), host.name, i == 0
		out = append(out, h)
	}
	if fileGiven && o.file == "" {
		e.wrong.add(errors.New("-f: name a fabric file"))
	}
	return out
}

func (e *env) doctor(ctx context.Context, o doctorOrder, hosts []*doctorHost) error {
	g := &doctor.Gathered{Version: version()}
	if o.file == "" && len(hosts) == 1 {
		if o.file = e.fabricFound(); o.file != "" {
			e.tellFabric(nil, []string{o.file})
		}
	}
	if o.file != "" {
		p, err := e.load(o.file, "")
		if err != nil {
			return err
		}
		g.Plan = p
		wants := wanted(p)
		for _, h := range p.Hosts {
			if o.lab {
				break
			}
			d := &doctorHost{}
			d.Name, d.Wants = h.Name, wants[h.Name]
			switch {
			case h.Reach == "":
				d.Failure = &doctor.Failure{}
			case h.Reach == "local": // this machine, by the name that the file gives it
				hosts[0].Name, hosts[0].Wants = h.Name, wants[h.Name]
				continue
			default:
				if d.spec, d.err = connect.ParseFile(h.Reach); d.err == nil {
					d.Reach = d.spec.String()
				} else {
					d.Reach = h.Reach
				}
			}
			hosts = append(hosts, d)
		}
	}
	e.lookRound(ctx, hosts, o)
	if err := ctx.Err(); err != nil {
		return err
	}
	for _, h := range hosts {
		g.Hosts = append(g.Hosts, &h.Host)
	}
	g.Folder = runFolder(".")
	if o.lab {
		g.Lab = labParts()
	}
	all := doctor.Look(g)
	var err error
	if o.asJSON {
		err = e.object("doctor", map[string]any{"lines": all})
	} else {
		err = e.terminal().Doctor(all)
	}
	bad, silent := doctor.Worst(all)
	switch {
	case err != nil:
		return err
	case silent:
		return fail(exitIncomplete, nil)
	case bad:
		return fail(exitMissed, nil)
	}
	return nil
}

// lookRound asks all hosts at once, each with its own limits; what cannot be asked has its reason afterwards.
func (e *env) lookRound(ctx context.Context, hosts []*doctorHost, o doctorOrder) {
	own := 0
	for _, h := range hosts {
		if h.err == nil && h.Reach != "" {
			h.spec, h.err = e.withSecret(h.Name, h.spec)
		}
		switch h.spec.Kind {
		case connect.Local, connect.Netns, connect.Lab:
			own++
		}
	}
	limits := asking{agentFile: o.agentFile, connect: o.timeout, read: readLimit(o.timeout, 1+own)}
	var wait sync.WaitGroup
	places := make(chan struct{}, askedAtOnce)
	for _, h := range hosts {
		if h.Failure != nil || h.Reach == "" {
			continue
		}
		wait.Go(func() {
			places <- struct{}{}
			defer func() { <-places }()
			err := h.err
			if err == nil {
				err = h.look(ctx, limits)
			}
			if err != nil {
				h.Failure = failureOf(h.Reach, err)
			}
		})
	}
	wait.Wait()
}

// look asks one host. What it gets is put in only when it is whole: one that was cut off may still write.
func (h *doctorHost) look(ctx context.Context, o asking) error {
	var got doctor.Host
	began := time.Now()
	_, err := limited(ctx, o, func(ctx context.Context, reached func()) ([]byte, error) {
		client, err := agent.Open(ctx, h.spec, agent.OpenOptions{Host: h.Name, Version: version(), AgentFile: o.agentFile})
		if err != nil {
			return nil, err
		}
		defer client.Close()
		reached()
		got = h.Host
		got.Took = time.Since(began)
		hello := client.Hello()
		got.OS, got.Arch, got.Version, got.Aligned = hello.OS, hello.Arch, hello.Version, client.Clock().RTT/2
		var rooms []string
		for _, w := range h.Wants {
			rooms = append(rooms, w.Path)
		}
		needs, err := client.Needs(ctx, doctor.Programs(), rooms...)
		if err != nil {
			return nil, err
		}
		at := time.Now().UnixNano()
		got.Needs = &needs
		// The answer was on its way for half of the quickest round trip at least; by how much longer is not known, and stands in Within.
		got.Ahead, got.Within = time.Duration(needs.WallNS-at)+got.Aligned, got.Aligned+20*time.Millisecond
		text, err := client.Facts(ctx, string(facts.Full))
		if err != nil {
			return nil, err
		}
		if got.Facts, err = facts.Parse(bytes.Clone(text)); err != nil {
			return nil, err
		}
		return text, nil
	})
	if err == nil {
		h.Host = got
	}
	return err
}

// failureOf puts what went wrong into the words of who said it, with what to type.
func failureOf(to string, err error) *doctor.Failure {
	f := &doctor.Failure{Said: clean(err.Error())}
	var e *connect.Error
	if errors.As(err, &e) {
		f.Try = clean(e.Try)
		if e.Do != "" || e.Say != "" {
			f.Try, f.Then = clean(e.Do), clean(e.Say)
		}
		said := strings.ReplaceAll(e.Output, "\n", " | ")
		switch {
		case said != "" && e.Cause != nil:
			said = fmt.Sprintf("%v: %s", e.Cause, said)
		case e.Cause != nil:
			said = e.Cause.Error()
		}
		if said != "" {
			f.Said = clean(to + ": " + said)
		}
	} else {
		f.Said = clean(to + ": " + err.Error())
		if strings.HasPrefix(to, "ssh ") {
			f.Try = "ssh -v " + strings.TrimPrefix(to, "ssh ") + " true"
		}
	}
	return f
}
