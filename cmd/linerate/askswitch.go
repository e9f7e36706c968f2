package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"linerate/internal/design/plan"
	"linerate/internal/facts"
	"linerate/internal/host/connect"
)

const (
	showTimeout   = 5 * time.Second  // for one command of a switch
	switchTimeout = 60 * time.Second // for all of them: each is a connection of its own
	mostSilent    = 2                // commands in a row without an answer, after which no more are asked
)

// askSwitch asks a switch, without an agent: each of its system's commands over ssh. They are constants; nothing of the file or of
// an answer goes into one. What a command does not answer is unknown, with the reason.
func (e *env) askSwitch(ctx context.Context, a *asked, s *plan.Switch, spec connect.Spec, o asking) error {
	commands := facts.SwitchCommands(s.System())
	if commands == nil {
		return fmt.Errorf("no commands are known for its system (%s); write os: onyx, cumulus, sonic, eos or routeros in the file", systemWord(s.System()))
	}
	o.read = switchTimeout
	text, err := limited(ctx, o, func(ctx context.Context, reached func()) ([]byte, error) {
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
		return facts.FromOutputs(a.host, s.System(), time.Now().UTC(), outputs), nil
	})
	if err != nil {
		return err
	}
	return a.take(text, o)
}

// switchCounters asks a switch with a reach for its counters, for a run: a capture.
func switchCounters(p *plan.Plan) func(ctx context.Context, name string) ([]byte, error) {
	return func(ctx context.Context, name string) ([]byte, error) {
		s := p.Switch(name)
		if s == nil {
			return nil, fmt.Errorf("the fabric has no switch %s", name)
		}
		commands := facts.SwitchCounterCommands(s.System())
		if commands == nil {
			return nil, fmt.Errorf("no commands are known for its system (%s); write os: onyx, cumulus, sonic, eos or routeros in the file", systemWord(s.System()))
		}
		spec, err := connect.ParseFile(s.Reach)
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
		return facts.FromOutputs(name, s.System(), time.Now().UTC(), outputs), nil
	}
}

func systemWord(s string) string {
	if s == "" {
		return "it is not in the file"
	}
	return clean(s)
}

// askShows asks the commands one after another. The error is a reach that failed at the first one, or ctx.
func askShows(ctx context.Context, r connect.Reach, commands []string) ([]facts.Output, error) {
	var out []facts.Output
	silent := 0
	for i, command := range commands {
		if silent == mostSilent {
			out = append(out, facts.Output{Command: command, Why: fmt.Sprintf("it was not asked: %d commands before it had no answer within %v", mostSilent, showTimeout)})
			continue
		}
		got, err := askShow(ctx, r, command)
		switch {
		case ctx.Err() != nil:
			return nil, context.Cause(ctx)
		case errors.Is(err, errShow):
			silent++
			out = append(out, facts.Output{Command: command, Why: err.Error()})
			continue
		case err != nil && i == 0 && !errors.Is(err, connect.ErrNoProgram):
			return nil, err
		case err != nil:
			out = append(out, facts.Output{Command: command, Why: clean(err.Error())})
			continue
		}
		silent = 0
		out = append(out, facts.Output{Command: command, Text: got.Stdout, Why: refused(got)})
	}
	return out, nil
}

var errShow = fmt.Errorf("no answer within %v; it was cut off", showTimeout)

func askShow(ctx context.Context, r connect.Reach, command string) (connect.Output, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, showTimeout, errShow)
	defer cancel()
	got, err := connect.Run(ctx, r, nil, strings.Fields(command)...)
	if err != nil && errors.Is(context.Cause(ctx), errShow) {
		return got, errShow
	}
	return got, err
}

// refused is why a command that ended has no answer; empty: it has one. Most switches end with 0 whatever they say, and what they
// say of a command that they do not know is read as every other answer.
func refused(o connect.Output) string {
	if o.Exit == 0 || strings.TrimSpace(string(o.Stdout)) != "" {
		return ""
	}
	words := strings.Join(strings.Fields(clean(string(o.Stderr))), " ")
	if len(words) > 200 {
		words = words[:200] + ".."
	}
	return strings.TrimSuffix(fmt.Sprintf("exit code %d: %s", o.Exit, words), ": ")
}
