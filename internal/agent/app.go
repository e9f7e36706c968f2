package agent

import (
	"context"
	"net/netip"
	"os/exec"
	"regexp"
	"strings"
	"sync"
	"time"

	"linerate/internal/agent/process"
	"linerate/internal/base/failure"
	"linerate/internal/traffic"
	"linerate/internal/traffic/watch"
)

// App asks an agent to run a command, or, with no Argv, to watch its host while another host's command runs. "{folder}"
// in Argv and Env is the experiment's folder on that host, in which a command starts.
type App struct {
	// Name is the experiment's on all of its hosts: random letters and digits. The folder has the same path on all of
	// them, because MPI sends the paths of one host to the others, and every process has the name in its environment.
	Name  string         `json:"name"`
	Argv  []string       `json:"argv,omitempty"`
	Env   []string       `json:"env,omitempty"` // NAME=VALUE; also of what mpirun's launcher starts here
	Files []process.File `json:"files,omitempty"`
	Local netip.Addr     `json:"local"` // whose interface is counted; invalid: none
	// Needs are programs that have to be on the host.
	Needs   []string      `json:"needs,omitempty"`
	Limit   time.Duration `json:"limit_ns"`
	Samples int           `json:"samples,omitempty"`
	// Serves says that the command is a server. Ready is a regular expression that matches its output when it can be
	// used; without one it counts as ready after a moment.
	Serves bool   `json:"serves,omitempty"`
	Ready  string `json:"ready,omitempty"`
}

// AppOutcome is how a command or a watch ended.
type AppOutcome struct {
	// Exit is 128+N for a command that died by signal N, and -1 where the finish ended it or none ran.
	Exit    int             `json:"exit"`
	Ended   bool            `json:"ended"`
	Seconds float64         `json:"seconds"` // from its start to its end
	Stdout  process.Kept    `json:"stdout"`
	Stderr  process.Kept    `json:"stderr"`
	Watch   traffic.Outcome `json:"watch"`
}

type spawnRequest struct {
	Experiment uint64 `json:"experiment"`
	Line       string `json:"line"`
}

type launchedRequest struct {
	Experiment uint64 `json:"experiment"`
	Launched
}

const (
	// mostStdout is the most that is kept of a command's output. With process.MostErrors of its messages, in base64, it
	// is two thirds of a frame.
	mostStdout = 448 << 10
	// MostFiles is the most bytes that the files of an experiment have together: they are sent in one frame.
	MostFiles = 512 << 10
	// serverMoment is the time until a server without Ready counts as ready.
	serverMoment = time.Second
	// serverEnd is how long a server may take to end after its client has ended.
	serverEnd = 2 * time.Second
	// readyLimit is how long a server may take to be ready.
	readyLimit = 20 * time.Second
)

func (q App) check() error {
	if !process.ExperimentName.MatchString(q.Name) {
		return failure.Errorf(failure.CodeInput, "name", "%.80q is not a name of 20 to 40 letters and digits", q.Name)
	}
	size := 0
	for _, f := range q.Files {
		if size += len(f.Data); f.Name == "" || strings.ContainsAny(f.Name, "/\\\x00") || strings.HasPrefix(f.Name, ".") {
			return failure.Errorf(failure.CodeInput, "file", "%.80q is not a name of a file in the folder", f.Name)
		}
	}
	if size > MostFiles {
		return failure.Errorf(failure.CodeInput, "files",
			"%d bytes are above %d, the agent's limit; put large files on the hosts", size, MostFiles)
	}
	if q.Limit <= 0 || q.Limit > 24*time.Hour {
		return failure.Errorf(failure.CodeInput, "time", "%v is not a limit up to 24 hours", q.Limit)
	}
	if err := limits().checkSamples(q.Samples); err != nil {
		return err
	}
	if _, err := regexp.Compile(q.Ready); err != nil {
		return failure.Errorf(failure.CodeInput, "ready", "%v", err)
	}
	return nil
}

// appRun is a command or a watch that runs on this host.
type appRun struct {
	q        App
	place    *process.Folder
	launcher *launcher     // nil: nothing is launched from here
	finish   chan struct{} // closed by end
	end      func()
}

// app runs a command, or watches, and answers twice: that it is ready, and with its outcome.
func (s *server) app(ctx context.Context, id uint64, q App) error {
	if err := s.allowed(allowApp, "command", "runs commands of its controller's"); err != nil {
		return err
	}
	if err := q.check(); err != nil {
		return err
	}
	for _, name := range q.Needs {
		if _, err := exec.LookPath(name); err != nil {
			return process.Missing(name)
		}
	}
	place, err := process.NewFolder(q.Name, q.Files...)
	if err != nil {
		return err
	}
	defer place.Remove()
	finish := make(chan struct{})
	r := &appRun{q: q, place: place, finish: finish, end: sync.OnceFunc(func() { close(finish) })}
	if len(q.Argv) > 0 && !q.Serves {
		if r.launcher, err = s.newLauncher(ctx, id, place); err != nil {
			return err
		}
		defer r.launcher.close()
	}
	s.apps.put(id, r)
	defer s.apps.remove(id)
	out, err := s.runApp(ctx, id, r)
	place.Remove() // before the controller knows that it is over
	if err != nil {
		return err
	}
	return s.link.send(ctx, id, kindResult, out)
}

// runApp watches the host while the command runs, or until the finish.
func (s *server) runApp(ctx context.Context, id uint64, r *appRun) (*AppOutcome, error) {
	out := &AppOutcome{Exit: -1}
	watching, stop := context.WithCancel(ctx)
	began, watched := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(watched)
		opt := watch.BackgroundOptions{Local: r.q.Local, Limit: r.q.Limit, Samples: r.q.Samples}
		out.Watch = *watch.Background(watching, opt, func() { close(began) }, s.offerSamples(id))
	}()
	defer func() { stop(); <-watched }()
	select {
	case <-began:
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	ready := func() error { return s.link.send(ctx, id, kindReady, prepared{Experiment: id}) }
	if len(r.q.Argv) > 0 {
		return out, r.command(ctx, out, ready)
	}
	if err := ready(); err != nil {
		return nil, err
	}
	select {
	case <-r.finish:
		return out, nil
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

// command runs the command to its end, or until the finish.
func (r *appRun) command(ctx context.Context, out *AppOutcome, ready func() error) error {
	stdout, stderr := process.NewOutput(mostStdout), process.NewOutput(process.MostErrors)
	limited, cancel := context.WithTimeout(context.WithoutCancel(ctx), r.q.Limit)
	defer cancel()
	if !r.q.Serves {
		if err := ready(); err != nil {
			return err
		}
	}
	begin := traffic.Now()
	p, err := r.place.Start(limited, r.place.Fill(r.q.Argv), r.q.Env, stdout, stderr)
	if err != nil {
		return err
	}
	ended := make(chan struct{})
	var exit int
	var failed error
	go func() {
		defer close(ended)
		exit, failed = p.Wait()
	}()
	kill := func() {
		r.place.Kill()
		_ = p.Kill()
		<-ended
		r.place.Kill() // what was being started meanwhile
	}
	defer r.place.Kill()
	fill := func() {
		out.Seconds = float64(traffic.Now()-begin) / 1e9
		out.Stdout, out.Stderr = stdout.Kept(), stderr.Kept()
	}
	over := ended
	if r.q.Serves {
		over = nil // its end is not that of the experiment, whose other processes may be on this machine and are ended here
		if err := r.awaitServer(ctx, ended, stdout, stderr); err != nil {
			kill()
			fill()
			return withOutput(err, out)
		}
		if err := ready(); err != nil {
			kill()
			return err
		}
	}
	select {
	case <-over:
	case <-r.finish:
		if r.q.Serves {
			select {
			case <-ended:
			case <-time.After(serverEnd):
			}
		}
		kill()
		fill()
		return nil
	case <-ctx.Done():
		kill()
		return context.Cause(ctx)
	case <-limited.Done():
		kill()
		fill()
		return withOutput(failure.Errorf(failure.CodeTimeout, r.q.Argv[0],
			"it had not ended after its time of %v; allow it more with time", r.q.Limit), out)
	}
	fill()
	if failed != nil {
		return withOutput(failure.Errorf(failure.CodeInternal, r.q.Argv[0], "%v", failed), out)
	}
	out.Exit, out.Ended = exit, true
	return nil
}

// awaitServer returns when a server can be used.
func (r *appRun) awaitServer(ctx context.Context, ended chan struct{}, stdout, stderr *process.Output) error {
	limit := serverMoment
	re := regexp.MustCompile(r.q.Ready) // check has compiled it
	if r.q.Ready != "" {
		limit = readyLimit
	}
	t := time.NewTimer(limit)
	defer t.Stop()
	for {
		if r.q.Ready != "" && (re.Match(stdout.Kept().Text) || re.Match(stderr.Kept().Text)) {
			return nil
		}
		select {
		case <-stdout.Came:
		case <-stderr.Came:
		case <-ended:
			return &failure.Error{Code: failure.CodeInternal, Subject: r.q.Argv[0], Text: "the server ended before it was used"}
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-t.C:
			if r.q.Ready == "" {
				return nil
			}
			return failure.Errorf(failure.CodeTimeout, r.q.Argv[0],
				"its output does not say %q within %v, by which the server would be ready", r.q.Ready, readyLimit)
		}
	}
}

// withOutput appends the last lines of an output to an error.
func withOutput(err error, out *AppOutcome) error {
	e, ok := err.(*failure.Error)
	if !ok {
		return err
	}
	last := "it printed nothing"
	if lines := process.LastLines(out.Stderr.Text, out.Stdout.Text); lines != "" {
		last = "its last lines: " + lines
	}
	return &failure.Error{Code: e.Code, Subject: e.Subject, Text: e.Text + "; " + last}
}

// spawn starts by a shell what mpirun of another host starts here: the line was made for ssh, which gives it to a
// shell.
func (s *server) spawn(ctx context.Context, id uint64, q spawnRequest) error {
	r := s.apps.get(q.Experiment)
	if r == nil {
		return failure.Errorf(failure.CodeInput, "experiment", "%d runs no command here", q.Experiment)
	}
	said := process.NewOutput(process.MostErrors)
	p, err := r.place.Start(ctx, []string{"sh", "-c", q.Line}, r.q.Env, said, said)
	if err != nil {
		return err
	}
	ended := make(chan struct{})
	go func() {
		select {
		case <-r.finish:
			r.place.Kill()
			_ = p.Kill()
		case <-ended:
		}
	}()
	exit, err := p.Wait()
	close(ended)
	if err != nil {
		exit = 255
	}
	return s.link.send(ctx, id, kindResult, Launched{Exit: exit, Output: said.Kept().Text})
}

// finishApp ends a command or a watch.
func (s *server) finishApp(ctx context.Context, id uint64, q stopRequest) error {
	if r := s.apps.get(q.Experiment); r != nil {
		r.end()
	}
	return s.link.send(ctx, id, kindReady, nil)
}

// launched passes on to a launcher how the process ended that it has asked for.
func (s *server) launched(ctx context.Context, id uint64, q launchedRequest) error {
	if r := s.apps.get(q.Experiment); r != nil && r.launcher != nil {
		r.launcher.ended(q.Launched)
	}
	return s.link.send(ctx, id, kindReady, nil)
}
