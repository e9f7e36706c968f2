package connect

import (
	"cmp"
	"context"
	"fmt"
	"regexp"
	"strings"
	"sync"
	"time"
)

// srunTry returns the next step for the messages of srun and Slurm's daemons (Slurm 22.05 and later).
func srunTry(said string, s Spec) string {
	node := cmp.Or(s.flag("-w"), "NODE")
	for _, w := range []struct{ words, try string }{
		{"Invalid node name", "sinfo -N: the nodes' names as Slurm knows them"},
		{"nvalid partition", "sinfo -s: the partitions that there are"},
		{"Invalid account", "sacctmgr show associations user=$USER: the accounts that you may use, for -A"},
		{"Invalid qos", "sacctmgr show associations user=$USER format=account,partition,qos"},
		{"nvalid job", "squeue --me: it has ended, or it is another's; salloc for a new one, and its number behind --jobid"},
		{"configuration is not available", "scontrol show node NODE: is it in that partition, and in that job"},
		{"required resources", "scontrol show node NODE"},
		{"group not permitted", "scontrol show partition: who may use it; another one with -p"},
		{"permission denied", "scontrol show partition: who may use it; another one with -p"},
		{"Unable to contact slurm controller", "scontrol ping; systemctl status slurmctld on the cluster's controller"},
		{"onfiguration source", "linerate on a login node of the cluster, or SLURM_CONF=/path/to/slurm.conf"},
		{"process configuration file", "linerate on a login node of the cluster, or SLURM_CONF=/path/to/slurm.conf"},
		{"uthentication", "munge -n | unmunge here and on the node: the same key and the same time on both"},
		{"TIME LIMIT", "a job with more time: salloc -t MINUTES, and its number behind --jobid"},
		{"NODE FAILURE", "scontrol show node NODE: its Reason; slurmd's log there"},
		{"ode failure", "scontrol show node NODE: its Reason; slurmd's log there"},
		{"PREEMPTION", "a partition that is not preempted (-p), or the job again later"},
		{"CANCELLED", "sacct or squeue --me: somebody cancelled the step or the job"},
		{"aborted", "sacct or squeue --me: the step or the job was cancelled"},
		{"revoked", "sacct or squeue --me: somebody cancelled the job"},
		{"Unable to create step", "squeue --steps --me: another step holds the node without --overlap"},
		{"ommunication connection failure", "ping NODE; its slurmd's port (slurm.conf: SlurmdPort) must be open for this " +
			"machine"},
		{"execve", "linerate needs sh on the node"},
	} {
		if strings.Contains(said, w.words) {
			return strings.ReplaceAll(w.try, "NODE", node)
		}
	}
	return fmt.Sprintf("srun %s -n1 hostname by hand", strings.Join(s.Args, " "))
}

// queueWords finds the number of a waiting job in srun's output.
type queueWords struct {
	mu       sync.Mutex
	text     string
	reported bool
	queued   chan string // one number
}

var queuedJob = regexp.MustCompile(`job (\d+) queued and waiting`)

func (q *queueWords) Write(p []byte) (int, error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.reported {
		return len(p), nil
	}
	q.text += string(p)
	if len(q.text) > tailSize {
		q.text = q.text[len(q.text)-tailSize:]
	}
	if m := queuedJob.FindStringSubmatch(q.text); m != nil {
		q.reported = true
		q.queued <- m[1]
	}
	return len(p), nil
}

// waiting is the reason why a job waits.
type waiting struct {
	reason   string // Slurm's code; "" if it does not wait, or the reason is not known
	node     string // state of the node in Slurm, if one was named
	words    string
	hopeless bool // waiting will not start it
	try      string
}

func (w waiting) cause(job string) error {
	text := fmt.Sprintf("job %s waits: %s (%s)", job, w.words, w.reason)
	if w.node != "" {
		text += "; " + w.node
	}
	return fmt.Errorf("%s", text)
}

// waits queries squeue for the reason of a pending job, and sinfo for the node that it requests.
func (h *srunNode) waits(ctx context.Context, job string) waiting {
	if job == "" {
		return waiting{}
	}
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	out, err := Run(ctx, local{}, nil, "squeue", "-h", "-j", job, "-o", "%T %r")
	state, reason, _ := strings.Cut(strings.TrimSpace(string(out.Stdout)), " ")
	if err != nil || state != "PENDING" || reason == "" || reason == "None" {
		return waiting{}
	}
	node := h.spec.flag("-w")
	said := ""
	if node != "" {
		if out, err := Run(ctx, local{}, nil, "sinfo", "-h", "-N", "-n", node, "-o", "%N is %T, reason: %E"); err == nil {
			said, _, _ = strings.Cut(clean(string(out.Stdout)), "\n") // a line for each partition
			said = strings.Replace(said, "*,", " and does not respond,", 1)
		}
	}
	return whyWaiting(reason, said, h.spec)
}

// whyWaiting explains a job's reason (squeue(1), JOB REASON CODES).
func whyWaiting(reason, node string, s Spec) waiting {
	w := waiting{reason: clean(reason), node: strings.TrimSuffix(node, ", reason: none"), words: "Slurm does not start it",
		try: "squeue --me --start; or ask with salloc, and give the job's number behind --jobid when it is there"}
	name := cmp.Or(s.flag("-w"), "NODE")
	partition := s.flag("-p")
	for _, r := range []struct {
		code, words, try string
		hopeless         bool
	}{
		{"Resources", "the node is taken by other jobs", "squeue -w " + name + ": by whom, and until when; or salloc, and " +
			"the job's number behind --jobid when it is there", false},
		{"Priority", "other jobs come first", "squeue --me --start: when it would start; or salloc, and the job's number " +
			"behind --jobid when it is there", false},
		{"PartitionDown", "its partition is down", "sinfo -s, and another one with -p; the administrator: scontrol update " +
			"PartitionName=" + partition + " State=UP", true},
		{"PartitionInactive", "its partition is inactive", "sinfo -s, and another one with -p", true},
		{"PartitionNodeLimit", "it is outside of what the partition allows", "scontrol show partition " + partition, true},
		{"PartitionTimeLimit", "it is outside of what the partition allows", "scontrol show partition " + partition, true},
		{"ReqNodeNotAvail", "the node that it needs is down, drained or reserved", "sinfo -R; the administrator: scontrol " +
			"update NodeName=" + name + " State=RESUME once the node is in order", true},
		{"NodeDown", "the node that it needs is down",
			"sinfo -R; the administrator: scontrol update NodeName=" + name + " State=RESUME once the node is in order", true},
		{"Reservation", "it waits for its reservation", "scontrol show reservation", false},
		{"JobHeld", "it is held", "squeue --me; scontrol show job", true},
		{"InvalidAccount", "the account is not valid", "sacctmgr show associations user=$USER: the accounts that you may " +
			"use, for -A", true},
		{"InvalidQOS", "its quality of service is not valid", "sacctmgr show associations user=$USER " +
			"format=account,partition,qos", true},
		{"AccountNotAllowed", "the partition does not take this account",
			"scontrol show partition " + partition + "; another account with -A", true},
		{"Assoc", "a limit of the account is reached",
			"sacctmgr show associations user=$USER; your other jobs: squeue --me", false},
		{"QOS", "a limit of the quality of service is reached", "sacctmgr show qos; your other jobs: squeue --me", false},
		{"Licenses", "it waits for a licence", "scontrol show licenses", false},
	} {
		if strings.HasPrefix(reason, r.code) {
			w.words, w.try, w.hopeless = r.words, strings.TrimSpace(r.try), r.hopeless
			break
		}
	}
	return w
}
