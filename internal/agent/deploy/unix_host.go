package deploy

import (
	"bufio"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"time"

	"linerate/internal/host/connect"
)

// holdFolder makes a private folder in the first place where a program can be started and where there is space, and
// prints its path. It removes the folder at the end of its input: when the controller closes it or dies. $1 is the
// folder's name, $2 the space in KiB. A line "no PLACE: REASON" is for messages. An answer without a colon at its end
// is cut off.
const holdFolder = `umask 077
for place in "$XDG_RUNTIME_DIR" /var/tmp /dev/shm "$HOME"; do
  [ -n "$place" ] && [ -d "$place" ] || continue
  mkdir -m 700 "$place/$1" 2>/dev/null || { echo "no $place: not writable"; continue; }
  dir=$place/$1
  trap 'rm -rf "$dir"' EXIT
  trap 'exit 1' HUP INT TERM
  free=$(df -Pk "$dir" 2>/dev/null | awk 'NR == 2 { print $4 }')
  if [ -n "$free" ] && [ "$free" -lt "$2" ]; then echo "no $place: $free KiB free of $2"
  elif printf '#!/bin/sh\nexit 0\n' >"$dir/probe" && chmod 700 "$dir/probe" && "$dir/probe" 2>/dev/null; then
    rm -f "$dir/probe"
    echo "in $dir:"
    cat >/dev/null
    exit 0
  else echo "no $place: nothing can be started there (noexec)"
  fi
  rm -rf "$dir"
done
echo "none:"`

// holder is the command on the host that keeps a folder as long as its input is open.
type holder struct {
	dir     string
	input   *io.PipeWriter
	process connect.Process
	ended   chan struct{}
	once    sync.Once
}

// startHolder starts a holder and waits for the folder.
func startHolder(ctx context.Context, r connect.Connection, p program) (*holder, error) {
	name := ".linerate-" + strings.ToLower(rand.Text()[:12])
	inRead, inWrite := io.Pipe()
	outRead, outWrite := io.Pipe()
	argv := []string{"sh", "-c", holdFolder, "sh", name, fmt.Sprint(p.size/1024 + 1024)}
	// The folder exists until Cleanup, which has a deadline of its own and not that of ctx.
	process, err := r.Start(context.WithoutCancel(ctx), connect.Command{Argv: argv, Stdin: inRead, Stdout: outWrite})
	if err != nil {
		return nil, err
	}
	h := &holder{input: inWrite, process: process, ended: make(chan struct{})}
	var exit int
	var waitErr error
	go func() {
		defer close(h.ended)
		exit, waitErr = process.Wait()
		inRead.Close()
		outWrite.Close()
	}()
	type answer struct {
		dir     string
		refused []string
		err     error // what it wrote cannot be read
	}
	answers := make(chan answer, 1)
	go func() {
		var a answer
		lines := bufio.NewScanner(outRead)
		for lines.Scan() {
			line := lines.Text()
			if dir, ok := strings.CutPrefix(line, "in /"); ok && strings.HasSuffix(dir, "/"+name+":") {
				a.dir = "/" + strings.TrimSuffix(dir, ":")
				break
			}
			if place, ok := strings.CutPrefix(line, "no "); ok && len(a.refused) < 4 {
				a.refused = append(a.refused, place)
			}
		}
		a.err = lines.Err()
		answers <- a
		io.Copy(io.Discard, outRead)
	}()
	timeout := time.NewTimer(queryTimeout)
	defer timeout.Stop()
	var cause error
	select {
	case a := <-answers:
		if a.dir != "" {
			h.dir = a.dir
			return h, nil
		}
		h.release()
		if a.err != nil {
			return nil, &connect.Error{Connection: r.String(), Command: []string{"sh"}, Exit: -1,
				Cause: fmt.Errorf("read what it writes: %w", a.err), Try: "look at what the login scripts of this host print"}
		}
		if waitErr != nil {
			return nil, waitErr
		}
		return nil, &connect.Error{Connection: r.String(), Exit: exit, Output: strings.Join(a.refused, "\n"),
			Cause: errors.New("there is no folder in which the agent could be started"),
			Try:   "make one of $XDG_RUNTIME_DIR, /var/tmp, /dev/shm or the home folder writable and mount it without noexec"}
	case <-ctx.Done():
		cause = context.Cause(ctx)
	case <-timeout.C:
		cause = fmt.Errorf("no answer within %v", queryTimeout)
	}
	h.release()
	return nil, &connect.Error{Connection: r.String(), Command: []string{"sh"}, Exit: -1, Cause: cause}
}

// release has the host remove the folder, and waits for that.
func (h *holder) release() {
	h.once.Do(func() {
		h.input.Close()
		select {
		case <-h.ended:
		case <-time.After(cleanupTimeout):
			h.process.Kill()
		}
	})
}

// startsThere returns why a program with libraries does not start on a host. A shell says of such a program that it is
// not found where its loader is not, and another libc has other versions.
func startsThere(ctx context.Context, r connect.Connection, path, loader string) error {
	ctx, cancel := context.WithTimeoutCause(ctx, queryTimeout, fmt.Errorf("no answer within %v", queryTimeout))
	defer cancel()
	out, err := connect.Run(ctx, r, nil, path, "version")
	if err != nil || out.Exit == 0 {
		return err
	}
	said := strings.TrimSpace(string(out.Stderr))
	return &connect.Error{Connection: r.String(), Exit: out.Exit, Output: said[max(0, len(said)-500):],
		Cause: fmt.Errorf("this linerate was built with cgo and needs the libraries of this machine (%s), which the host "+
			"does not have in this version", loader),
		Try: "in linerate's source: CGO_ENABLED=0 go build -o linerate ./cmd/linerate, then use that program",
		Do:  "CGO_ENABLED=0 go build -o linerate ./cmd/linerate", Say: "in linerate's source, then use that program"}
}

func deployUnix(ctx context.Context, r connect.Connection, p program) (Deployed, error) {
	h, err := startHolder(ctx, r, p)
	if err != nil {
		return Deployed{}, err
	}
	path := h.dir + "/linerate-" + p.sha256[:16]
	err = p.send(ctx, func(ctx context.Context, f *os.File) error {
		return connect.PutStream(ctx, r, f, p.sha256, path, 0o700)
	})
	if err == nil && p.loader != "" {
		err = startsThere(ctx, r, path, p.loader)
	}
	if err != nil {
		h.release()
		return Deployed{}, err
	}
	return Deployed{Argv: []string{path, "agent", "--unlink-self"}, Cleanup: h.release}, nil
}
