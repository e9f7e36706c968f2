package inspect

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"time"

	"linerate/internal/base/diag"
	"linerate/internal/cli"
	"linerate/internal/cli/inventory"
	"linerate/internal/cli/machine"
	"linerate/internal/design/fabric"
	"linerate/internal/design/plan"
	"linerate/internal/device/families"
	"linerate/internal/facts"
	"linerate/internal/facts/read"
	"linerate/internal/facts/snapshot"
	"linerate/internal/host/collect"
	"linerate/internal/host/connect"
	"linerate/internal/inspect/check"
	"linerate/internal/inspect/check/checks"
	"linerate/internal/record/runfolder"
	"linerate/internal/report"
)

// FactsOptions are the options of the command facts.
type FactsOptions struct {
	file, Snapshots            string
	hosts                      []inventory.Named // instead of a file's
	Local, Raw, AsJSON, DryRun bool
	Load                       bool // read PCI Express again under load
	KeepSerials                bool
	Output, AgentFile, Lab     string
	Script                     string // the system whose script is printed
	Timeout                    time.Duration
}

// FactsWrong refuses flags and arguments that exclude each other.
func FactsWrong(e *cli.Env, o FactsOptions) error {
	if o.Script != "" {
		if o.Local || o.file != "" || len(o.hosts) > 0 || o.Snapshots != "" || o.DryRun || o.Raw || o.AsJSON ||
			o.Output != "" || o.Lab != "" {
			e.Errors.Add(cli.Advise(errors.New("--script prints what is run by hand, and nothing else"),
				"give it alone"))
		}
		return e.Errors.Err()
	}
	named := 0
	for _, given := range []bool{o.Local, o.file != "", len(o.hosts) > 0, o.Snapshots != ""} {
		if given {
			named++
		}
	}
	switch {
	case len(e.Errors.List) > 0: // of the arguments
	case named > 1:
		e.Errors.Add(&cli.Advice{ID: diag.FlagsConflict,
			Text: "a fabric file, hosts, --snapshots and --local exclude each other",
			Help: []string{"write one of them"}})
	case named != 1:
		e.Errors.Add(&cli.Advice{ID: diag.ArgumentMissing, Text: "missing FABRIC.yaml, HOST, --snapshots DIR or --local",
			Help: []string{"linerate facts --local prints this machine", "linerate facts HOST prints another, over ssh"}})
	case o.Lab != "" && o.file == "":
		e.Errors.Add(cli.Advise(errors.New("--in-lab is of a fabric file's hosts"),
			"name the file"))
	case o.Load && o.file == "":
		e.Errors.Add(errors.New("--under-load sends traffic between two hosts: name a fabric file with both"))
	case o.Raw && !o.Local:
		e.Errors.Add(cli.Advise(errors.New("--raw is of --local")).Note("-o DIR keeps what a file's hosts say"))
	case o.Raw && (o.AsJSON || o.Output != ""):
		e.Errors.Add(cli.Advise(errors.New("--raw prints what was read, --json what it means, -o writes it"),
			"give one of them"))
	case o.DryRun && (o.Snapshots != "" || o.Raw || o.Output != ""):
		e.Errors.Add(cli.Advise(errors.New("--dry-run reads nothing, so there is nothing to keep or to print raw"),
			"give it alone, with a file or --local"))
	case o.Snapshots != "" && o.Output != "":
		e.Errors.Add(cli.Advise(errors.New("-o keeps what is read of hosts")).Note("--snapshots asks none"))
	}
	if o.Timeout <= 0 {
		e.Errors.Add(fmt.Errorf("--timeout %v: write a time above 0, as 20s", o.Timeout))
	}
	return e.Errors.Err()
}

// LocalFacts prints or saves the facts of this host.
func LocalFacts(ctx context.Context, e *cli.Env, o FactsOptions) error {
	text, err := collect.Collect(ctx, facts.Full, e.Getenv(collect.SourcesVariable))
	if err != nil {
		return err
	}
	text = inventory.Masked(text, inventory.NewMasker(o.KeepSerials))
	if o.Raw {
		_, err = e.Out.Write(text)
		return err
	}
	f, err := read.Parse(text)
	if err != nil {
		return err
	}
	if o.Output != "" {
		name, err := keepAs(o.Output, inventory.ThisHost(f))
		if err != nil {
			return err
		}
		if err := runfolder.WriteFile(name, func(w io.Writer) error { _, err := w.Write(text); return err }); err != nil {
			return err
		}
		if !o.AsJSON {
			fmt.Fprintln(e.Out, name)
			return nil
		}
	}
	if o.AsJSON {
		return e.PrintObject("facts", f)
	}
	w := &check.World{}
	w.Add(inventory.ThisHost(f), f)
	return showMachine(e, inventory.ThisHost(f), f, check.Run(checks.All(), w, check.Choice{}),
		"linerate check --local has the findings with evidence and fix; linerate facts --local --json has all that was read")
}

// keepAs is the file for a snapshot of this machine: that of -o if it ends in .txtar or is a snapshot, else one in that
// folder with the machine's name. A file that is not a snapshot is never overwritten.
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
	head := make([]byte, 64)
	if n, _ := io.ReadFull(there, head); n > 0 && !snapshot.IsSnapshot(string(head[:n])) {
		return "", cli.Fail(cli.ExitRefused,
			cli.Advise(fmt.Errorf("-o %s: that file is not a snapshot, and is left as it is", name),
				"name another one"))
	}
	return name, nil
}

// showMachine prints a machine, with the findings of all checks about it.
func showMachine(e *cli.Env, name string, f *facts.Facts, all check.Result, next string) error {
	catalog, err := e.Catalog("")
	if err != nil {
		return err
	}
	found := check.Result{Findings: all.Of(name)}
	m := machine.View(name, f, catalog, &found)
	m.Next = next
	return report.PrintMachine(e.Terminal(), m)
}

// factsHost is a host in the JSON of a fabric's facts.
type factsHost struct {
	Host     string       `json:"host"`
	Snapshot string       `json:"snapshot,omitempty"` // the file
	Facts    *facts.Facts `json:"facts"`
	Error    string       `json:"error,omitempty"` // why there are no facts
}

// FabricFacts queries every host that has a connection. One that fails or hangs does not keep the others from being
// reported.
func FabricFacts(ctx context.Context, e *cli.Env, o FactsOptions) error {
	p, specs, err := factsPlan(e, o)
	if err != nil {
		return err
	}
	info, err := inventory.LabOf(o.Lab, p)
	if err != nil {
		return err
	}
	if o.Lab == "" && !slices.ContainsFunc(p.Hosts, func(h *plan.Host) bool { return h.Connection != "" }) &&
		!slices.ContainsFunc(p.Switches, func(w *plan.Switch) bool { return w.Connection != "" }) {
		return cli.Fail(cli.ExitInput,
			cli.Advise(fmt.Errorf("no host of %s has a connection", cli.Clean(p.Name)),
				"write connect: ssh root@{host} in the file, or --in-lab ID for a lab that is up"))
	}
	if o.Output != "" {
		if err := os.MkdirAll(o.Output, 0o777); err != nil {
			return err
		}
	}
	answers, err := inventory.Ask(ctx, e, p,
		inventory.Options{Folder: o.Output, AgentFile: o.AgentFile, Lab: o.Lab, Scale: info.Scale,
			Connect: o.Timeout, Mask: inventory.NewMasker(o.KeepSerials), Load: o.Load, Specs: specs})
	if err != nil {
		return err
	}
	w := &check.World{}
	if o.file != "" {
		w.Plan = p // there is no plan for hosts alone
	}
	for _, a := range answers {
		if a.Facts != nil {
			w.Add(a.Host, a.Facts)
		}
	}
	found := check.Result{}
	if !o.AsJSON && o.Output == "" {
		found = check.Run(checks.All(), w, check.Choice{})
	}
	failed, all := 0, []factsHost{}
	for i, a := range answers {
		got := factsHost{Host: a.Host, Snapshot: a.Snapshot, Facts: a.Facts}
		if a.Err != nil {
			got.Error = cli.Clean(a.Err.Error())
			if !a.NoConnection {
				failed++
				fmt.Fprintf(e.Err, "%s: %s\n", a.Host, got.Error)
			} else {
				fmt.Fprintf(e.Err, "%s: not asked: %s\n", a.Host, got.Error)
			}
		}
		all = append(all, got)
		switch {
		case o.AsJSON:
		case o.Output != "":
			keptOne(e, a)
		case a.Facts != nil:
			if i > 0 {
				fmt.Fprintln(e.Out)
			}
			if err := showMachine(e, a.Host, a.Facts, found, ""); err != nil {
				return err
			}
		}
	}
	if o.AsJSON {
		if err := e.PrintObject("facts", map[string]any{"hosts": all}); err != nil {
			return err
		}
	}
	if failed > 0 {
		return cli.Fail(cli.ExitIncomplete, nil)
	}
	return nil
}

// keptOne prints the file of a host's snapshot, with a short summary.
func keptOne(e *cli.Env, a inventory.Answer) {
	if a.Snapshot != "" {
		fmt.Fprintln(e.Out, a.Snapshot)
	}
	if a.Facts != nil {
		for _, line := range machine.Lines(a.Facts) {
			fmt.Fprintf(e.Err, "  %s\n", line)
		}
	}
}

// KeptFacts prints saved snapshots, the newest of each machine.
func KeptFacts(e *cli.Env, o FactsOptions) error {
	w := &check.World{}
	silent, notes, err := inventory.ReadKept(w, o.Snapshots)
	if err != nil {
		return err
	}
	all, found := []factsHost{}, check.Result{}
	if !o.AsJSON {
		found = check.Run(checks.All(), w, check.Choice{})
	}
	for i, h := range w.Hosts {
		all = append(all, factsHost{Host: h.Name, Facts: h.Facts})
		if o.AsJSON {
			continue
		}
		if i > 0 {
			fmt.Fprintln(e.Out)
		}
		if err := showMachine(e, h.Name, h.Facts, found, ""); err != nil {
			return err
		}
	}
	for _, u := range slices.Concat(silent, notes) {
		fmt.Fprintf(e.Err, "%s: %s\n", cli.Clean(u.Subject), cli.Clean(u.Reason))
	}
	if o.AsJSON {
		if err := e.PrintObject("facts", map[string]any{"hosts": all}); err != nil {
			return err
		}
	}
	if len(silent) > 0 {
		return cli.Fail(cli.ExitIncomplete, nil)
	}
	return nil
}

// FactsType is the type of the JSON of linerate facts.
func FactsType() reflect.Type {
	return reflect.TypeFor[struct {
		*facts.Facts
		Hosts []factsHost `json:"hosts,omitempty"`
	}]()
}

// ScriptFacts prints what to run by hand on a machine that linerate cannot connect: for Windows the script that
// linerate
// runs there, for a switch the commands, each of which precedes its answer in a saved file. It fails for systems on
// which linerate itself must run.
func ScriptFacts(e *cli.Env, system string) error {
	known := families.Of(system)
	if known != nil && known.Traits.Script {
		_, err := io.WriteString(e.Out, collect.WindowsScript())
		return err
	}
	if commands := families.Commands(system); commands != nil {
		_, err := fmt.Fprintln(e.Out, strings.Join(commands, "\n"))
		return err
	}
	if known != nil && known.Traits.ByHand {
		return cli.Fail(cli.ExitInput, cli.Advise(fmt.Errorf("no script reads a %s host", system),
			"copy linerate to the host",
			"run linerate facts --local -o HOST.txtar",
			"copy HOST.txtar back"))
	}
	return cli.Fail(cli.ExitInput, cli.Advise(fmt.Errorf("--script: unknown value %.40q", cli.Clean(system)),
		"write windows, onyx, cumulus, sonic, eos or routeros"))
}

// FactsWords sorts arguments into hosts and a file: a word that ends like a file name, or that is a file.
func FactsWords(e *cli.Env, o *FactsOptions, args []string) {
	var words []string
	for _, word := range args {
		there, err := os.Stat(word)
		switch {
		case !strings.HasSuffix(word, ".yaml") && !strings.HasSuffix(word, ".yml") &&
			(err != nil || !there.Mode().IsRegular()):
			words = append(words, word)
		case o.file != "":
			e.Errors.Add(fmt.Errorf("%s and %s: one file at a time", cli.Clean(o.file), cli.Clean(word)))
		default:
			o.file = word
		}
	}
	hosts, wrong := inventory.Words("facts", words)
	for _, err := range wrong {
		e.Errors.Add(err)
	}
	o.hosts = hosts
}

// factsPlan is what to query: the file's plan, or the named hosts without a plan.
func factsPlan(e *cli.Env, o FactsOptions) (*plan.Plan, map[string]connect.Spec, error) {
	if o.file != "" {
		p, err := e.Load(o.file, "")
		return p, nil, err
	}
	p, specs := &plan.Plan{Name: "the command line", Fabric: &fabric.Fabric{}}, map[string]connect.Spec{}
	for _, h := range o.hosts {
		p.Hosts = append(p.Hosts, &plan.Host{Name: h.Name, Connection: h.Spec.String(), Decl: &fabric.Host{Name: h.Name}})
		specs[h.Name] = h.Spec
	}
	return p, specs, nil
}
