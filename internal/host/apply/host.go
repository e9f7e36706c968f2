package apply

import (
	"context"
	"crypto/rand"
	_ "embed"
	"errors"
	"fmt"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"

	"linerate/internal/host/connect"
)

//go:embed guard.sh
var guard string

// The exit codes of the prelude.
const (
	notRoot  = 71
	busy     = 72
	noFolder = 73
)

// prelude makes the folder for the scripts on the host: next to $1, or in the host's own place for it. The folder of
// the previous apply stays until start, because its undo is needed until then.
const prelude = `umask 077
[ -z "$LINERATE_STATE" ] || set -- "$LINERATE_STATE.apply"
[ "$(id -u)" = 0 ] || exit 71
if [ -e "$1/guard.pid" ] && kill -0 "$(cat "$1/guard.pid")" 2>/dev/null; then cat "$1/state"; exit 72; fi
rm -rf "$1.new" && mkdir -p "$1.new" || exit 73
echo "folder $1"
echo "root $(sed -n 's|^[^ ]* / \([^ ]*\) .*|\1|p' /proc/mounts | tail -n 1)"
set -- $SSH_CONNECTION
if [ -n "$3" ]; then
	echo "control $3"
	ip -o addr show 2>/dev/null | while read -r _ name _ address _; do echo "has $name $address"; done
fi
exit 0`

// Look makes the folder on the host, copies the scripts there, and returns the differences from the plan. It changes no
// setting.
func (j *Job) Look(ctx context.Context) (Look, error) {
	out, err := connect.Run(ctx, j.Connection, nil, "sh", "-c", prelude, "sh", j.Folder)
	if err != nil {
		return Look{}, err
	}
	var l Look
	for line := range strings.Lines(string(out.Stdout)) {
		if folder, ok := strings.CutPrefix(strings.TrimSpace(line), "folder "); ok && out.Exit == 0 {
			if folder != j.Folder {
				l.Fleeting = "in this lab it has no files of its own"
			}
			j.Folder = folder
		}
	}
	if l.Fleeting == "" {
		l.Fleeting = inMemory(string(out.Stdout))
	}
	switch out.Exit {
	case 0:
	case notRoot:
		return Look{}, errors.New("network settings need root there; reach it as root (connect: ssh root@HOST)")
	case busy:
		return Look{}, fmt.Errorf("another apply is under way there (%s); wait for its end",
			strings.TrimSpace(string(out.Stdout)))
	case noFolder:
		return Look{}, fmt.Errorf("the folder %s cannot be made there: %s", j.Folder, firstLine(out.Stderr))
	default:
		return Look{}, fmt.Errorf("sh there ended with %d: %s", out.Exit, firstLine(out.Stderr))
	}
	for _, name := range []string{"apply.sh", "verify.sh", "undo.sh"} {
		if j.Scripts[name] == "" {
			return Look{}, fmt.Errorf("there is no %s to apply", name)
		}
	}
	if err := j.send(ctx); err != nil {
		return Look{}, err
	}
	l.Control, l.ControlWhy = control(string(out.Stdout))
	out, err = connect.RunCommand(ctx, j.Connection,
		connect.Command{Argv: []string{"sh", "-c", `cd "$1" && sh ./verify.sh`, "sh", j.fresh()}, Env: j.Env})
	if err != nil {
		return Look{}, err
	}
	l.Differences, l.Unknown = sort(string(out.Stdout))
	switch out.Exit {
	case 0, 1, 3:
		l.AsPlanned = out.Exit == 0
		return l, nil
	}
	return l, fmt.Errorf("verify.sh there ended with %d: %s", out.Exit, firstLine(out.Stderr))
}

// fresh returns the folder of the scripts until start renames it.
func (j *Job) fresh() string { return j.Folder + ".new" }

// send copies the scripts and the guard to the host over one connection. They are text, which a shell there writes to
// files.
func (j *Job) send(ctx context.Context) error {
	files := maps.Clone(j.Scripts)
	files["guard.sh"] = guard
	end := "end-" + rand.Text() // does not occur in a script
	argv := []string{"sh", "-s"}
	var b strings.Builder
	b.WriteString("umask 077\nset -e\n")
	for _, name := range slices.Sorted(maps.Keys(files)) {
		argv = append(argv, path.Join(j.fresh(), name))
		fmt.Fprintf(&b, "mkdir -p \"${1%%/*}\"\ncat >\"$1\" <<'%s'\n%s", end, files[name])
		if !strings.HasSuffix(files[name], "\n") {
			b.WriteByte('\n')
		}
		b.WriteString(end + "\nshift\n")
	}
	b.WriteString("echo whole\n")
	out, err := connect.Run(ctx, j.Connection, []byte(b.String()), argv...)
	if err != nil {
		return err
	}
	if out.Exit != 0 || strings.TrimSpace(string(out.Stdout)) != "whole" {
		return fmt.Errorf("the scripts cannot be written to %s there: sh ended with %d: %s", j.fresh(), out.Exit,
			firstLine(out.Stderr))
	}
	return nil
}

// Forget removes what Look copied to the host, if no apply follows. The folder of a previous apply stays.
func (j *Job) Forget(ctx context.Context) error {
	_, err := connect.Run(ctx, j.Connection, nil, "rm", "-rf", "--", j.fresh())
	return err
}

// Persist runs install.sh, which installs the files that survive a reboot: that of the preceding apply, or, on a host
// that was already as planned, that of Look.
func (j *Job) Persist(ctx context.Context) error {
	if j.Scripts["install.sh"] == "" {
		return errors.New("there is nothing to install: this host's config has no files that outlive a reboot")
	}
	out, err := connect.RunCommand(ctx, j.Connection,
		connect.Command{Argv: []string{"sh", "-c", `cd "$1.new" 2>/dev/null || cd "$1" && sh ./install.sh`, "sh", j.Folder},
			Env: j.Env})
	if err != nil {
		return err
	}
	if out.Exit != 0 {
		return fmt.Errorf("install.sh ended with %d: %s", out.Exit, firstLine(out.Stderr))
	}
	return nil
}

// sort divides the output of verify.sh into differences and unknowns. Its last line is a summary.
func sort(text string) (differences, unknown []string) {
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		switch {
		case strings.HasPrefix(line, "not known"):
			unknown = append(unknown, line)
		case line != "" && !strings.HasPrefix(line, "ok") && !strings.HasPrefix(line, "in all:"):
			differences = append(differences, line)
		}
	}
	return differences, unknown
}

// control reads the interface of the connection from the prelude's answer. An answer without an address means a
// connection without a network.
func control(text string) (name, why string) {
	address := ""
	for line := range strings.Lines(text) {
		f := strings.Fields(line)
		switch {
		case len(f) == 2 && f[0] == "control":
			address = f[1]
		case len(f) == 3 && f[0] == "has":
			if has, _, _ := strings.Cut(f[2], "/"); has == address {
				name, _, _ = strings.Cut(f[1], "@")
			}
		}
	}
	if address != "" && name == "" {
		return "", "no interface there has " + address + ", at which it is reached"
	}
	return name, ""
}

// inMemory returns the reason why a host's files do not survive a reboot, by the type of its root in the prelude's
// answer; empty: they may.
func inMemory(text string) string {
	for line := range strings.Lines(text) {
		switch strings.TrimSpace(line) {
		case "root rootfs", "root ramfs", "root tmpfs":
			return "its files are in memory (the file system at / is a " + strings.Fields(line)[1] + ")"
		}
	}
	return ""
}

// OverControl reports whether a difference is about the interface of the connection. An unknown interface counts as
// one.
func (l *Look) OverControl() bool {
	if l.ControlWhy != "" {
		return true
	}
	if l.Control == "" {
		return false
	}
	for _, d := range l.Differences {
		for _, w := range strings.FieldsFunc(d, func(r rune) bool { return strings.ContainsRune(" :,;()'\"", r) }) {
			if w == l.Control {
				return true
			}
		}
	}
	return false
}

// start starts the guard in a session of its own, independent of the connection that started it.
func (j *Job) start(ctx context.Context) error {
	const detach = `rm -rf "$1" && mv "$1.new" "$1" && cd "$1" || exit 1
: >beat
if command -v setsid >/dev/null 2>&1; then setsid sh ./guard.sh "$1" "$2" "$3" </dev/null >guard.log 2>&1 &
else nohup sh ./guard.sh "$1" "$2" "$3" </dev/null >guard.log 2>&1 & fi
exit 0`
	out, err := connect.RunCommand(ctx, j.Connection,
		connect.Command{Argv: []string{"sh", "-c", detach, "sh", j.Folder, strconv.Itoa(j.patience()), j.State}, Env: j.Env})
	if err != nil {
		return err
	}
	if out.Exit != 0 {
		return fmt.Errorf("the guard did not start: %s", firstLine(out.Stderr))
	}
	return nil
}

// ask reads the guard's state. The query is also the beat.
func (j *Job) ask(ctx context.Context) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, 5*every)
	defer cancel()
	out, err := connect.Run(ctx, j.Connection, nil, "sh", "-c",
		`cd "$1" && echo "$2" >beat && cat state 2>/dev/null; exit 0`, "sh", j.Folder, beat())
	if err != nil {
		return "", err
	}
	return strings.TrimSpace(string(out.Stdout)), nil
}

// put creates an empty file in the folder.
func (j *Job) put(ctx context.Context, name string) error {
	out, err := connect.Run(ctx, j.Connection, nil, "sh", "-c", `: >"$1"`, "sh", j.Folder+"/"+name)
	if err == nil && out.Exit != 0 {
		err = fmt.Errorf("%s: %s", name, firstLine(out.Stderr))
	}
	return err
}

func (j *Job) read(ctx context.Context, name string) string {
	out, err := connect.Run(ctx, j.Connection, nil, "cat", j.Folder+"/"+name)
	if err != nil {
		return ""
	}
	return string(out.Stdout)
}

// logs returns the last lines of the scripts' output, the failed script first.
func (j *Job) logs(ctx context.Context) []string {
	var out []string
	for _, name := range []string{"apply.log", "verify.log", "undo.log"} {
		text := j.read(ctx, name)
		if name == "verify.log" {
			differences, unknown := sort(text)
			text = strings.Join(append(differences, unknown...), "\n")
		}
		lines := strings.Split(strings.TrimSpace(text), "\n")
		for _, l := range lines[max(0, len(lines)-10):] {
			if l != "" {
				out = append(out, strings.TrimSuffix(name, ".log")+": "+l)
			}
		}
	}
	return out
}

func firstLine(b []byte) string {
	line, _, _ := strings.Cut(strings.TrimSpace(string(b)), "\n")
	return line
}
