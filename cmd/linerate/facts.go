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
	"linerate/plan"
	"linerate/reach"
	"linerate/result"
)

func (e *env) factsCommand() *cobra.Command {
	var local, asJSON bool
	var folder, agentFile string
	c := &cobra.Command{
		Use:   "facts [FABRIC.yaml]",
		Short: "What the hosts of a fabric say about themselves; or this machine alone",
		Example: `  linerate facts --local                  this machine, as one text
  linerate facts --local --json           parsed
  linerate facts home.yaml -o captures    every host of the file that has a reach`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			if local == (len(args) == 1) {
				return fail(exitInput, errors.New("name a fabric file, or --local for this machine"))
			}
			if local {
				return e.localFacts(c.Context(), asJSON)
			}
			if folder == "" {
				return fail(exitInput, errors.New("-o DIR: the folder that the captures go to"))
			}
			return e.fabricFacts(c.Context(), args[0], folder, agentFile)
		},
	}
	c.Flags().BoolVar(&local, "local", false, "this machine alone, to standard output")
	c.Flags().StringVarP(&folder, "output", "o", "", "folder for one capture a host")
	c.Flags().StringVar(&agentFile, "agent", "", "the program to send to hosts, instead of this one")
	c.Flags().BoolVar(&asJSON, "json", false, "with --local: print the parsed facts as one JSON object")
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

// fabricFacts asks every host that has a reach, one after another; one that
// fails does not keep the others from being asked.
func (e *env) fabricFacts(ctx context.Context, file, folder, agentFile string) error {
	p, err := e.load(file, "")
	if err != nil {
		return err
	}
	if err := os.MkdirAll(folder, 0o777); err != nil {
		return err
	}
	failed := 0
	for _, h := range p.Hosts {
		if h.Reach == "" {
			fmt.Fprintf(e.err, "%s: not asked: it has no reach in the file\n", h.Name)
			continue
		}
		text, err := e.hostFacts(ctx, h, agentFile)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err == nil {
			name := filepath.Join(folder, h.Name+".txtar")
			if err = result.WriteFile(name, func(w io.Writer) error { _, err := w.Write(text); return err }); err == nil {
				fmt.Fprintln(e.out, name)
			}
		}
		if err != nil {
			failed++
			fmt.Fprintf(e.err, "%s: %s\n", h.Name, clean(err.Error()))
		}
	}
	if failed > 0 {
		return fail(exitIncomplete, nil)
	}
	return nil
}

func (e *env) hostFacts(ctx context.Context, h *plan.Host, agentFile string) ([]byte, error) {
	spec, err := reach.ParseFile(h.Reach)
	if err != nil {
		return nil, err
	}
	if spec, err = e.withSecret(h.Name, spec); err != nil {
		return nil, err
	}
	client, err := agent.Open(ctx, spec, agent.OpenOptions{Host: h.Name, Version: version(), AgentFile: agentFile})
	if err != nil {
		return nil, err
	}
	defer client.Close()
	return client.Facts(ctx, string(facts.Full))
}
