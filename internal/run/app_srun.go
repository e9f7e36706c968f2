package run

import (
	"context"
	crand "crypto/rand"
	"fmt"
	"slices"
	"strings"
	"sync"

	"linerate/internal/agent"
)

// runsSrun says whether a command is started by Slurm as a job step.
func runsSrun(words []string) bool {
	return len(words) > 0 && (words[0] == "srun" || strings.HasSuffix(words[0], "/srun"))
}

// slurmPlace is what a host is to Slurm.
type slurmPlace struct {
	job  string // that its agent is a step of; empty: of none
	node string
}

// whichNode says it: slurmd tells a step its job and its node; elsewhere a node is called as the host is.
const whichNode = `echo "slurm:$SLURM_JOB_ID:${SLURMD_NODENAME:-$(hostname -s)}"`

// slurmPlaces asks all hosts.
func slurmPlaces(ctx context.Context, sides []*appSide) ([]slurmPlace, error) {
	out, errs := make([]slurmPlace, len(sides)), make([]error, len(sides))
	var wg sync.WaitGroup
	for i, x := range sides {
		wg.Go(func() {
			var text string
			if text, errs[i] = askHost(ctx, x.client, x.host, agent.App{Argv: []string{"sh", "-c", whichNode}}); errs[i] != nil {
				return
			}
			words := strings.Split(strings.TrimSpace(text), ":")
			if len(words) != 3 || words[0] != "slurm" || words[2] == "" {
				errs[i] = fmt.Errorf("%s: it does not say which node it is: %s", x.host, brief(text))
				return
			}
			out[i] = slurmPlace{words[1], words[2]}
		})
	}
	wg.Wait()
	for _, err := range errs {
		if err != nil {
			return nil, err
		}
	}
	return out, nil
}

// slurmStep is what srun is told before its own words, so that its ranks are on all hosts, dealt to them in turn; the command's own options come behind and win.
// It is a step of the job that all hosts are in, beside the agents, or a job of its own where no host is in one. One host in no job is where srun is started, as on a
// login node: nothing is added, and its ranks go where its own words say.
func slurmStep(hosts []string, places []slurmPlace) ([]string, error) {
	var nodes []string
	for i, p := range places {
		if p.job != places[0].job {
			in := func(i int) string {
				if places[i].job == "" {
					return hosts[i] + " is in no job"
				}
				return hosts[i] + " is in job " + places[i].job
			}
			return nil, lackError(fmt.Sprintf("%s and %s, and srun's ranks are in one: take all nodes in one job (salloc -N %d -w %s --no-shell) and reach them in it, by reach: srun --jobid=JOB -w {host}",
				in(0), in(i), len(hosts), strings.Join(nodeNames(places), ",")))
		}
		nodes = append(nodes, p.node)
	}
	if len(places) == 1 && places[0].job == "" {
		return nil, nil
	}
	words := []string{"-w", strings.Join(nodes, ","), fmt.Sprintf("-N%d", len(nodes)), "--distribution=cyclic"}
	if places[0].job != "" {
		words = append([]string{"--overlap", "--jobid=" + places[0].job}, words...)
	}
	return words, nil
}

func nodeNames(places []slurmPlace) (out []string) {
	for _, p := range places {
		out = append(out, p.node)
	}
	return out
}

// plainSlurm starts a command without what Slurm told the agent's own step, which srun would read as options of the new one (SLURM_NTASKS=1).
var plainSlurm = []string{"sh", "-c", `for v in $(env | sed -n 's/^\(SLURM[A-Z0-9_]*\)=.*/\1/p'); do case $v in SLURM_CONF|SLURM_JOB_ID) ;; *) unset "$v" ;; esac; done; [ -n "$SLURM_JOB_ID" ] || unset SLURM_JOB_ID; exec "$@"`, "sh"}

// bySrun puts that before the words of a command, and shown takes it away again for the record.
func bySrun(words, step []string) []string {
	return slices.Concat(plainSlurm, words[:1], step, words[1:])
}

func shown(words []string) []string {
	if len(words) > len(plainSlurm) && slices.Equal(words[:len(plainSlurm)], plainSlurm) {
		return words[len(plainSlurm):]
	}
	return words
}

// askHost runs a short command on a host and returns what it prints.
func askHost(ctx context.Context, client *agent.Client, host string, q agent.App) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, askLimit+appStart)
	defer cancel()
	q.Name, q.Limit = crand.Text(), askLimit
	run, err := client.App(ctx, q, nil, nil)
	if name := lacked(err); name != "" {
		return "", lackError((&appCell{}).lackOf(host, name))
	}
	if err != nil {
		return "", err
	}
	out, err := run.Wait()
	if err == nil && out.Exit != 0 {
		err = fmt.Errorf("%s: %s ended with exit code %d; its last lines: %s", host, strings.Join(q.Argv, " "), out.Exit, agent.LastLines(out.Stderr.Text, out.Stdout.Text))
	}
	if err != nil {
		return "", err
	}
	return string(out.Stdout.Text), nil
}
