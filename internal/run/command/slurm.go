package command

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"

	"linerate/internal/agent"
	"linerate/internal/base/xslices"
	"linerate/internal/run/experiment"
)

// runsSrun reports whether a command is started by Slurm as a job step.
func runsSrun(words []string) bool {
	return len(words) > 0 && (words[0] == "srun" || strings.HasSuffix(words[0], "/srun"))
}

// slurmPlace is a host's place in Slurm.
type slurmPlace struct {
	job  string // of its agent's step; empty: none
	node string
}

// whichNode prints it: slurmd gives a step its job and its node; elsewhere the node has the host's name.
const whichNode = `echo "slurm:$SLURM_JOB_ID:${SLURMD_NODENAME:-$(hostname -s)}"`

// slurmPlaces asks all hosts.
func slurmPlaces(ctx context.Context, sides []*Host) ([]slurmPlace, error) {
	out, errs := make([]slurmPlace, len(sides)), make([]error, len(sides))
	var wg sync.WaitGroup
	for i, x := range sides {
		wg.Go(func() {
			var text string
			if text, errs[i] = Ask(ctx, x.Client, x.Name, agent.App{Argv: []string{"sh", "-c", whichNode}}); errs[i] != nil {
				return
			}
			words := strings.Split(strings.TrimSpace(text), ":")
			if len(words) != 3 || words[0] != "slurm" || words[2] == "" {
				errs[i] = fmt.Errorf("%s: it does not say which node it is: %s", x.Name, Brief(text))
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

// slurmStep is the options that srun gets before its own, so that its ranks are distributed over all hosts in turn; the
// command's own options follow and win. It is a step of the job that all hosts are in, next to the agents, or a new job
// where no host is in one. One host in no job starts srun as a login node: nothing is added, and its own options place
// the ranks.
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
			return nil, experiment.MissingError(
				fmt.Sprintf(
					"%s and %s, and srun's ranks are in one: take all nodes in one job (salloc -N %d -w %s --no-shell) and "+
						"reach them in it, with connect: srun --jobid=JOB -w {host}",
					in(0),
					in(i),
					len(hosts),
					strings.Join(nodeNames(places), ","),
				),
			)
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

func nodeNames(places []slurmPlace) []string {
	return xslices.Map(places, func(p slurmPlace) string { return p.node })
}

// plainSlurm starts a command without the Slurm variables of the agent's step, which srun would read as options of the
// new one (SLURM_NTASKS=1).
var plainSlurm = []string{
	"sh",
	"-c",
	`for v in $(env | sed -n 's/^\(SLURM[A-Z0-9_]*\)=.*/\1/p'); do case $v in SLURM_CONF|SLURM_JOB_ID) ;; *) unset "$v" ;; esac; done; [ -n "$SLURM_JOB_ID" ] || unset SLURM_JOB_ID; exec "$@"`,
	"sh",
}

// bySrun puts plainSlurm and the step before the words of a command, and shown removes them for the record.
func bySrun(words, step []string) []string {
	return slices.Concat(plainSlurm, words[:1], step, words[1:])
}

func withoutSlurm(words []string) []string {
	if len(words) > len(plainSlurm) && slices.Equal(words[:len(plainSlurm)], plainSlurm) {
		return words[len(plainSlurm):]
	}
	return words
}
