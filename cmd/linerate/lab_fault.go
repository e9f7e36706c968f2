package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"linerate/internal/design/plan"
	"linerate/internal/host/connect"
	"linerate/internal/lab"
	"linerate/internal/lab/exam"
	"linerate/internal/lab/fault"
	"linerate/internal/run"
)

// faultsFile of a lab's folder is how to undo what was made wrong there.
const faultsFile = "faults.json"

// jumboMTU is what links of terrain jumbo have.
const jumboMTU = 9000

func (e *env) labFault() *cobra.Command {
	var list, undo, asJSON bool
	var id, only, variant string
	var delay time.Duration
	var set map[string]string
	var seed uint64
	c := &cobra.Command{
		Use: "fault [FABRIC.yaml FAULT]", Short: "Make one thing wrong in a lab on purpose", Args: cobra.MaximumNArgs(2),
		Long: `Makes one thing wrong in a lab that is up, on the path of an experiment of the file,
and says what was done and what takes it back. Parameters that are not given are drawn.`,
		Example: `  linerate lab fault --list
  linerate lab fault examples/exam.yaml receive-buffer --set limit=32768 --delay 5ms
  linerate lab fault --undo`,
		RunE: func(c *cobra.Command, args []string) error {
			switch {
			case list:
				return e.listFaults(asJSON)
			case undo:
				return e.undoFaults(c.Context(), id)
			case len(args) < 2:
				return fail(exitInput, errors.New("which fault, and in which fabric? linerate lab fault --list shows the faults; then: linerate lab fault examples/exam.yaml receive-buffer"))
			}
			f := fault.Find(args[1])
			if f == nil {
				return fail(exitInput, fmt.Errorf("no fault %q; linerate lab fault --list shows them", clean(args[1])))
			}
			values := f.Draw(rand.New(rand.NewPCG(seed, 0)))
			var wrong []error
			for name, text := range set {
				v, err := strconv.ParseFloat(text, 64)
				if err != nil {
					wrong = append(wrong, fmt.Errorf("--set %s=%s: write a number in base units, such as 0.5 or 65536", name, text))
				}
				values[name] = v
			}
			if wrong = append(wrong, f.Check(values)...); len(wrong) > 0 {
				return fail(exitInput, errors.Join(wrong...))
			}
			if f.Make == nil {
				return fail(exitInput, fmt.Errorf("fault %s breaks nothing in a lab: it is an experiment of the fabric file with %s, which lab exam --only %[1]s runs", f.ID, settingWords(f.Settings(values))))
			}
			p, cell, err := e.faultCell(args[0], variant, only)
			if err != nil {
				return err
			}
			info, err := lab.Find(id)
			if err != nil {
				return fail(exitInput, err)
			}
			if info.Fabric != p.Name {
				return fail(exitInput, fmt.Errorf("lab %s is of the fabric %s, the file is %s", info.ID, info.Fabric, p.Name))
			}
			path := cell.Path
			place, err := e.faultPlace(c.Context(), p, path, info)
			if err != nil {
				return err
			}
			if delay < 0 || delay > 0 && place.Switch == "" {
				return fail(exitInput, fmt.Errorf("--delay %v: it is put behind the switch of a path, above 0; the path from %s to %s has %s", delay, path.From, path.To, map[bool]string{true: "none", false: "one"}[place.Switch == ""]))
			}
			if f.Terrain == fault.Jumbo && place.MTU < jumboMTU {
				return fail(exitInput, fmt.Errorf("fault %s is of links with an MTU of %d, and the path from %s to %s has %d: linerate lab up %s --variant jumbo, and --variant jumbo here", f.ID, jumboMTU, path.From, path.To, place.MTU, args[0]))
			}
			if place.Source = cell.Exp.Settings["source"]; f.Terrain == fault.File && place.Source == "" {
				return fail(exitInput, fmt.Errorf("fault %s is of an experiment that sends a file, and %s has no source: linerate lab up %s --variant file, and --variant file here", f.ID, cell.Exp.Name, args[0]))
			}
			if lacks := place.Lacks(f); len(lacks) > 0 {
				return fail(exitInput, fmt.Errorf("fault %s needs %s, which the path from %s to %s does not have", f.ID, strings.Join(lacks, " and "), path.From, path.To))
			}
			if f.Terrain.Cards() {
				place.Cards()
			}
			if f.Terrain == fault.File {
				place.Drive()
			}
			if f.Terrain.Guests() {
				place.Steady()
			}
			if delay > 0 {
				place.Wire("--delay", delay.String())
			}
			f.Make(place, values)
			place.Start()
			if place.Err != nil {
				return errors.Join(append([]error{place.Err}, place.Back()...)...)
			}
			if err := keepUndo(info.ID, place.Undo); err != nil {
				return errors.Join(append([]error{err}, place.Back()...)...)
			}
			if asJSON {
				return e.object("fault", madeJSON{f.ID, f.Cause, values, place.Done, place.Undo})
			}
			fmt.Fprintf(e.out, "%s: %s\n", f.ID, f.Title)
			for _, p := range f.Parameters {
				fmt.Fprintf(e.out, "  %s %s\n", p.Name, p.Text(values[p.Name]))
			}
			for _, s := range place.Done {
				fmt.Fprintf(e.out, "%s: %s\n", s.Host, clean(s.Script))
			}
			if f.Terrain == fault.Far && delay == 0 {
				fmt.Fprintln(e.out, "it binds over a distance: with --delay 5ms the ends are that far apart")
			}
			if f.Transport != "" {
				fmt.Fprintf(e.out, "it is told by an experiment over %s, paced below the link's rate\n", strings.ToUpper(f.Transport))
			}
			fmt.Fprintf(e.out, "a verdict should say: %s\nundo:  linerate lab fault --undo --lab %s\n", f.Cause, info.ID)
			return nil
		},
	}
	c.Flags().BoolVar(&list, "list", false, "all faults, with what they break, their parameters and the cause that a verdict should name")
	c.Flags().BoolVar(&undo, "undo", false, "take back what was made wrong in the lab, the last first")
	c.Flags().StringVar(&id, "lab", "", "the lab's id (default: the only one)")
	c.Flags().StringVar(&only, "only", "", "the experiment whose path is broken (default: the first that streams)")
	c.Flags().StringVar(&variant, "variant", "", "of the file, as the lab was built with")
	c.Flags().DurationVar(&delay, "delay", 0, "put the ends so far apart, one way, behind the switch")
	c.Flags().StringToStringVar(&set, "set", nil, "a parameter, as limit=32768; in base units")
	c.Flags().Uint64Var(&seed, "seed", 1, "of parameters that are drawn")
	c.Flags().BoolVar(&asJSON, "json", false, "print one JSON object")
	return c
}

// faultCell is the experiment of a fabric whose path a fault is made on.
func (e *env) faultCell(file, variant, only string) (*plan.Plan, *run.Cell, error) {
	p, err := e.loadWith(file, variant, "")
	if err != nil {
		return nil, nil, err
	}
	cell, err := streamCell(p, only)
	if err != nil {
		return nil, nil, fail(exitInput, fmt.Errorf("%s: %w", file, err))
	}
	return p, cell, nil
}

// settingWords are settings as a file has them: "size: 512, pace: 80M".
func settingWords(settings map[string]string) string {
	var out []string
	for _, k := range slices.Sorted(maps.Keys(settings)) {
		out = append(out, k+": "+settings[k])
	}
	return strings.Join(out, ", ")
}

// streamCell is the first experiment with one flow, or the one that is named.
func streamCell(p *plan.Plan, only string) (*run.Cell, error) {
	var names []string
	if only != "" {
		names = []string{only}
	}
	cells, err := run.Cells(p, run.Options{Only: names, Sources: true})
	if err != nil {
		return nil, err
	}
	for _, c := range cells {
		if c.Exp.NotRun == "" && c.Exp.Method == "stream" && len(c.Path.Links) > 0 {
			return c, nil
		}
	}
	return nil, errors.New("it has no experiment of the method stream between two hosts, whose path could be broken")
}

// faultPlace is the path in a lab that is up, with how to run commands in its hosts.
func (e *env) faultPlace(ctx context.Context, p *plan.Plan, path plan.Path, info lab.Info) (*fault.Place, error) {
	place, err := exam.Place(p, path, info.Scale)
	if err != nil {
		return nil, fail(exitInput, err)
	}
	if place.Program, err = os.Executable(); err != nil {
		return nil, err
	}
	for _, end := range []*fault.End{&place.Sender, &place.Receiver} {
		end.Guest = slices.Contains(info.GuestNames(), end.Host)
	}
	place.Exec = func(host, script string) (string, error) { return shell(ctx, info.ID, host, script) }
	return place, nil
}

// shell runs a script of sh in a host or switch of a lab and gives what it printed.
func shell(ctx context.Context, id, host, script string) (string, error) {
	r, err := connect.Open(ctx, connect.Spec{Kind: connect.Lab, Lab: id, Name: host})
	if err != nil {
		return "", err
	}
	defer r.Close()
	var out, wrong bytes.Buffer
	p, err := r.Start(ctx, connect.Command{Argv: []string{"sh", "-c", script}, Stdin: strings.NewReader(""), Stdout: &out, Stderr: &wrong})
	if err != nil {
		return "", err
	}
	code, err := p.Wait()
	if err == nil && code != 0 {
		err = fmt.Errorf("it ended with %d: %s", code, clean(strings.TrimSpace(wrong.String())))
	}
	return out.String(), err
}

func (e *env) listFaults(asJSON bool) error {
	all := fault.All()
	if asJSON {
		var out []faultJSON
		for _, f := range all {
			out = append(out, faultJSON{f.ID, f.Title, f.Cause, f.Kind, f.Terrain, f.Transport, f.Needs, f.Parameters})
		}
		return e.object("faults", faultsJSON{out})
	}
	for _, f := range all {
		fmt.Fprintf(e.out, "%-22s %s\n", f.ID, f.Title)
		terrain := string(f.Terrain)
		if f.Transport != "" {
			terrain += ", " + f.Transport
		}
		line := fmt.Sprintf("%s, %s terrain; a verdict should say %s", f.Kind, terrain, f.Cause)
		for _, p := range f.Parameters {
			line += fmt.Sprintf("; %s %s to %s", p.Name, p.Text(p.Low), p.Text(p.High))
		}
		if len(f.Needs) > 0 {
			line += "; needs " + strings.Join(f.Needs, " and ")
		}
		fmt.Fprintf(e.out, "%-22s %s\n", "", line)
	}
	return nil
}

// keepUndo notes in a lab's folder how to take faults back, before those that are noted already.
func keepUndo(id string, undo []fault.Step) error {
	file, before, err := noted(id)
	if err != nil {
		return err
	}
	b, err := json.Marshal(append(undo, before...))
	if err != nil {
		return err
	}
	return os.WriteFile(file, b, 0o600)
}

// noted is how to take back what was made wrong in a lab.
func noted(id string) (file string, steps []fault.Step, err error) {
	dir, err := lab.Folder(id)
	if err != nil {
		return "", nil, err
	}
	file = filepath.Join(dir, faultsFile)
	b, err := os.ReadFile(file)
	if errors.Is(err, os.ErrNotExist) {
		return file, nil, nil
	}
	if err != nil {
		return "", nil, err
	}
	if err := json.Unmarshal(b, &steps); err != nil {
		return "", nil, fmt.Errorf("%s: %w; take the lab down and build it anew", file, err)
	}
	return file, steps, nil
}

// undoFaults takes back what was made wrong in a lab.
func (e *env) undoFaults(ctx context.Context, id string) error {
	info, err := lab.Find(id)
	if err != nil {
		return fail(exitInput, err)
	}
	file, steps, err := noted(info.ID)
	if err != nil {
		return err
	}
	if len(steps) == 0 {
		fmt.Fprintf(e.out, "lab %s: no fault was made in it\n", info.ID)
		return nil
	}
	place := fault.Place{Undo: steps, Exec: func(host, script string) (string, error) { return shell(ctx, info.ID, host, script) }}
	for _, s := range steps {
		fmt.Fprintf(e.out, "%s: %s\n", s.Host, clean(s.Script))
	}
	return errors.Join(append(place.Back(), os.Remove(file))...)
}

// faultsJSON is what lab fault --list --json prints.
type faultsJSON struct {
	Faults []faultJSON `json:"faults"`
}

type faultJSON struct {
	ID         string            `json:"id"`
	Title      string            `json:"title"`
	Cause      string            `json:"cause"`
	Kind       fault.Kind        `json:"kind"`
	Terrain    fault.Terrain     `json:"terrain"`
	Transport  string            `json:"transport,omitempty"`
	Needs      []string          `json:"needs,omitempty"`
	Parameters []fault.Parameter `json:"parameters,omitempty"`
}

// madeJSON is what lab fault --json prints of a fault that was made.
type madeJSON struct {
	Fault  string       `json:"fault"`
	Cause  string       `json:"cause"`
	Values fault.Values `json:"values"`
	Done   []fault.Step `json:"done"`
	Undo   []fault.Step `json:"undo"` // in the order in which they are run
}
