package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"linerate/internal/agent"
	"linerate/internal/base/failure"
	"linerate/internal/cli"
	"linerate/internal/host/collect"
)

// agentCommand is the remote end. A controller starts it over a connection and uses its standard input and output; with
// --listen it is started by hand.
func agentCommand(e *cli.Env) *cobra.Command {
	var unlink bool
	var listen string
	var allow []string
	c := &cobra.Command{
		Use:   "agent",
		Short: "Serve measurements on a host; linerate starts it, and it ends with its standard input",
		Long: `The far end of a measurement. linerate starts it on a host over a connection and talks
to it over its standard input and output, with which it ends.

With --listen it is started by hand on a host without ssh. It prints
tcp://ADDRESS:PORT#SECRET for the controller's --to or --from. It serves that one
controller over TLS 1.3, and ends with it.`,
		Example: `  linerate agent --listen 192.168.1.5:7411                                 on the far host
  linerate measure throughput 'tcp://192.168.1.5:7411#SECRET'                  here`,
		Args: cli.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			opt := agent.Options{Version: agent.Version(), Log: e.Err, UnlinkSelf: unlink, Allow: allow,
				Substitutes: e.Getenv(collect.SourcesVariable)}
			if listen != "" {
				return listenForController(c.Context(), e, listen, allow, opt)
			}
			if len(allow) > 0 {
				return cli.Fail(cli.ExitInput, errors.New("--allow: it is for --listen"))
			}
			return agent.Serve(c.Context(), e.In, e.Out, opt)
		},
	}
	c.Flags().BoolVar(&unlink, "unlink-self", false,
		"remove the program file once it runs (it was sent for this run only)")
	c.Flags().StringVar(&listen, "listen", "",
		"wait at ADDRESS:PORT for one controller that knows the secret; port 0: any")
	c.Flags().StringSliceVar(&allow, "allow", nil,
		"with --listen: what else than measuring the controller may do: "+strings.Join(agent.Guarded(), ", "))
	return c
}

func listenForController(ctx context.Context, e *cli.Env, address string, allow []string, opt agent.Options) error {
	for _, name := range allow {
		if !slices.Contains(agent.Guarded(), name) {
			return cli.Fail(cli.ExitInput, fmt.Errorf("--allow %s: it is none of %s", name, strings.Join(agent.Guarded(), ", ")))
		}
	}
	l, err := agent.Listen(address)
	var bad *failure.Error
	if errors.As(err, &bad) && bad.Code == failure.CodeInput {
		return cli.Fail(cli.ExitInput, err)
	}
	if err != nil {
		return err
	}
	fmt.Fprintln(e.Out, l.URL())
	return l.Serve(ctx, opt)
}
