package run

import (
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// Where srun's ranks go: into the job that all hosts are in, or one of their own; hosts in several jobs have none in common.
func TestSlurmStep(t *testing.T) {
	hosts := []string{"a", "b"}
	for _, c := range []struct {
		places []slurmPlace
		want   string
	}{
		{[]slurmPlace{{"7", "n1"}, {"7", "n2"}}, "--overlap --jobid=7 -w n1,n2 -N2 --distribution=cyclic"},
		{[]slurmPlace{{"", "n1"}, {"", "n2"}}, "-w n1,n2 -N2 --distribution=cyclic"},
		{[]slurmPlace{{"7", "n1"}}, "--overlap --jobid=7 -w n1 -N1 --distribution=cyclic"},
		{[]slurmPlace{{"", "login"}}, ""},
		{[]slurmPlace{{"7", "n1"}, {"8", "n2"}}, "a is in job 7 and b is in job 8, and srun's ranks are in one: take all nodes in one job (salloc -N 2 -w n1,n2 --no-shell)"},
		{[]slurmPlace{{"", "n1"}, {"8", "n2"}}, "a is in no job and b is in job 8"},
	} {
		words, err := slurmStep(hosts, c.places)
		if got := strings.Join(words, " "); got != c.want && (err == nil || !strings.HasPrefix(err.Error(), c.want)) {
			t.Errorf("%v: %q, %v", c.places, got, err)
		}
	}
	if !runsSrun([]string{"/opt/slurm/bin/srun", "x"}) || runsSrun([]string{"xsrun"}) {
		t.Error("what srun is")
	}
}

// The new step sees nothing of the agent's own, the record nothing of how that is done.
func TestBySrun(t *testing.T) {
	words := bySrun([]string{"env", "A=1"}, []string{"-u", "B"})
	if got := shown(words); !slices.Equal(got, []string{"env", "-u", "B", "A=1"}) {
		t.Errorf("%q", got)
	}
	if got := shown([]string{"sh", "-c", "x"}); len(got) != 3 {
		t.Errorf("%q", got)
	}
	if runtime.GOOS == "windows" {
		return
	}
	cmd := exec.Command(words[0], words[1:]...)
	cmd.Env = append(cmd.Environ(), "SLURM_NTASKS=1", "SLURM_JOB_ID=7", "SLURM_CONF=/x", "SLURM_CPU_BIND=a b", "B=2")
	out, err := cmd.Output()
	text := string(out)
	cmd = exec.Command(words[0], words[1:]...)
	cmd.Env = append(cmd.Environ(), "SLURM_JOB_ID=")
	if out, err := cmd.Output(); err != nil || strings.Contains(string(out), "SLURM_JOB_ID") {
		t.Errorf("an empty number of a job: %v: %s", err, out)
	}
	if err != nil || !strings.Contains(text, "SLURM_JOB_ID=7\n") || !strings.Contains(text, "SLURM_CONF=/x\n") || strings.Contains(text, "SLURM_NTASKS") || strings.Contains(text, "SLURM_CPU_BIND") || strings.Contains(text, "B=2") {
		t.Errorf("%v: %s", err, text)
	}
}
