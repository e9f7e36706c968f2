package run

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"slices"
	"strings"

	"linerate/internal/agent"
	"linerate/internal/base/unit"
	"linerate/internal/record"
	"linerate/internal/storage/block"
	"linerate/internal/traffic"
)

// given is storage that its own host's agent gives out, as the host that asks has it.
type given struct {
	target   string // of its job
	hostName string // that an initiator of NVMe/TCP has to have
	destroy  string // of a job that writes, where it needs one
	devices  []string
	how      record.BlockExport
}

// give has the host of a drive give it out to a worker, once a run: by its protocol where both hosts have a way for that; in a lab else by linerate's own NVMe/TCP.
func (s *session) give(ctx context.Context, w blockWorker, span unit.Bytes) (given, error) {
	v := w.served
	key := fmt.Sprint(w.host, " ", v.owner, " ", v.folder, " ", v.name, " ", v.at, " ", v.protocol, " ", int64(span))
	if g, ok := s.given[key]; ok {
		return g, nil
	}
	ctx, cancel := context.WithTimeout(ctx, hostDeadline+layoutTime(span))
	defer cancel()
	way, why, err := s.storageWay(ctx, w)
	if err != nil {
		return given{}, err
	}
	var g given
	switch {
	case way != nil:
		g, err = s.byWay(ctx, w, span, *way)
	case v.protocol == "nvme-tcp", v.standIn:
		g, err = s.byNVMe(ctx, w, span)
		if v.protocol != "nvme-tcp" {
			g.how.Instead, g.how.Because = cmp.Or(v.protocol, "the drive's own protocol"), why
		}
	default:
		err = &traffic.Error{Code: traffic.CodeUnsupported, Subject: v.owner + "." + v.name, Text: fmt.Sprintf("it cannot be given to %s over %s: %s; or mount it there yourself and write mounts: {%s: PATH}", w.host, v.protocol, why, w.host)}
	}
	if err != nil {
		return given{}, err
	}
	if s.given == nil {
		s.given = map[string]given{}
	}
	s.given[key] = g
	return g, nil
}

// forget lets what was given to the hosts that ask be given anew: a server of it may be gone, or the client, which all that a host has attached may share.
func (s *session) forget(b *blockCell) {
	for key := range s.given {
		if slices.ContainsFunc(b.workers, func(w blockWorker) bool {
			return w.served != nil && strings.HasPrefix(key, w.host+" ")
		}) {
			delete(s.given, key)
		}
	}
}

// storageWay is the first way of a protocol that both hosts have; nil: why there is none.
func (s *session) storageWay(ctx context.Context, w blockWorker) (*agent.StorageWay, string, error) {
	v := w.served
	lab := s.cfg.Lab != nil
	servers, err := s.clients[v.owner].StorageWays(ctx, v.protocol, agent.StorageServer, lab)
	if err != nil {
		return nil, "", fmt.Errorf("%s: %w", v.owner, err)
	}
	clients, err := s.clients[w.host].StorageWays(ctx, v.protocol, agent.StorageClient, lab)
	if err != nil {
		return nil, "", fmt.Errorf("%s: %w", w.host, err)
	}
	if len(servers) == 0 {
		return nil, "linerate has no server and client of it to start", nil
	}
	var lacks []string
	for i := range servers {
		at := slices.IndexFunc(clients, func(c agent.StorageWay) bool { return c.Name == servers[i].Name })
		switch {
		case at < 0:
			lacks = append(lacks, w.host+" is no Linux host")
		case servers[i].Lacks == "" && clients[at].Lacks == "":
			return &servers[i], "", nil
		default:
			for _, l := range []struct{ host, lack string }{{v.owner, servers[i].Lacks}, {w.host, clients[at].Lacks}} {
				if l.lack != "" {
					lacks = append(lacks, l.host+": "+l.lack)
				}
			}
		}
	}
	return nil, strings.Join(slices.Compact(lacks), "; "), nil
}

// byWay has both agents do it.
func (s *session) byWay(ctx context.Context, w blockWorker, span unit.Bytes, way agent.StorageWay) (given, error) {
	v := w.served
	have, err := s.clients[v.owner].Give(ctx, way.Name, v.folder, v.name, span, v.at, v.peer)
	if err != nil {
		return given{}, fmt.Errorf("%s: %w", v.owner, err)
	}
	a, err := s.clients[w.host].Attach(ctx, have)
	if err != nil {
		return given{}, fmt.Errorf("%s: %w", w.host, err)
	}
	g := given{target: a.Path, devices: have.Devices, how: record.BlockExport{Protocol: v.protocol, At: have.At.String(), Server: have.Server, Client: a.Client, Kernel: way.Kernel}}
	if a.Kind == block.KindDevice {
		g.destroy = a.Path + "=" + cmp.Or(a.Serial, fmt.Sprint(int64(a.Size)))
	}
	return g, nil
}

// byNVMe is linerate's own NVMe/TCP at both ends.
func (s *session) byNVMe(ctx context.Context, w blockWorker, span unit.Bytes) (given, error) {
	if s.hostName == "" {
		s.hostName = "nqn.2026-11.linerate:host-" + strings.ToLower(rand.Text())
	}
	v := w.served
	e, err := s.clients[v.owner].Export(ctx, agent.Export{Target: v.folder, Name: v.name, Span: span, Local: v.at, Host: s.hostName})
	if err != nil {
		return given{}, fmt.Errorf("%s: %w", v.owner, err)
	}
	return given{target: e.URL, hostName: s.hostName, destroy: e.URL + "=" + e.Identity, devices: e.Devices,
		how: record.BlockExport{Protocol: "nvme-tcp", At: v.at.String(), Server: "linerate, in user space", Client: "linerate, in user space"}}, nil
}

// standsIn is the warning of a record whose storage went over another protocol than its own; empty: it did not.
func standsIn(how *record.BlockExport) string {
	if how == nil || how.Instead == "" {
		return ""
	}
	return fmt.Sprintf("NVMe/TCP, linerate's own at both ends, stands in for %s here: the figure says nothing of that protocol (%s)", how.Instead, how.Because)
}

// isLost says whether a target failed while it was used.
func isLost(err error) bool {
	var e *traffic.Error
	return errors.As(err, &e) && (e.Code == block.CodeLost || e.Code == traffic.CodeTimeout || e.Code == traffic.CodeInput)
}
