package exam

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"linerate/internal/base/method"
	"linerate/internal/cli"
	"linerate/internal/design/plan"
	"linerate/internal/host/connect"
	"linerate/internal/lab"
	"linerate/internal/lab/exam"
	"linerate/internal/lab/fault"
	"linerate/internal/run"
	"linerate/internal/run/experiment"
)

// faultsFile, in a lab's folder, has the steps that undo its injected faults.
const faultsFile = "faults.json"

// jumboMTU is the MTU of links in scenario jumbo.
const jumboMTU = 9000

// faultCombination is the experiment of a fabric whose path gets a fault.
func faultCombination(e *cli.Env, file, variant, only string) (*plan.Plan, *experiment.Combination, error) {
	p, err := e.LoadWith(file, variant, "")
	if err != nil {
		return nil, nil, err
	}
	combination, err := streamCombination(p, only)
	if err != nil {
		return nil, nil, cli.Fail(cli.ExitInput, fmt.Errorf("%s: %w", file, err))
	}
	return p, combination, nil
}

// settingWords formats settings as in a file: "size: 512, pace: 80M".
func settingWords(settings map[string]string) string {
	var out []string
	for _, k := range slices.Sorted(maps.Keys(settings)) {
		out = append(out, k+": "+settings[k])
	}
	return strings.Join(out, ", ")
}

// streamCombination is the first experiment with one flow, or the named one.
func streamCombination(p *plan.Plan, only string) (*experiment.Combination, error) {
	var names []string
	if only != "" {
		names = []string{only}
	}
	combinations, err := run.Combinations(p, experiment.Options{Only: names, Sources: true})
	if err != nil {
		return nil, err
	}
	for _, c := range combinations {
		if c.Record.NotRun == "" && method.Named(c.Record.Method).Bulk && len(c.Path.Links) > 0 {
			return c, nil
		}
	}
	return nil, errors.New("it has no experiment of the method throughput between two hosts, whose path could be broken")
}

// faultPlace is the path in a running lab, with a function that runs commands in its hosts.
func faultPlace(ctx context.Context, e *cli.Env, p *plan.Plan, path plan.Path, info lab.Info) (*fault.Place, error) {
	place, err := exam.Place(p, path, info.Scale)
	if err != nil {
		return nil, cli.Fail(cli.ExitInput, err)
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

// shell runs a sh script in a host or switch of a lab and returns its output.
func shell(ctx context.Context, id, host, script string) (string, error) {
	r, err := connect.Open(ctx, connect.Spec{Kind: connect.Lab, Lab: id, Name: host})
	if err != nil {
		return "", err
	}
	defer r.Close()
	var out, wrong bytes.Buffer
	p, err := r.Start(ctx,
		connect.Command{Argv: []string{"sh", "-c", script}, Stdin: strings.NewReader(""), Stdout: &out, Stderr: &wrong})
	if err != nil {
		return "", err
	}
	code, err := p.Wait()
	if err == nil && code != 0 {
		err = fmt.Errorf("it ended with %d: %s", code, cli.Clean(strings.TrimSpace(wrong.String())))
	}
	return out.String(), err
}

// ListFaults prints the faults that can be injected.
func ListFaults(e *cli.Env, asJSON bool) error {
	all := fault.All()
	if asJSON {
		var out []faultJSON
		for _, f := range all {
			out = append(out, faultJSON{f.ID, f.Title, f.Cause, f.Kind, f.Scenario, f.Transport, f.Needs, f.Parameters})
		}
		return e.PrintObject("faults", faultsJSON{out})
	}
	for _, f := range all {
		fmt.Fprintf(e.Out, "%-22s %s\n", f.ID, f.Title)
		scenario := string(f.Scenario)
		if f.Transport != "" {
			scenario += ", " + f.Transport
		}
		line := fmt.Sprintf("%s, %s scenario; a verdict should say %s", f.Kind, scenario, f.Cause)
		for _, p := range f.Parameters {
			line += fmt.Sprintf("; %s %s to %s", p.Name, p.Text(p.Low), p.Text(p.High))
		}
		if len(f.Needs) > 0 {
			line += "; needs " + strings.Join(f.Needs, " and ")
		}
		fmt.Fprintf(e.Out, "%-22s %s\n", "", line)
	}
	return nil
}

// keepUndo records the undo steps of faults in a lab's folder, before the recorded ones.
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

// noted reads the undo steps of a lab's injected faults.
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
		return "", nil, cli.Advise(fmt.Errorf("%s: %w", file, err),
			"take the lab down and build it again")
	}
	return file, steps, nil
}

// UndoFaults undoes the injected faults of a lab.
func UndoFaults(ctx context.Context, e *cli.Env, id string) error {
	info, err := lab.Find(id)
	if err != nil {
		return cli.Fail(cli.ExitInput, err)
	}
	file, steps, err := noted(info.ID)
	if err != nil {
		return err
	}
	if len(steps) == 0 {
		fmt.Fprintf(e.Out, "lab %s: no fault was made in it\n", info.ID)
		return nil
	}
	place := fault.Place{Undo: steps,
		Exec: func(host, script string) (string, error) { return shell(ctx, info.ID, host, script) }}
	for _, s := range steps {
		fmt.Fprintf(e.Out, "%s: %s\n", s.Host, cli.Clean(s.Script))
	}
	return errors.Join(append(place.Back(), os.Remove(file))...)
}

// faultsJSON is the JSON of lab fault --list.
type faultsJSON struct {
	Faults []faultJSON `json:"faults"`
}

type faultJSON struct {
	ID         string            `json:"id"`
	Title      string            `json:"title"`
	Cause      string            `json:"cause"`
	Kind       fault.Kind        `json:"kind"`
	Scenario   fault.Scenario    `json:"scenario"`
	Transport  string            `json:"transport,omitempty"`
	Needs      []string          `json:"needs,omitempty"`
	Parameters []fault.Parameter `json:"parameters,omitempty"`
}

// madeJSON is the JSON of lab fault for an injected fault.
type madeJSON struct {
	Fault  string       `json:"fault"`
	Cause  string       `json:"cause"`
	Values fault.Values `json:"values"`
	Done   []fault.Step `json:"done"`
	Undo   []fault.Step `json:"undo"` // in the order of execution
}

// FaultType is the type of the JSON of linerate lab fault.
func FaultType() reflect.Type {
	return reflect.TypeFor[madeJSON]()
}

// FaultsType is the type of the JSON of linerate lab fault --list.
func FaultsType() reflect.Type {
	return reflect.TypeFor[faultsJSON]()
}
