package agent

import (
	"context"
	"fmt"
	"net/netip"
	"os"
	"os/exec"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"time"

	"linerate/internal/host/connect"
	"linerate/internal/traffic"
)

// App is what an agent is asked of a command: to run it, or, with no Argv, to watch its host while another host's runs. "{folder}" in
// Argv and Env is the experiment's folder on that host, in which a command starts.
type App struct {
	// Name is the experiment's on all of its hosts: letters and digits that nobody guesses. The folder has the same path on all of them, because MPI
	// gives the paths of one host to the others, and every process has it in its environment.
	Name  string     `json:"name"`
	Argv  []string   `json:"argv,omitempty"`
	Env   []string   `json:"env,omitempty"` // NAME=VALUE; also of what mpirun's launcher starts here
	Files []AppFile  `json:"files,omitempty"`
	Local netip.Addr `json:"local"` // whose interface is counted; invalid: none
	// Needs are programs that have to be on the host.
	Needs   []string      `json:"needs,omitempty"`
	Limit   time.Duration `json:"limit_ns"`
	Samples int           `json:"samples,omitempty"`
	// Ready is what the output of a server says when it can be used, a regular expression; Serves without it: it runs for a moment.
	Serves bool   `json:"serves,omitempty"`
	Ready  string `json:"ready,omitempty"`
}

// AppFile is a file of the folder.
type AppFile struct {
	Name string `json:"name"`
	Data []byte `json:"data"`
	Own  bool   `json:"own,omitempty"` // of linerate: beside the launcher, where the command does not see it by chance
	// Program is one that is started: it is kept in memory, and its name leads there, because the folder may be where nothing can be started. Linux.
	Program bool `json:"program,omitempty"`
}

// AppOutcome is what became of it.
type AppOutcome struct {
	Exit    int             `json:"exit"` // 128+N for a command that died by signal N; -1: it was ended at the finish, or none ran
	Ended   bool            `json:"ended"`
	Seconds float64         `json:"seconds"` // from its start to its end
	Stdout  Kept            `json:"stdout"`
	Stderr  Kept            `json:"stderr"`
	Watch   traffic.Outcome `json:"watch"`
}

// Kept is an output: all of it, or its beginning and its end.
type Kept struct {
	Text []byte `json:"text,omitempty"`
	Left int64  `json:"left,omitempty"` // bytes left out in the middle
}

// Launch is what mpirun's launcher wants: the line, which is meant for a shell, on a host.
type Launch struct {
	Number uint64 `json:"number"`
	Host   string `json:"host"`
	Line   string `json:"line"`
}

// Launched is how it ended.
type Launched struct {
	Number uint64 `json:"number"`
	Exit   int    `json:"exit"`
	Output []byte `json:"output,omitempty"` // its last lines
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
	// The most that is kept of the two outputs: with base64 they are two thirds of a frame.
	mostStdout, mostStderr = 448 << 10, 64 << 10
	// MostFiles is what the files of an experiment have together: they go in one frame.
	MostFiles = 512 << 10
	// serverMoment is how long a server is given that does not say when it is ready, serverEnd for its end after the client's.
	serverMoment, serverEnd = time.Second, 2 * time.Second
	// readyLimit is how long a server may take to be ready.
	readyLimit = 20 * time.Second
)

var appName = regexp.MustCompile(`^[A-Z0-9]{20,40}$`)

// check says what is wrong with an App.
func (q App) check() error {
	bad := func(subject, text string) error {
		return &traffic.Error{Code: traffic.CodeInput, Subject: subject, Text: text}
	}
	if !appName.MatchString(q.Name) {
		return bad("name", fmt.Sprintf("%.80q is no name of 20 to 40 letters and digits", q.Name))
	}
	size := 0
	for _, f := range q.Files {
		if size += len(f.Data); f.Name == "" || strings.ContainsAny(f.Name, "/\\\x00") || strings.HasPrefix(f.Name, ".") {
			return bad("file", fmt.Sprintf("%.80q is no name of a file in the folder", f.Name))
		}
	}
	if size > MostFiles {
		return bad("files", fmt.Sprintf("%d bytes are above %d, the agent's limit; put large files on the hosts", size, MostFiles))
	}
	if q.Limit <= 0 || q.Limit > 24*time.Hour {
		return bad("time", fmt.Sprintf("%v is no limit up to 24 hours", q.Limit))
	}
	if q.Samples < 0 || q.Samples > int(limits().rate.max) {
		return bad("samples", fmt.Sprintf("%d a second is no number from 0 to %d", q.Samples, limits().rate.max))
	}
	if _, err := regexp.Compile(q.Ready); err != nil {
		return bad("ready", err.Error())
	}
	return nil
}

// answerApp handles the requests that are about commands.
func (s *server) answerApp(ctx context.Context, f frame) (handled bool, err error) {
	switch f.Kind {
	case kindApp:
		var q App
		if err := decode(f.Body, &q); err != nil {
			return true, err
		}
		return true, s.app(ctx, f.ID, q)
	case kindSpawn:
		var q spawnRequest
		if err := decode(f.Body, &q); err != nil {
			return true, err
		}
		return true, s.spawn(ctx, f.ID, q)
	case kindLaunched:
		var q launchedRequest
		if err := decode(f.Body, &q); err != nil {
			return true, err
		}
		return true, s.launched(ctx, f.ID, q)
	case kindFinish:
		var q stopRequest
		if err := decode(f.Body, &q); err != nil {
			return true, err
		}
		return true, s.finishApp(ctx, f.ID, q.Experiment)
	}
	return false, nil
}

// appRun is a command or a watch that is under way here.
type appRun struct {
	q        App
	place    *appFolder
	launcher *launcher // nil: nothing is launched from here
	finish   chan struct{}
	once     chan struct{} // holds one token: who takes it may close finish
}

func (r *appRun) end() {
	select {
	case <-r.once:
		close(r.finish)
	default:
	}
}

// app runs a command, or watches, and answers twice: that it is ready, and with its outcome.
func (s *server) app(ctx context.Context, id uint64, q App) error {
	if s.opt.listens && !slices.Contains(s.opt.Allow, programs) {
		return &traffic.Error{Code: traffic.CodeInput, Subject: "app", Text: "an agent that listens runs commands of its controller's only if it was started with --allow " + programs}
	}
	if err := q.check(); err != nil {
		return err
	}
	for _, name := range q.Needs {
		if _, err := exec.LookPath(name); err != nil {
			return lacking(name)
		}
	}
	place, err := newAppFolder(q)
	if err != nil {
		return err
	}
	defer place.remove()
	r := &appRun{q: q, place: place, finish: make(chan struct{}), once: make(chan struct{}, 1)}
	r.once <- struct{}{}
	if len(q.Argv) > 0 && !q.Serves {
		if r.launcher, err = s.newLauncher(ctx, id, place); err != nil {
			return err
		}
		defer r.launcher.close()
	}
	s.mu.Lock()
	if s.apps == nil {
		s.apps = map[uint64]*appRun{}
	}
	s.apps[id] = r
	s.mu.Unlock()
	defer func() {
		s.mu.Lock()
		delete(s.apps, id)
		s.mu.Unlock()
	}()
	out, err := s.runApp(ctx, id, r)
	place.remove() // before it is known to be over
	if err != nil {
		return err
	}
	return s.link.send(ctx, id, kindResult, out)
}

// lacking is the error of a host without a program.
func lacking(name string) error {
	return &traffic.Error{Code: traffic.CodeUnsupported, Subject: name, Text: "it is not on this host's PATH"}
}

// runApp is app with everything in its place.
func (s *server) runApp(ctx context.Context, id uint64, r *appRun) (*AppOutcome, error) {
	out := &AppOutcome{Exit: -1}
	ready := func() error {
		return s.link.send(ctx, id, kindReady, prepared{Experiment: id})
	}
	watching, stopWatch := context.WithCancel(ctx)
	defer stopWatch()
	began, watched := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(watched)
		out.Watch = *traffic.WatchBeside(watching, traffic.BesideOptions{Local: r.q.Local, Limit: r.q.Limit, Samples: r.q.Samples},
			func() { close(began) }, s.offerSamples(id))
	}()
	defer func() { stopWatch(); <-watched }()
	select {
	case <-began:
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	if len(r.q.Argv) == 0 {
		if err := ready(); err != nil {
			return nil, err
		}
		select {
		case <-r.finish:
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
		stopWatch()
		<-watched
		return out, nil
	}
	err := r.command(ctx, out, ready)
	stopWatch()
	<-watched
	if err != nil {
		return nil, err
	}
	return out, nil
}

// command runs the command to its end, or until the finish.
func (r *appRun) command(ctx context.Context, out *AppOutcome, ready func() error) error {
	stdout, stderr := &keeper{most: mostStdout, told: make(chan struct{}, 1)}, &keeper{most: mostStderr, told: make(chan struct{}, 1)}
	limited, cancel := context.WithTimeout(context.WithoutCancel(ctx), r.q.Limit)
	defer cancel()
	local, err := connect.Open(ctx, connect.Spec{Kind: connect.Local})
	if err != nil {
		return err
	}
	if !r.q.Serves {
		if err := ready(); err != nil {
			return err
		}
	}
	begin := traffic.Now()
	p, err := local.Start(limited, connect.Command{Argv: r.place.in(r.q.Argv), Env: r.place.env(r.q.Env), Dir: r.place.dir, Stdout: stdout, Stderr: stderr})
	if err != nil {
		return startError(r.q.Argv[0], err)
	}
	ended := make(chan struct{})
	var exit int
	var failed error
	go func() {
		defer close(ended)
		exit, failed = p.Wait()
	}()
	kill := func() {
		r.place.kill()
		_ = p.Kill()
		<-ended
		r.place.kill() // what was being started meanwhile
	}
	defer r.place.kill()
	fill := func() {
		out.Seconds = float64(traffic.Now()-begin) / 1e9
		out.Stdout, out.Stderr = stdout.kept(), stderr.kept()
	}
	if r.q.Serves {
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
	over := ended
	if r.q.Serves {
		over = nil // its end is not that of the experiment, whose other processes may be on this machine and are ended here
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
		return withOutput(&traffic.Error{Code: traffic.CodeTimeout, Subject: r.q.Argv[0], Text: fmt.Sprintf("it had not ended after its time of %v; allow it more with time", r.q.Limit)}, out)
	}
	fill()
	if failed != nil {
		return withOutput(&traffic.Error{Code: traffic.CodeInternal, Subject: r.q.Argv[0], Text: failed.Error()}, out)
	}
	out.Exit, out.Ended = exit, true
	return nil
}

// awaitServer returns when a server can be used.
func (r *appRun) awaitServer(ctx context.Context, ended chan struct{}, outputs ...*keeper) error {
	limit := serverMoment
	re := regexp.MustCompile(r.q.Ready) // compiled before
	if r.q.Ready != "" {
		limit = readyLimit
	}
	t := time.NewTimer(limit)
	defer t.Stop()
	for {
		for _, k := range outputs {
			if r.q.Ready != "" && re.Match(k.kept().Text) {
				return nil
			}
		}
		select {
		case <-outputs[0].told:
		case <-outputs[1].told:
		case <-ended:
			return &traffic.Error{Code: traffic.CodeInternal, Subject: r.q.Argv[0], Text: "the server ended before it was used"}
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-t.C:
			if r.q.Ready == "" {
				return nil
			}
			return &traffic.Error{Code: traffic.CodeTimeout, Subject: r.q.Argv[0], Text: fmt.Sprintf("its output does not say %q within %v, by which the server would be ready", r.q.Ready, readyLimit)}
		}
	}
}

// withOutput puts the last lines of an output behind an error.
func withOutput(err error, out *AppOutcome) error {
	e, ok := err.(*traffic.Error)
	if !ok {
		return err
	}
	last := LastLines(out.Stderr.Text, out.Stdout.Text)
	if last == "" {
		last = "it printed nothing"
	} else {
		last = "its last lines: " + last
	}
	return &traffic.Error{Code: e.Code, Subject: e.Subject, Text: e.Text + "; " + last}
}

// LastLines are the last lines of the first of some outputs that has any, in one line, as messages have them.
func LastLines(outputs ...[]byte) string {
	const most, longest = 4, 600
	for _, text := range outputs {
		var lines []string
		for l := range strings.Lines(strings.ToValidUTF8(string(text), "?")) {
			if l = strings.Join(strings.Fields(printable(l)), " "); strings.Trim(l, "-=*# ") != "" {
				lines = append(lines, l)
			}
		}
		if n := len(lines) - most; n > 0 {
			lines = lines[n:]
		}
		if said := strings.Join(lines, " | "); said != "" {
			if n := len(said) - longest; n > 0 {
				said = ".." + strings.ToValidUTF8(said[n:], "")
			}
			return said
		}
	}
	return ""
}

// startError is why a command did not start.
func startError(name string, err error) error {
	if strings.Contains(err.Error(), connect.ErrNoProgram.Error()) {
		return lacking(name)
	}
	return &traffic.Error{Code: traffic.CodeInternal, Subject: name, Text: err.Error()}
}

// spawn starts what mpirun of another host wants here, by a shell: the line was made for one, as ssh gives it to one.
func (s *server) spawn(ctx context.Context, id uint64, q spawnRequest) error {
	s.mu.Lock()
	r := s.apps[q.Experiment]
	s.mu.Unlock()
	if r == nil {
		return &traffic.Error{Code: traffic.CodeInput, Subject: "experiment", Text: fmt.Sprintf("%d runs no command here", q.Experiment)}
	}
	local, err := connect.Open(ctx, connect.Spec{Kind: connect.Local})
	if err != nil {
		return err
	}
	said := &keeper{most: mostStderr, told: make(chan struct{}, 1)}
	p, err := local.Start(ctx, connect.Command{Argv: []string{"sh", "-c", q.Line}, Env: r.place.env(r.q.Env), Dir: r.place.dir, Stdout: said, Stderr: said})
	if err != nil {
		return startError("sh", err)
	}
	ended := make(chan struct{})
	go func() {
		select {
		case <-r.finish:
			r.place.kill()
			_ = p.Kill()
		case <-ended:
		}
	}()
	exit, err := p.Wait()
	close(ended)
	if err != nil {
		exit = 255
	}
	return s.link.send(ctx, id, kindResult, Launched{Exit: exit, Output: said.kept().Text})
}

// finishApp ends a command or a watch.
func (s *server) finishApp(ctx context.Context, id, experiment uint64) error {
	s.mu.Lock()
	r := s.apps[experiment]
	s.mu.Unlock()
	if r != nil {
		r.end()
	}
	return s.link.send(ctx, id, kindReady, nil)
}

// launched tells a launcher how what it asked for ended.
func (s *server) launched(ctx context.Context, id uint64, q launchedRequest) error {
	s.mu.Lock()
	r := s.apps[q.Experiment]
	s.mu.Unlock()
	if r != nil && r.launcher != nil {
		r.launcher.ended(q.Launched)
	}
	return s.link.send(ctx, id, kindReady, nil)
}

// programPath is this program, as others can start it; the file itself may be gone already.
func programPath() (string, error) {
	if runtime.GOOS == "linux" {
		return fmt.Sprintf("/proc/%d/exe", os.Getpid()), nil
	}
	return os.Executable()
}
