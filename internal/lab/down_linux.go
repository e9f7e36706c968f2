package lab

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"linerate/internal/host/connect"
)

const (
	downTimeout = 5 * time.Second // for the init to end by itself
	killTimeout = 10 * time.Second
)

// List returns the labs of this user, running ones and the remains of dead ones, oldest first.
func List() ([]Summary, error) {
	var out []Summary
	sweepQuotas("")
	for _, folder := range connect.LabFolders() {
		if connect.CheckLabFolder(folder) != nil {
			continue
		}
		entries, err := os.ReadDir(folder)
		if err != nil {
			return nil, err
		}
		for _, e := range entries {
			out = append(out, summary(filepath.Join(folder, e.Name())))
		}
	}
	slices.SortFunc(out, func(a, b Summary) int { return a.Created.Compare(b.Created) })
	return out, nil
}

func summary(dir string) Summary {
	s := Summary{ID: filepath.Base(dir), Folder: dir, Guests: []string{}}
	state, err := connect.ReadLabState(dir)
	if err != nil {
		s.Stray = "it has no state: " + err.Error()
		return s
	}
	s.Fabric, s.Created, s.Detached, s.Hosts, s.Ready = state.Fabric, state.Created, state.Detached, state.Hosts,
		state.Ready
	s.Guests = append(s.Guests, state.Guests...)
	var info Info
	if len(state.Info) > 0 && json.Unmarshal(state.Info, &info) == nil {
		s.Scale, s.Share, s.Guests = info.Scale, info.Share, append([]string{}, info.GuestNames()...)
		for _, g := range info.Guests {
			if g.Failed != "" {
				s.Failed = append(s.Failed, g.Host)
			}
		}
	}
	switch {
	case alive(state.Init, state.Boot):
	case state.Init.PID == 0 && alive(state.Controller, state.Boot): // coming up
	case state.Boot != bootID():
		s.Stray = "it was made before this machine's last start"
	default:
		s.Stray = "its init is gone"
	}
	return s
}

// Down ends a lab and removes what is left of it. It only needs the state file, so it also works after the lab's init
// or its controller was killed at any time. It is idempotent: a missing lab is not an error.
func Down(id string) error {
	dir, _, err := connect.FindLab(id)
	if dir == "" {
		if errors.Is(err, os.ErrNotExist) {
			return nil
		}
		return err
	}
	return downFolder(dir)
}

// downFolder ends the lab in a folder. If the state file cannot be read, the controller died before it started an init.
func downFolder(dir string) error {
	if state, err := connect.ReadLabState(dir); err == nil {
		if err := endInit(dir, state); err != nil {
			return fmt.Errorf("lab %s: %w", filepath.Base(dir), err)
		}
	}
	err := removeFolder(dir)
	sweepQuotas(filepath.Base(dir))
	if err != nil {
		return fmt.Errorf("lab %s: %w", filepath.Base(dir), err)
	}
	return nil
}

// endInit asks the init to end, then kills it, and returns when it is gone.
func endInit(dir string, state connect.LabState) error {
	if !alive(state.Init, state.Boot) || !isInit(state.Init.PID, state.ID) {
		return nil
	}
	fd, err := unix.PidfdOpen(state.Init.PID, 0)
	if errors.Is(err, unix.ESRCH) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("its init (process %d): %w", state.Init.PID, err)
	}
	defer unix.Close(fd)
	if !alive(state.Init, state.Boot) { // the process id was already reused
		return nil
	}
	if ask(dir, connect.LabRequest{Token: state.Token, Op: "down"}, downTimeout) == nil && waitGone(fd, downTimeout) {
		return nil
	}
	if err := unix.PidfdSendSignal(fd, unix.SIGKILL, nil, 0); err != nil && !errors.Is(err, unix.ESRCH) {
		return fmt.Errorf("kill its init (process %d): %w", state.Init.PID, err)
	}
	if !waitGone(fd, killTimeout) {
		return fmt.Errorf("its init (process %d) did not end %v after it was killed", state.Init.PID, killTimeout)
	}
	return nil
}

// isInit guards against a state file that names some other process.
func isInit(pid int, id string) bool {
	b, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/cmdline")
	return err == nil && bytes.HasSuffix(b, []byte("\x00"+InitCommand+"\x00"+id+"\x00"))
}

// ask sends a request with one answer to the lab in a folder.
func ask(dir string, q connect.LabRequest, limit time.Duration) error {
	conn, err := net.DialTimeout("unix", filepath.Join(dir, connect.LabSocketFile), limit)
	if err != nil {
		return err
	}
	defer conn.Close()
	conn.SetDeadline(time.Now().Add(limit))
	if err := connect.WriteLabFrame(conn, q); err != nil {
		return err
	}
	var a connect.LabAnswer
	if err := connect.ReadLabFrame(conn, &a); err != nil {
		return err
	}
	if a.Error != "" {
		return errors.New(a.Error)
	}
	return nil
}

// waitGone waits until a process has ended: its pidfd becomes readable.
func waitGone(pidfd int, limit time.Duration) bool {
	for end := time.Now().Add(limit); ; {
		left := time.Until(end)
		if left <= 0 {
			return false
		}
		n, err := unix.Poll([]unix.PollFd{{Fd: int32(pidfd), Events: unix.POLLIN}}, int(left.Milliseconds())+1)
		if n > 0 && err == nil {
			return true
		}
		if err != nil && !errors.Is(err, unix.EINTR) {
			return false
		}
	}
}

// Exec runs a command on a host, "ID/HOST" or, if only one lab is running, "HOST", and returns its exit code, 128+N if
// it died by signal N. Standard streams that are files are passed to the command directly.
func Exec(ctx context.Context, target string, c connect.Command) (exit int, err error) {
	spec := connect.Spec{Kind: connect.Lab, Name: target}
	if id, host, ok := strings.Cut(target, "/"); ok {
		spec.Lab, spec.Name = id, host
	}
	r, err := connect.Open(ctx, spec)
	if err != nil {
		return -1, err
	}
	defer r.Close()
	p, err := r.Start(ctx, c)
	if err != nil {
		return -1, err
	}
	return p.Wait()
}
