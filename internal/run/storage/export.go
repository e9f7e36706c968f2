package storage

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"slices"
	"strings"

	"linerate/internal/agent"
	"linerate/internal/agent/export"
	"linerate/internal/base/failure"
	"linerate/internal/base/unit"
	"linerate/internal/record"
	"linerate/internal/run/experiment"
	"linerate/internal/run/remote"
	"linerate/internal/storage/block"
)

// attached is storage that its own host's agent exports, as the other host sees it.
type attached struct {
	target   string // of its job
	hostName string // that an NVMe/TCP initiator must have
	destroy  string // of a job that writes, if it needs one
	devices  []string
	how      record.BlockExport
}

// exports are the exports of a session's hosts, by client and drive.
type exports struct {
	made     map[string]attached
	hostName string // host NQN of the only initiators that may connect
}

type exportsKey struct{}

// exportsOf are the exports of a session.
func exportsOf(s experiment.Session) *exports {
	return s.Shared(exportsKey{}, func() any { return &exports{made: map[string]attached{}} }).(*exports)
}

// give makes the host of a drive export it to a worker, once a run: with its protocol where both hosts have programs
// for it; in a lab else with linerate's own NVMe/TCP.
func give(ctx context.Context, s experiment.Session, w worker, span unit.Bytes) (attached, error) {
	v := w.served
	key := fmt.Sprint(w.host, " ", v.owner, " ", v.folder, " ", v.name, " ", v.at, " ", v.protocol, " ", int64(span))
	known := exportsOf(s)
	if g, ok := known.made[key]; ok {
		return g, nil
	}
	ctx, cancel := context.WithTimeout(ctx, remote.HostDeadline+layoutTime(span))
	defer cancel()
	way, why, err := storageWay(ctx, s, w)
	if err != nil {
		return attached{}, err
	}
	var g attached
	switch {
	case way != nil:
		g, err = byWay(ctx, s, w, span, *way)
	case v.protocol == "nvme-tcp", v.substitute:
		g, err = byNVMe(ctx, s, w, span)
		if v.protocol != "nvme-tcp" {
			g.how.Instead, g.how.Because = cmp.Or(v.protocol, "the drive's own protocol"), why
		}
	default:
		err = &failure.Error{
			Code:    failure.CodeUnsupported,
			Subject: v.owner + "." + v.name,
			Text: fmt.Sprintf("it cannot be given to %s over %s: %s; or mount it there yourself and write mounts: {%s: PATH}",
				w.host, v.protocol, why, w.host),
		}
	}
	if err != nil {
		return attached{}, err
	}
	known.made[key] = g
	return g, nil
}

// forget lets the exports of a workload be made again: a server may be gone, or the client, which everything that a
// host has attached may share.
func forget(s experiment.Session, b *workload) {
	known := exportsOf(s)
	for key := range known.made {
		if slices.ContainsFunc(b.workers, func(w worker) bool {
			return w.served != nil && strings.HasPrefix(key, w.host+" ")
		}) {
			delete(known.made, key)
		}
	}
}

// storageWay is the first implementation of a protocol that both hosts have; nil: why there is none.
func storageWay(ctx context.Context, s experiment.Session, w worker) (*export.Way, string, error) {
	v := w.served
	lab := s.Lab() != nil
	servers, err := s.Client(v.owner).StorageWays(ctx, v.protocol, export.Server, lab)
	if err != nil {
		return nil, "", fmt.Errorf("%s: %w", v.owner, err)
	}
	clients, err := s.Client(w.host).StorageWays(ctx, v.protocol, export.Client, lab)
	if err != nil {
		return nil, "", fmt.Errorf("%s: %w", w.host, err)
	}
	if len(servers) == 0 {
		return nil, "linerate has no server and client of it to start", nil
	}
	var missing []string
	for i := range servers {
		at := slices.IndexFunc(clients, func(c export.Way) bool { return c.Name == servers[i].Name })
		switch {
		case at < 0:
			missing = append(missing, w.host+" is not a Linux host")
		case servers[i].Missing == "" && clients[at].Missing == "":
			return &servers[i], "", nil
		default:
			for _, l := range []struct{ host, missing string }{{v.owner, servers[i].Missing}, {w.host, clients[at].Missing}} {
				if l.missing != "" {
					missing = append(missing, l.host+": "+l.missing)
				}
			}
		}
	}
	return nil, strings.Join(slices.Compact(missing), "; "), nil
}

// byWay exports and attaches with both agents.
func byWay(ctx context.Context, s experiment.Session, w worker, span unit.Bytes,
	way export.Way) (attached, error) {
	v := w.served
	have, err := s.Client(v.owner).ExportStorage(ctx, way.Name, v.folder, v.name, span, v.at, v.peer)
	if err != nil {
		return attached{}, fmt.Errorf("%s: %w", v.owner, err)
	}
	a, err := s.Client(w.host).AttachStorage(ctx, have)
	if err != nil {
		return attached{}, fmt.Errorf("%s: %w", w.host, err)
	}
	g := attached{
		target:  a.Path,
		devices: have.Devices,
		how: record.BlockExport{Protocol: v.protocol, At: have.At.String(), Server: have.Server, Client: a.Client,
			Kernel: way.Kernel},
	}
	if a.Kind == block.KindDevice {
		g.destroy = a.Path + "=" + cmp.Or(a.Serial, fmt.Sprint(int64(a.Size)))
	}
	return g, nil
}

// byNVMe uses linerate's own NVMe/TCP at both ends.
func byNVMe(ctx context.Context, s experiment.Session, w worker, span unit.Bytes) (attached, error) {
	known := exportsOf(s)
	if known.hostName == "" {
		known.hostName = "nqn.2026-11.linerate:host-" + strings.ToLower(rand.Text())
	}
	v := w.served
	e, err := s.Client(v.owner).
		Export(ctx, agent.Export{Target: v.folder, Name: v.name, Span: span, Local: v.at, Host: known.hostName})
	if err != nil {
		return attached{}, fmt.Errorf("%s: %w", v.owner, err)
	}
	return attached{
		target:   e.URL,
		hostName: known.hostName,
		destroy:  e.URL + "=" + e.Identity,
		devices:  e.Devices,
		how: record.BlockExport{Protocol: "nvme-tcp", At: v.at.String(), Server: "linerate, in user space",
			Client: "linerate, in user space"},
	}, nil
}

// substituteText is the warning of a record whose storage used a substitute protocol; empty: it did not.
func substituteText(how *record.BlockExport) string {
	if how == nil || how.Instead == "" {
		return ""
	}
	return fmt.Sprintf(
		"NVMe/TCP, linerate's own at both ends, replaces %s here: the figure says nothing of that protocol (%s)",
		how.Instead, how.Because)
}

// isLost reports whether a target failed while it was used.
func isLost(err error) bool {
	var e *failure.Error
	return errors.As(err, &e) &&
		(e.Code == block.CodeLost || e.Code == failure.CodeTimeout || e.Code == failure.CodeInput)
}
