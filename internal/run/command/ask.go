package command

import (
	"context"
	"crypto/rand"
	"fmt"
	"slices"
	"strings"
	"time"

	"linerate/internal/agent"
	"linerate/internal/agent/process"
	"linerate/internal/base/failure"
	"linerate/internal/run/experiment"
	"linerate/internal/run/remote"
)

// Ask runs a short command on a host and returns what it prints.
func Ask(ctx context.Context, client *agent.Client, host string, q agent.App) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, AskLimit+StartAllowance)
	defer cancel()
	q.Name, q.Limit = rand.Text(), AskLimit
	run, err := client.App(ctx, q, nil, nil)
	if name := missingProgram(err); name != "" {
		return "", experiment.MissingError((&Command{}).missing(host, name))
	}
	if err != nil {
		return "", err
	}
	out, err := run.Wait()
	if err == nil && out.Exit != 0 {
		err = fmt.Errorf("%s: %s ended with exit code %d; its last lines: %s", host, strings.Join(q.Argv, " "), out.Exit,
			process.LastLines(out.Stderr.Text, out.Stdout.Text))
	}
	if err != nil {
		return "", err
	}
	return string(out.Stdout.Text), nil
}

// AskLimit is the time limit of a short command.
const AskLimit = 20 * time.Second

// missingProgram is the program that an agent reports missing on its host; empty: another failure.
func missingProgram(err error) string {
	if e := remote.AsError(err); e != nil && e.Code == failure.CodeUnsupported {
		return e.Subject
	}
	return ""
}

// missing explains how to get a program that is not on a host.
func (a *Command) missing(host, name string) string {
	text := fmt.Sprintf("%s is not on %s", name, host)
	switch pack := packageOf(name); {
	case pack != "":
		return text + ": apt-get install " + pack + " (Debian)"
	case name == a.program.binary && a.program.source != "":
		return text + ": " + a.program.source
	}
	return text + ": install it there, or write its whole path"
}

// packageOf is Debian's package of a program; empty: it has none, or is not in the table.
func packageOf(name string) string {
	for _, p := range readyMade() {
		if p.binary == name {
			return p.pack
		}
	}
	if runsMPI([]string{name}) {
		return "openmpi-bin"
	}
	if runsSrun([]string{name}) {
		return "slurm-client"
	}
	return ""
}

// runsMPI reports whether a command starts mpirun.
func runsMPI(words []string) bool {
	return len(words) > 0 &&
		slices.ContainsFunc(
			[]string{"mpirun", "mpiexec", "orterun", "mpiexec.hydra", "mpirun.openmpi", "mpirun.mpich"},
			func(name string) bool {
				return words[0] == name || strings.HasSuffix(words[0], "/"+name)
			},
		)
}
