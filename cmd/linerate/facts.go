package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"linerate/internal/design/plan"
	"linerate/internal/facts"
	"linerate/internal/inspect/check"
	"linerate/internal/lab"
	"linerate/internal/record/runfolder"
)

// factsOrder is what the verb facts is asked for.
type factsOrder struct {
	file, captures             string
	hosts                      []hostWord // in place of a file's
	local, raw, asJSON, dryRun bool
	load                       bool // PCI Express is read again under load
	keepSerials                bool
	output, agentFile, lab     string
	script                     string // the system that a script is wanted for
	timeout                    time.Duration
}

func (e *env) factsCommand() *cobra.Command {
	var o factsOrder
	c := &cobra.Command{
		Use:   "facts [FABRIC.yaml|HOST..]",
		Short: "What machines say of themselves: cards, links, slots, what each port's path is worth",
		Long: `Looks at this machine (--local), at each HOST (what measure takes: nas, root@nas, "netns a"), at every host of the file that has a reach,
all at once, or at what was kept of them (--captures). It changes nothing, needs neither root nor a program that is not there, and says of
what it could not read why.

Prints what a person asks first: every card with its way to the processor, what each port is worth and which place holds it back. -o keeps
what was read as text, a file a host, for linerate check --captures; --json has everything, parsed.

A machine that linerate cannot reach is asked by hand: --script windows prints the script for it, --script eos (onyx, cumulus, sonic,
routeros) the commands for a switch. What they print goes into a file of the folder DIR/MACHINE: facts and check --captures DIR read it.

Exit code 4: a host could not be asked.`,
		Example: `  linerate facts --local                        this machine; no file is needed
  linerate facts --local --raw                  what was read, as one text
  linerate facts nas root@desk                  two machines, over ssh
  linerate facts home.yaml -o captures          every host of the file that has a reach
  linerate facts --captures captures            what was kept of them, or pasted by hand
  linerate facts home.yaml --lab a1b2 --json    the hosts of a lab that is up, parsed
  linerate facts --script windows               a script for a machine that linerate does not reach`,
		Args: cobra.ArbitraryArgs,
		RunE: func(c *cobra.Command, args []string) error {
			e.factsWords(&o, args)
			if err := e.factsWrong(o); err != nil {
				return err
			}
			switch {
			case o.script != "":
				return e.scriptFacts(o.script)
			case o.dryRun:
				return e.dryFacts(o)
			case o.local:
				return e.localFacts(c.Context(), o)
			case o.captures != "":
				return e.keptFacts(o)
			}
			return e.fabricFacts(c.Context(), o)
		},
	}
	c.Flags().BoolVar(&o.local, "local", false, "this machine alone")
	c.Flags().StringVar(&o.captures, "captures", "", "ask no host; read the captures in this folder, or this NAME.txtar")
	c.Flags().StringVarP(&o.output, "output", "o", "", "keep what was read: a folder for one capture a host; with --local also a file NAME.txtar")
	c.Flags().BoolVar(&o.raw, "raw", false, "with --local: print what was read as it is kept")
	c.Flags().BoolVar(&o.dryRun, "dry-run", false, "ask nobody; show every file, call and command that would be read")
	c.Flags().BoolVar(&o.load, "under-load", false, "of a file's hosts: where PCI Express is slow at rest, read it again under 2 s of TCP between two of them")
	c.Flags().StringVar(&o.script, "script", "", "ask nobody; print what is run by hand on a machine with this system: windows, onyx, cumulus, sonic, eos, routeros")
	c.Flags().BoolVar(&o.asJSON, "json", false, "print the parsed facts as one JSON object")
	c.Flags().StringVar(&o.lab, "lab", "", "ask the hosts of the lab with this id, which is up, in place of the file's own reaches")
	c.Flags().DurationVar(&o.timeout, "timeout", connectTimeout, "cut off a host that is not reached within this time; above 20s, it may also take that much longer to answer")
	c.Flags().BoolVar(&o.keepSerials, "keep-serials", false, "leave serial numbers and secrets in what is kept; else they are masked")
	c.Flags().StringVar(&o.agentFile, "agent", "", "the program to send to hosts, instead of this one")
	return c
}

// factsWrong says what of the command line does not go together.
func (e *env) factsWrong(o factsOrder) error {
	if o.script != "" {
		if o.local || o.file != "" || len(o.hosts) > 0 || o.captures != "" || o.dryRun || o.raw || o.asJSON || o.output != "" || o.lab != "" {
			e.wrong.add(errors.New("--script prints what is run by hand, and nothing else; give it alone"))
		}
		return e.wrong.err()
	}
	named := 0
	for _, given := range []bool{o.local, o.file != "", len(o.hosts) > 0, o.captures != ""} {
		if given {
			named++
		}
	}
	switch {
	case len(e.wrong.list) > 0: // of the words
	case named != 1:
		e.wrong.add(errors.New("name a fabric file, or hosts, or --captures DIR, or --local for this machine; one of them"))
	case o.lab != "" && o.file == "":
		e.wrong.add(errors.New("--lab is of a fabric file's hosts; name the file"))
	case o.load && o.file == "":
		e.wrong.add(errors.New("--under-load sends traffic between two hosts: name a fabric file with both"))
	case o.raw && !o.local:
		e.wrong.add(errors.New("--raw is of --local; -o DIR keeps what a file's hosts say"))
	case o.raw && (o.asJSON || o.output != ""):
		e.wrong.add(errors.New("--raw prints what was read, --json what it means, -o writes it; give one of them"))
	case o.dryRun && (o.captures != "" || o.raw || o.output != ""):
		e.wrong.add(errors.New("--dry-run reads nothing, so there is nothing to keep or to print raw; give it alone, with a file or --local"))
	case o.captures != "" && o.output != "":
		e.wrong.add(errors.New("-o keeps what is read of hosts; --captures asks none"))
	}
	if o.timeout <= 0 {
		e.wrong.add(fmt.Errorf("--timeout %v: write a time above 0, as 20s", o.timeout))
	}
	return e.wrong.err()
}

func (e *env) localFacts(ctx context.Context, o factsOrder) error {
	text, err := facts.Collect(ctx, facts.Full)
	if err != nil {
		return err
	}
	text = masked(text, masker(o.keepSerials))
	if o.raw {
		_, err = e.out.Write(text)
		return err
	}
	f, err := facts.Parse(text)
	if err != nil {
		return err
	}
	if o.output != "" {
		name, err := keepAs(o.output, thisHost(f))
		if err != nil {
			return err
		}
		if err := runfolder.WriteFile(name, func(w io.Writer) error { _, err := w.Write(text); return err }); err != nil {
			return err
		}
		if !o.asJSON {
			fmt.Fprintln(e.out, name)
			return nil
		}
	}
	if o.asJSON {
		return e.object("facts", f)
	}
	w := &check.World{}
	w.Add(thisHost(f), f)
	return e.showMachine(thisHost(f), f, check.Run(w, check.Choice{}), "linerate check --local has the findings with evidence and fix; linerate facts --local --json has all that was read")
}

// keepAs is the file that a capture of this machine is written into: the one of -o if it ends in .txtar or is a capture, else one of
// the machine's name in that folder. A file that is no capture stays as it is.
func keepAs(output, host string) (string, error) {
	name := output
	info, err := os.Stat(output)
	switch {
	case err == nil && info.IsDir():
		name = filepath.Join(output, host+".txtar")
	case err != nil && filepath.Ext(output) != ".txtar":
		if err := os.MkdirAll(output, 0o777); err != nil {
			return "", err
		}
		return filepath.Join(output, host+".txtar"), nil
	}
	there, err := os.Open(name)
	if errors.Is(err, os.ErrNotExist) {
		return name, nil
	}
	if err != nil {
		return "", err
	}
	defer there.Close()
	head := make([]byte, len(captureHead))
	if n, _ := io.ReadFull(there, head); n > 0 && string(head[:n]) != captureHead {
		return "", fail(exitRefused, fmt.Errorf("-o %s: that file is no capture, and is left as it is; name another one", name))
	}
	return name, nil
}

// captureHead is what each capture begins with.
const captureHead = "schema linerate/capture/"

// thisHost is the name of this machine; "local" where it has none.
func thisHost(f *facts.Facts) string {
	if f.Host == "" {
		return "local"
	}
	return f.Host
}

// showMachine prints a machine, with what the checks of all that is known say of it.
func (e *env) showMachine(name string, f *facts.Facts, all check.Result, next string) error {
	catalog, err := e.catalog("")
	if err != nil {
		return err
	}
	found := check.Result{Findings: all.Of(name)}
	m := machine(name, f, catalog, &found)
	m.Next = next
	return e.terminal().Machine(m)
}

// factsHost is a host in the JSON of a fabric's facts.
type factsHost struct {
	Host    string       `json:"host"`
	Capture string       `json:"capture,omitempty"` // the file
	Facts   *facts.Facts `json:"facts"`
	Error   string       `json:"error,omitempty"` // why there are no facts
}

// fabricFacts asks every host that has a reach; one that fails or hangs does not keep the others from being told.
func (e *env) fabricFacts(ctx context.Context, o factsOrder) error {
	p, specs, err := e.factsPlan(o)
	if err != nil {
		return err
	}
	info, err := labOfPlan(o.lab, p)
	if err != nil {
		return err
	}
	if o.lab == "" && !slices.ContainsFunc(p.Hosts, func(h *plan.Host) bool { return h.Reach != "" }) && !slices.ContainsFunc(p.Switches, func(w *plan.Switch) bool { return w.Reach != "" }) {
		return fail(exitInput, fmt.Errorf("no host of %s has a reach; write reach: ssh root@{host} in the file, or --lab ID for a lab that is up", clean(p.Name)))
	}
	if o.output != "" {
		if err := os.MkdirAll(o.output, 0o777); err != nil {
			return err
		}
	}
	answers, err := e.askPlan(ctx, p, asking{folder: o.output, agentFile: o.agentFile, lab: o.lab, scale: info.Scale, connect: o.timeout, mask: masker(o.keepSerials), load: o.load, specs: specs})
	if err != nil {
		return err
	}
	w := &check.World{}
	if o.file != "" {
		w.Plan = p // of hosts alone nothing is planned
	}
	for _, a := range answers {
		if a.facts != nil {
			w.Add(a.host, a.facts)
		}
	}
	found := check.Result{}
	if !o.asJSON && o.output == "" {
		found = check.Run(w, check.Choice{})
	}
	failed, all := 0, []factsHost{}
	for i, a := range answers {
		got := factsHost{Host: a.host, Capture: a.capture, Facts: a.facts}
		if a.err != nil {
			got.Error = clean(a.err.Error())
			if !a.noReach {
				failed++
				fmt.Fprintf(e.err, "%s: %s\n", a.host, got.Error)
			} else {
				fmt.Fprintf(e.err, "%s: not asked: %s\n", a.host, got.Error)
			}
		}
		all = append(all, got)
		switch {
		case o.asJSON:
		case o.output != "":
			e.keptOne(a)
		case a.facts != nil:
			if i > 0 {
				fmt.Fprintln(e.out)
			}
			if err := e.showMachine(a.host, a.facts, found, ""); err != nil {
				return err
			}
		}
	}
	if o.asJSON {
		if err := e.object("facts", map[string]any{"hosts": all}); err != nil {
			return err
		}
	}
	if failed > 0 {
		return fail(exitIncomplete, nil)
	}
	return nil
}

// keptOne names the file of a host's capture, and beside it in a few lines what it says.
func (e *env) keptOne(a asked) {
	if a.capture != "" {
		fmt.Fprintln(e.out, a.capture)
	}
	if a.facts != nil {
		for _, line := range factsLines(a.facts) {
			fmt.Fprintf(e.err, "  %s\n", line)
		}
	}
}

// keptFacts shows what was kept of machines, the newest of each.
func (e *env) keptFacts(o factsOrder) error {
	w := &check.World{}
	silent, notes, err := keptWorld(w, o.captures)
	if err != nil {
		return err
	}
	all, found := []factsHost{}, check.Result{}
	if !o.asJSON {
		found = check.Run(w, check.Choice{})
	}
	for i, h := range w.Hosts {
		all = append(all, factsHost{Host: h.Name, Facts: h.Facts})
		if o.asJSON {
			continue
		}
		if i > 0 {
			fmt.Fprintln(e.out)
		}
		if err := e.showMachine(h.Name, h.Facts, found, ""); err != nil {
			return err
		}
	}
	for _, u := range slices.Concat(silent, notes) {
		fmt.Fprintf(e.err, "%s: %s\n", clean(u.Subject), clean(u.Reason))
	}
	if o.asJSON {
		if err := e.object("facts", map[string]any{"hosts": all}); err != nil {
			return err
		}
	}
	if len(silent) > 0 {
		return fail(exitIncomplete, nil)
	}
	return nil
}

// labOfPlan finds a lab, and refuses one that is not there, or that is of another fabric; an empty id is none.
func labOfPlan(id string, p *plan.Plan) (lab.Info, error) {
	if id == "" {
		return lab.Info{}, nil
	}
	info, err := lab.Find(id)
	if err != nil {
		return info, fail(exitInput, err)
	}
	if info.Fabric != p.Name {
		return info, fail(exitInput, fmt.Errorf("--lab %s: that lab is of the fabric %s, the file is %s", info.ID, clean(info.Fabric), clean(p.Name)))
	}
	return info, nil
}

// reachOf is the host's reach in the file, or that of its double in a lab.
func reachOf(h *plan.Host, labID string) string {
	if labID != "" {
		return "lab " + labID + "/" + h.Name
	}
	return h.Reach
}
