package main

import (
	"github.com/spf13/cobra"

	"linerate/agent"
)

// agentCommand is the far end. A controller starts it over a reach and talks to
// it over its standard input and output; it is not typed by hand.
func (e *env) agentCommand() *cobra.Command {
	var unlink bool
	c := &cobra.Command{
		Use:   "agent",
		Short: "The far end: started by linerate on a host, ends with its standard input",
		Args:  cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			return agent.Serve(c.Context(), e.in, e.out, agent.Options{Version: version(), Log: e.err, UnlinkSelf: unlink})
		},
	}
	c.Flags().BoolVar(&unlink, "unlink-self", false, "remove the program file once it runs (it was sent for this run only)")
	return c
}
