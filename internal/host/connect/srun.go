package connect

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"strings"
	"sync"
	"time"
)

// srunNode is one node of a Slurm cluster. A job step, the keeper, holds it from Open to Close: in a job of its own, or
// in an existing one. Every command is another step of that job on the node.
type srunNode struct {
	spec Spec
	own  bool // the connection made the job and ends it
	job  string
	node string

	keeper *process
	input  *io.PipeWriter // the keeper's
	words  *tail          // what its srun has printed
	once   sync.Once
}

const (
	// queueTimeout is how long a job may wait for its node. If a queue takes hours, users allocate the nodes themselves
	// and name the job.
	queueTimeout = 2 * time.Minute
	// keeperBeat is the time between two lines to the keeper, which ends after keeperSilence seconds without one.
	keeperBeat    = 10 * time.Second
	keeperSilence = "60"
)

// keeper holds the node. It ends at the end of its input, or without a line for $1 seconds: the controller's machine is
// then gone, and nothing else would end the job. $2 says whose job it is: "own" or another's.
const keeper = `echo "linerate $SLURM_JOB_ID $SLURMD_NODENAME:"
timeout --foreground 9 true 2>/dev/null || { cat >/dev/null; exit 0; }
while :; do
  timeout --foreground "$1" sh -c 'read -r beat'
  case $? in
  0) ;;
  124) [ "$2" != own ] || scancel -Q "$SLURM_JOB_ID"; exit 0 ;;
  *) exit 0 ;;
  esac
done`

func (h *srunNode) String() string    { return h.spec.String() }
func (h *srunNode) MaySeeFiles() bool { return true }

// flag returns the last value of a flag; "" without it.
func (s Spec) flag(name string) (value string) {
	for i := 0; i+1 < len(s.Args); i += 2 {
		if s.Args[i] == name {
			value = s.Args[i+1]
		}
	}
	return value
}

// openSrun requests the node from Slurm and waits for it.
func openSrun(ctx context.Context, s Spec) (Connection, error) {
	refuse := func(cause error, try string) (Connection, error) {
		return nil, &Error{Connection: s.String(), Exit: -1, Cause: cause, Try: try}
	}
	nodes, job := s.flag("-w"), s.flag("--jobid")
	switch {
	case runtime.GOOS != "linux":
		return refuse(fmt.Errorf("%w on %s: Slurm's srun runs on Linux", ErrNotAvailable, runtime.GOOS),
			"linerate on a login node of the cluster")
	case s.flag("-N") != "" && s.flag("-N") != "1":
		return refuse(fmt.Errorf("-N %s: a host is one node", s.flag("-N")), "a host for each node: srun -w NODE")
	case strings.ContainsAny(nodes, ",["):
		return refuse(fmt.Errorf("-w %s: a host is one node", nodes),
			"a host for each node; in a fabric file: connect: srun -w {host}")
	}
	if job == "" {
		job = os.Getenv("SLURM_JOB_ID")
	}
	h := &srunNode{spec: s, own: job == "", job: job, words: new(tail)}
	argv := append([]string{"srun"}, s.Args...)
	whose := "another's"
	if h.own {
		// It takes the whole node: other jobs on it would disturb the measurement and be disturbed.
		argv, whose = append(argv, "--exclusive"), "own"
	} else {
		argv = append(argv, "--overlap", "--jobid", job)
	}
	argv = append(append(argv, stepFlags()...), "sh", "-c", keeper, "linerate", keeperSilence, whose)
	inRead, inWrite := io.Pipe()
	outRead, outWrite := io.Pipe()
	h.input = inWrite
	queue := &queueWords{queued: make(chan string, 1)}
	// The keeper outlives ctx until Close.
	p, err := startProcessAs(context.WithoutCancel(ctx), s.String(),
		Command{Argv: argv, Stdin: inRead, Stdout: outWrite, Stderr: io.MultiWriter(h.words, queue)},
		how{gentle: true, env: srunEnvironment()})
	if err != nil {
		if errors.Is(err, ErrNoProgram) {
			return refuse(errors.New("this machine has no srun in PATH"),
				"linerate on a login node of the cluster, or install Slurm's clients there (Debian: slurm-client)")
		}
		return nil, err
	}
	h.keeper = p
	go func() {
		<-p.done
		inRead.CloseWithError(io.ErrClosedPipe)
		outWrite.Close()
	}()
	answer := make(chan keeperAnswer, 1)
	go func() {
		lines := bufio.NewScanner(outRead)
		for lines.Scan() {
			words := strings.Fields(strings.TrimSuffix(lines.Text(), ":"))
			if len(words) == 3 && words[0] == "linerate" && strings.HasSuffix(lines.Text(), ":") {
				answer <- keeperAnswer{job: words[1], node: words[2]}
				break
			}
		}
		if err := lines.Err(); err != nil {
			answer <- keeperAnswer{err: fmt.Errorf("read what the step writes: %w", err)}
		}
		io.Copy(io.Discard, outRead)
	}()
	if err := h.await(ctx, answer, queue.queued); err != nil {
		_ = p.Kill()
		<-p.done
		return nil, err
	}
	go h.beat()
	return h, nil
}

// keeperAnswer is the keeper's job and node, or the error of reading them.
type keeperAnswer struct {
	job, node string
	err       error
}

// await waits for the keeper's answer. Without one the error has what Slurm reports.
func (h *srunNode) await(ctx context.Context, answer <-chan keeperAnswer, queued <-chan string) error {
	var job string
	limit := time.NewTimer(queueTimeout)
	defer limit.Stop()
	look := time.NewTicker(time.Second)
	defer look.Stop()
	fail := func(cause error, try string) error {
		return &Error{Connection: h.String(), Command: []string{"srun"}, Exit: -1, Output: h.said(), Cause: cause, Try: try}
	}
	for {
		select {
		case a := <-answer:
			if a.err != nil {
				return fail(a.err, "")
			}
			h.job, h.node = a.job, a.node
			return nil
		case job = <-queued:
		case <-h.keeper.done:
			exit, _, err := h.keeper.wait()
			if err != nil {
				return err
			}
			return &Error{Connection: h.String(), Command: []string{"srun"}, Exit: exit, Output: h.said(),
				Try: srunTry(h.said(), h.spec)}
		case <-look.C:
			if w := h.waits(ctx, job); w.hopeless {
				return fail(w.cause(job), w.try)
			}
		case <-limit.C:
			if w := h.waits(ctx, job); w.reason != "" {
				return fail(fmt.Errorf("%w; it was given up after %v", w.cause(job), queueTimeout), w.try)
			}
			return fail(fmt.Errorf("the step did not start within %v", queueTimeout),
				"scontrol ping; squeue --me; the node must reach this machine's ports, too (slurm.conf: SrunPortRange)")
		case <-ctx.Done():
			return fail(context.Cause(ctx), "")
		}
	}
}

// said returns what the keeper's srun printed, without its own name.
func (h *srunNode) said() string { return srunSaid(h.words) }

// srunSaid returns the last lines of srun, without its own name and without its line about --cpu-bind=none where
// nothing binds CPUs.
func srunSaid(words *tail) string {
	var lines []string
	for _, line := range strings.Split(words.String(), "\n") {
		if !strings.Contains(line, "lacks support for cpu binding") {
			lines = append(lines, strings.TrimPrefix(line, "srun: "))
		}
	}
	return lastLines(strings.Join(lines, "\n"), 4)
}

func (h *srunNode) beat() {
	t := time.NewTicker(keeperBeat)
	defer t.Stop()
	for {
		select {
		case <-h.keeper.done:
			return
		case <-t.C:
			if _, err := h.input.Write([]byte("\n")); err != nil {
				return
			}
		}
	}
}

// Close ends the keeper. A job that the connection made ends with it, and so does everything in it.
func (h *srunNode) Close() error {
	h.once.Do(func() {
		h.input.Close()
		select {
		case <-h.keeper.done:
		case <-time.After(outputDelay):
			_ = h.keeper.Kill()
			<-h.keeper.done
		}
	})
	return nil
}

// stepFlags returns the flags of every step: one task on one node, on all CPUs of the job there, in a folder that every
// node has. Output is unbuffered, because slurmstepd would wait for the end of a line. Only the environment variables
// that programs need are sent: others may hold secrets.
func stepFlags() []string {
	return []string{"-n1", "-N1", "--unbuffered", "--cpu-bind=none", "--mpi=none", "--chdir=/", "--job-name=linerate",
		"--export=PATH,HOME,USER,LOGNAME,SHELL,LANG,LC_ALL,TZ"}
}

// srunEnvironment returns this process's environment without Slurm's variables for another step, which srun reads as
// options.
func srunEnvironment() []string {
	var env []string
	for _, e := range os.Environ() {
		name, _, _ := strings.Cut(e, "=")
		if !strings.HasPrefix(name, "SLURM_") || name == "SLURM_CONF" || name == "SLURM_CONF_SERVER" ||
			name == "SLURM_JWT" {
			env = append(env, e)
		}
	}
	return env
}

func (h *srunNode) fail(c Command, exit int, output string, cause error, try string) *Error {
	return &Error{Connection: h.String(), Command: c.Argv, Exit: exit, Output: output, Cause: cause, Try: try}
}

// Start starts one step.
func (h *srunNode) Start(ctx context.Context, c Command) (Process, error) {
	if err := checkCommand(c); err != nil {
		return nil, h.fail(c, -1, "", err, "")
	}
	select {
	case <-h.keeper.done:
		return nil, h.fail(c, -1, h.said(), fmt.Errorf("job %s has ended", h.job), srunTry(h.said(), h.spec))
	default:
	}
	// srun writes its own messages to standard error. The program's go through a pipe, which srun opens by its path.
	r, w, err := os.Pipe()
	if err != nil {
		return nil, h.fail(c, -1, "", err, "")
	}
	p := &srunProcess{host: h, command: c, words: new(tail), far: new(tail), copied: make(chan struct{})}
	p.filter = &markers{to: tee(c.Stderr, p.far), started: make(chan struct{})}
	argv := append(
		[]string{"srun", "--overlap", "--jobid", h.job, "-w", h.node,
			fmt.Sprintf("--error=/proc/%d/fd/%d", os.Getpid(), w.Fd())},
		stepFlags()...)
	p.near, err = startProcessAs(ctx, h.String(),
		Command{Argv: append(argv, guarded(pipedGuard, c)...), Stdin: c.Stdin, Stdout: c.Stdout, Stderr: p.words},
		how{gentle: true, env: srunEnvironment()})
	if err != nil {
		r.Close()
		w.Close()
		var e *Error
		if errors.As(err, &e) {
			e.Command = c.Argv
		}
		return nil, err
	}
	go func() {
		defer close(p.copied)
		defer r.Close()
		io.Copy(p.filter, r)
	}()
	go func() {
		<-p.near.done
		w.Close()
		// A child of srun may still hold the pipe.
		_ = r.SetReadDeadline(time.Now().Add(outputDelay))
	}()
	return p, nil
}

type srunProcess struct {
	host    *srunNode
	command Command
	near    *process // the srun on this machine
	words   *tail    // srun's messages
	far     *tail    // the program's standard error: with slurmstepd's messages
	filter  *markers
	copied  chan struct{} // closed when the program's standard error is read to its end
}

// Kill asks srun to end the step, which kills all that the step started.
func (p *srunProcess) Kill() error { return p.near.Kill() }

func (p *srunProcess) Wait() (int, error) {
	exit, signalled, err := p.near.wait()
	<-p.copied
	p.filter.flush()
	_, noProgram := p.filter.said()
	reported, ended := p.filter.exited()
	h, said := p.host, lastLines(srunSaid(p.words)+"\n"+p.far.String(), 5)
	var e *Error
	switch {
	case errors.As(err, &e):
		e.Command = p.command.Argv
		return -1, err
	case p.near.wasKilled():
		return 137, nil
	case ended:
		return reported, nil
	case noProgram:
		return -1, h.fail(p.command, exit, "", fmt.Errorf("%w: %s", ErrNoProgram, p.command.Argv[0]), "install it on "+h.node)
	case signalled:
		return -1, h.fail(p.command, -1, said, fmt.Errorf("the srun on this machine died by signal %d", exit), "")
	}
	return -1, h.fail(p.command, exit, said, errors.New("the step did not come to its end"), srunTry(said, h.spec))
}
