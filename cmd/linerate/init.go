package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"linerate/internal/design/fabric"
	"linerate/internal/design/plan"
	"linerate/internal/inspect/survey"
	"linerate/internal/report"
	"linerate/internal/report/summary"
)

// fabricName is the file that verbs look for where none is named.
const fabricName = "fabric.yaml"

// initFlags are the flags of the verb init.
type initFlags struct {
	output, name, agentFile string
	yes, others, asJSON     bool
}

func (e *env) initCommand() *cobra.Command {
	var f initFlags
	c := &cobra.Command{
		Use:   "init HOST...",
		Short: "Write a fabric file out of what machines say of themselves",
		Long: `Asks this machine and each HOST for their cards, links and addresses, and writes
the fabric file that describes them: parts by PCI id, cables by the networks that
they share, and experiments. What could not be seen stands in it as a comment. The
file is ready for linerate run; nothing is changed on any machine.

A HOST is a name that ssh knows (root@nas too), or a reach: "netns A", "lab a1b2/nas".`,
		Example: `  linerate init nas                        this machine and nas
  linerate init root@nas root@pc --others  those two, and not this machine
  linerate init "n[1-4]" -o cluster.yaml --yes`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return fail(exitInput, errors.New("name the other machines: linerate init HOST..., such as linerate init root@nas; ssh has to reach them without a password"))
			}
			return nil
		},
		Annotations: map[string]string{checksItself: "yes"},
		RunE: func(c *cobra.Command, args []string) error {
			if err := e.wrong.err(); err != nil {
				return err
			}
			return e.init(c.Context(), args, f)
		},
	}
	c.Flags().StringVarP(&f.output, "output", "o", fabricName, "the file to write; it must not exist")
	c.Flags().StringVar(&f.name, "name", "", "the fabric's name (default: those of the hosts)")
	c.Flags().BoolVar(&f.yes, "yes", false, "ask nothing: what cannot be seen is assumed, and said in the file")
	c.Flags().BoolVar(&f.others, "others", false, "without this machine")
	c.Flags().StringVar(&f.agentFile, "agent", "", "the program to send to hosts, instead of this one")
	c.Flags().BoolVar(&f.asJSON, "json", false, "print one JSON object")
	return c
}

func (e *env) init(ctx context.Context, hosts []string, f initFlags) error {
	if _, err := os.Lstat(f.output); err == nil {
		return fail(exitInput, fmt.Errorf("%s is there already, and init overwrites nothing; remove it, or name another with -o", f.output))
	}
	if st, err := os.Stat(filepath.Dir(f.output)); err != nil || !st.IsDir() {
		return fail(exitInput, fmt.Errorf("-o %s: there is no folder %s", f.output, filepath.Dir(f.output)))
	}
	if !f.others {
		hosts = append([]string{"local"}, hosts...)
	}
	l := &looker{agentFile: f.agentFile}
	defer l.close()
	if err := l.named("init", hosts); err != nil {
		return err
	}
	if len(l.ends.from) < 2 {
		return fail(exitInput, errors.New("a fabric has two machines at least: name another one, or leave --others out"))
	}
	machines, err := l.look(ctx)
	if err != nil {
		return err
	}
	l.rename(machines)
	catalog, err := e.catalog(f.output)
	if err != nil {
		return err
	}
	var names []string
	for _, m := range machines {
		names = append(names, m.Name)
	}
	if f.name == "" {
		f.name = strings.Join(names[:min(len(names), 3)], "-")
	}
	d, err := draft(f.name, machines, catalog)
	if err != nil {
		return err
	}
	if in, ok := e.in.(*os.File); ok && !f.yes && !f.asJSON && term.IsTerminal(int(in.Fd())) {
		if err := e.askCables(ctx, d); err != nil {
			return err
		}
	}
	text := d.Write(time.Now(), firstExperiments(d))
	read, problems := fabric.Parse(f.output, text, fabric.Options{Catalog: catalog})
	if len(problems) > 0 {
		return fmt.Errorf("what was drafted is no fabric file, which is a fault of linerate: %w", problems)
	}
	if err := writeNew(f.output, withSchema(f.output, text)); err != nil {
		return err
	}
	p := plan.Build(read)
	if f.asJSON {
		return e.object("init", initJSON{f.output, d.Name, names, linkNames(p), append([]string{}, d.Unknown...)})
	}
	fmt.Fprintf(e.out, "%s: %s, %s\n", clean(f.output), report.Count(len(p.Hosts), "host"), report.Count(len(p.Links), "link"))
	for _, n := range d.Nets {
		fmt.Fprintf(e.out, "  %s\n", clean(n.String()))
	}
	for _, u := range d.Unknown {
		fmt.Fprintf(e.out, "  not known: %s\n", clean(u))
	}
	words := report.Command([]string{f.output})
	fmt.Fprintf(e.out, "next: linerate check %s\n      linerate run %s\n", words, words)
	return nil
}

// askCables asks of each network of two machines, of which nobody told what is between them, whether it is one cable. Without an answer nothing is to be written.
func (e *env) askCables(ctx context.Context, d *survey.Draft) error {
	const unanswered = "nothing was written; linerate init --yes asks nothing, and takes two machines that hear nobody else for one cable"
	lines := make(chan string)
	ended, done := make(chan struct{}), make(chan struct{})
	defer close(done)
	go func() { // a read of a terminal cannot be cut off: it is left behind
		defer close(ended)
		in := bufio.NewReader(e.in)
		for {
			line, err := in.ReadString('\n')
			if err != nil {
				return
			}
			select {
			case lines <- line:
			case <-done:
				return
			}
		}
	}()
	for _, n := range d.Nets {
		if n.Switch != "" || n.Heard {
			continue
		}
		for asked := false; !asked; {
			fmt.Fprintf(e.err, "%s: nobody else was heard there. Is a switch between them? [y/N] ", clean(n.Between()))
			select {
			case <-ctx.Done():
				fmt.Fprintln(e.err)
				return fail(exitInterrupted, errors.New("interrupted; "+unanswered))
			case <-ended:
				fmt.Fprintln(e.err)
				return fail(exitInput, errors.New("the question has no answer; "+unanswered))
			case line := <-lines:
				switch strings.ToLower(strings.TrimSpace(line)) {
				case "y", "yes":
					d.Through(n, "as was answered")
					asked = true
				case "", "n", "no":
					asked = true
				default:
					fmt.Fprintln(e.err, "  y or n; nothing is n: one cable joins them")
				}
			}
		}
	}
	return nil
}

// firstExperiments are those of a new file: of two machines all that a card shows, of more what every pair carries.
func firstExperiments(d *survey.Draft) []*fabric.Experiment {
	var names []string
	for _, h := range d.Hosts {
		if slices.ContainsFunc(d.Nets, func(n *survey.Net) bool {
			return slices.ContainsFunc(n.Ends, func(end *survey.End) bool { return end.Host == h })
		}) {
			names = append(names, h.Name)
		}
	}
	if len(names) == 2 {
		return d.Over(summary.Experiments(summary.Wanted{From: names[0], To: names[1]}))
	}
	return []*fabric.Experiment{
		{Name: "line-rate", Method: "stream", From: names, To: names, Axes: []fabric.Axis{{Key: "streams", Values: []string{"1", "8"}}}},
		{Name: "latency", Method: "ping", From: names[:1], To: names[1:]},
	}
}

func linkNames(p *plan.Plan) []string {
	out := []string{}
	for _, l := range p.Links {
		out = append(out, l.Name)
	}
	return out
}

// initJSON is what init --json prints.
type initJSON struct {
	File    string   `json:"file"`
	Fabric  string   `json:"fabric"` // its name
	Hosts   []string `json:"hosts"`
	Links   []string `json:"links"`
	Unknown []string `json:"unknown"` // what was not seen, and why
}
