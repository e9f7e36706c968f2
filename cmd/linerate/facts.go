package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"linerate/agent"
	"linerate/facts"
	"linerate/lab"
	"linerate/plan"
	"linerate/reach"
	"linerate/result"
)

func (e *env) factsCommand() *cobra.Command {
	var local, asJSON bool
	var folder, agentFile, labID string
	c := &cobra.Command{
		Use:   "facts [FABRIC.yaml]",
		Short: "What the hosts of a fabric say about themselves; or this machine alone",
		Example: `  linerate facts --local                  this machine, as one text
  linerate facts --local --json           parsed
  linerate facts home.yaml -o captures    every host of the file that has a reach
  linerate facts home.yaml --lab a1b2 --json    the hosts of a lab that is up, parsed`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			if local == (len(args) == 1) {
				return fail(exitInput, errors.New("name a fabric file, or --local for this machine"))
			}
			if local {
				if labID != "" {
					return fail(exitInput, errors.New("--lab is of a fabric file's hosts, --local of this machine; give one of them"))
				}
				return e.localFacts(c.Context(), asJSON)
			}
			if folder == "" && !asJSON {
				return fail(exitInput, errors.New("-o DIR: the folder that the captures go to; or --json for the parsed facts"))
			}
			return e.fabricFacts(c.Context(), args[0], factsOrder{folder: folder, agentFile: agentFile, lab: labID, json: asJSON})
		},
	}
	c.Flags().BoolVar(&local, "local", false, "this machine alone, to standard output")
	c.Flags().StringVarP(&folder, "output", "o", "", "folder for one capture a host")
	c.Flags().StringVar(&agentFile, "agent", "", "the program to send to hosts, instead of this one")
	c.Flags().StringVar(&labID, "lab", "", "ask the hosts of the lab with this id, which is up, in place of the file's own reaches")
	c.Flags().BoolVar(&asJSON, "json", false, "print the parsed facts as one JSON object")
	return c
}

func (e *env) localFacts(ctx context.Context, asJSON bool) error {
	text, err := facts.Collect(ctx, facts.Full)
	if err != nil {
		return err
	}
	if !asJSON {
		_, err = e.out.Write(text)
		return err
	}
	f, err := facts.Parse(text)
	if err != nil {
		return err
	}
	return e.object("facts", f)
}

// factsOrder is what fabricFacts is asked for.
type factsOrder struct {
	folder    string // for the captures; empty: none are written
	agentFile string
	lab       string  // id of the lab whose hosts are asked; empty: the file's own reaches
	scale     float64 // that lab's; 0: none
	json      bool
}

// factsHost is a host in the JSON of a fabric's facts.
type factsHost struct {
	Host    string       `json:"host"`
	Capture string       `json:"capture,omitempty"` // the file
	Facts   *facts.Facts `json:"facts"`
	Error   string       `json:"error,omitempty"` // why there are no facts
}

// fabricFacts asks every host that has a reach, one after another; one that
// fails does not keep the others from being asked.
func (e *env) fabricFacts(ctx context.Context, file string, o factsOrder) error {
	p, err := e.load(file, "")
	if err != nil {
		return err
	}
	info, err := labOfPlan(o.lab, p)
	if err != nil {
		return err
	}
	o.scale = info.Scale
	if o.folder != "" {
		if err := os.MkdirAll(o.folder, 0o777); err != nil {
			return err
		}
	}
	failed := 0
	all := []factsHost{}
	for _, h := range p.Hosts {
		to := reachOf(h, o.lab)
		got := factsHost{Host: h.Name}
		if to == "" {
			got.Error = "it has no reach in the file"
			fmt.Fprintf(e.err, "%s: not asked: %s\n", h.Name, got.Error)
			all = append(all, got)
			continue
		}
		err := e.askFacts(ctx, &got, to, o)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			failed++
			got.Error = clean(err.Error())
			fmt.Fprintf(e.err, "%s: %s\n", h.Name, got.Error)
		}
		all = append(all, got)
		if o.json {
			continue
		}
		if got.Capture != "" {
			fmt.Fprintln(e.out, got.Capture)
		}
		if got.Facts != nil {
			for _, line := range factsLines(got.Facts) {
				fmt.Fprintf(e.err, "  %s\n", line)
			}
		}
	}
	if o.json {
		if err := e.object("facts", map[string]any{"hosts": all}); err != nil {
			return err
		}
	}
	if failed > 0 {
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

// askFacts fills in what a host says of itself, and writes its capture. A capture that
// cannot be read is still written.
func (e *env) askFacts(ctx context.Context, got *factsHost, to string, o factsOrder) error {
	text, err := e.hostFacts(ctx, got.Host, to, o.agentFile)
	if err != nil {
		return err
	}
	if o.scale != 0 {
		text = facts.InLab(text, o.scale)
	}
	if o.folder != "" {
		name := filepath.Join(o.folder, got.Host+".txtar")
		if err := result.WriteFile(name, func(w io.Writer) error { _, err := w.Write(text); return err }); err != nil {
			return err
		}
		got.Capture = name
	}
	got.Facts, err = facts.Parse(text)
	return err
}

func (e *env) hostFacts(ctx context.Context, host, to, agentFile string) ([]byte, error) {
	spec, err := reach.ParseFile(to)
	if err != nil {
		return nil, err
	}
	if spec, err = e.withSecret(host, spec); err != nil {
		return nil, err
	}
	client, err := agent.Open(ctx, spec, agent.OpenOptions{Host: host, Version: version(), AgentFile: agentFile})
	if err != nil {
		return nil, err
	}
	defer client.Close()
	return client.Facts(ctx, string(facts.Full))
}
