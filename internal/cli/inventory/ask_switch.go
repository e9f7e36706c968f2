package inventory

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"linerate/internal/cli"
	"linerate/internal/design/plan"
	"linerate/internal/device/families"
	"linerate/internal/facts/snapshot"
	"linerate/internal/host/connect"
)

const (
	showTimeout   = 5 * time.Second  // for one command of a switch
	switchTimeout = 60 * time.Second // for all of them: each has its own connection
	maxSilent     = 2                // consecutive commands without an answer that end the query
)

// askSwitch queries a switch without an agent: each of its system's commands over ssh. They are constants; nothing of
// the file or of an answer becomes part of one. The answer of a failed command is unknown, with the reason.
func askSwitch(ctx context.Context, e *cli.Env, a *Answer, s *plan.Switch, spec connect.Spec, o Options) error {
	commands := families.Commands(s.System())
	if commands == nil {
		return cli.Advise(fmt.Errorf("no commands are known for its system (%s)", systemWord(s.System())),
			"write os: onyx, cumulus, sonic, eos or routeros in the file")
	}
	o.Read = switchTimeout
	text, err := Limited(ctx, o, func(ctx context.Context, reached func()) ([]byte, error) {
		r, err := connect.Open(ctx, spec)
		if err != nil {
			return nil, err
		}
		defer r.Close()
		reached()
		outputs, err := askShows(ctx, r, commands)
		if err != nil {
			return nil, err
		}
		return snapshot.FromOutputs(a.Host, s.System(), time.Now().UTC(), outputs), nil
	})
	if err != nil {
		return err
	}
	return a.Take(text, o)
}

// SwitchCounters reads the counters of a switch with a connection, for a run: a snapshot.
func SwitchCounters(p *plan.Plan) func(ctx context.Context, name string) ([]byte, error) {
	return func(ctx context.Context, name string) ([]byte, error) {
		s := p.Switch(name)
		if s == nil {
			return nil, fmt.Errorf("the fabric has no switch %s", name)
		}
		commands := families.CounterCommands(s.System())
		if commands == nil {
			return nil, cli.Advise(fmt.Errorf("no commands are known for its system (%s)", systemWord(s.System())),
				"write os: onyx, cumulus, sonic, eos or routeros in the file")
		}
		spec, err := connect.ParseFile(s.Connection)
		if err != nil {
			return nil, err
		}
		r, err := connect.Open(ctx, spec)
		if err != nil {
			return nil, err
		}
		defer r.Close()
		outputs, err := askShows(ctx, r, commands)
		if err != nil {
			return nil, err
		}
		return snapshot.FromOutputs(name, s.System(), time.Now().UTC(), outputs), nil
	}
}

func systemWord(s string) string {
	if s == "" {
		return "it is not in the file"
	}
	return cli.Clean(s)
}

// askShows runs the commands one after another. The error is a connection that failed at the first one, or ctx.
func askShows(ctx context.Context, r connect.Connection, commands []string) ([]snapshot.Output, error) {
	var out []snapshot.Output
	silent := 0
	for i, command := range commands {
		if silent == maxSilent {
			out = append(out, snapshot.Output{Command: command,
				Why: fmt.Sprintf("it was not asked: %d commands before it had no answer within %v", maxSilent, showTimeout)})
			continue
		}
		got, err := askShow(ctx, r, command)
		switch {
		case ctx.Err() != nil:
			return nil, context.Cause(ctx)
		case errors.Is(err, errShow):
			silent++
			out = append(out, snapshot.Output{Command: command, Why: err.Error()})
			continue
		case err != nil && i == 0 && !errors.Is(err, connect.ErrNoProgram):
			return nil, err
		case err != nil:
			out = append(out, snapshot.Output{Command: command, Why: cli.Clean(err.Error())})
			continue
		}
		silent = 0
		out = append(out, snapshot.Output{Command: command, Text: got.Stdout, Why: refused(got)})
	}
	return out, nil
}

var errShow = fmt.Errorf("no answer within %v, so it was cut off", showTimeout)

func askShow(ctx context.Context, r connect.Connection, command string) (connect.Output, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, showTimeout, errShow)
	defer cancel()
	got, err := connect.Run(ctx, r, nil, strings.Fields(command)...)
	if err != nil && errors.Is(context.Cause(ctx), errShow) {
		return got, errShow
	}
	return got, err
}

// refused is why a command that ended has no answer; empty: it has one. Most switches end with 0 in any case, and their
// message about an unknown command is parsed like every other answer.
func refused(o connect.Output) string {
	if o.Exit == 0 || strings.TrimSpace(string(o.Stdout)) != "" {
		return ""
	}
	words := strings.Join(strings.Fields(cli.Clean(string(o.Stderr))), " ")
	if len(words) > 200 {
		words = words[:200] + ".."
	}
	return strings.TrimSuffix(fmt.Sprintf("exit code %d: %s", o.Exit, words), ": ")
}
