package agent

import (
	"context"
	"fmt"
	"net/netip"
	"os/exec"
	"slices"
	"strings"

	"linerate/internal/base/unit"
	"linerate/internal/traffic"
)

// StorageWay is a protocol of storage with a server and a client of it, as one host has them or lacks them.
type StorageWay struct {
	Name     string `json:"name"`     // "iscsi-user"
	Protocol string `json:"protocol"` // "iscsi", as an export has it
	Kernel   bool   `json:"kernel"`   // the system's own server and initiator; else programs
	// Lacks is why this host cannot take the part that was asked for, with what would help; empty: it can.
	Lacks string `json:"lacks,omitempty"`
}

// storageRole is a part in a way.
type storageRole string

// The two parts.
const (
	StorageServer storageRole = "server"
	StorageClient storageRole = "client"
)

// Given is storage that an agent gives out by a way to one other host, until its controller is gone.
type Given struct {
	Way    string         `json:"way"`
	At     netip.AddrPort `json:"at"`
	Name   string         `json:"name"`             // of the target: an IQN, an NQN, an export, a share
	Unit   int            `json:"unit,omitempty"`   // its LUN
	User   string         `json:"user,omitempty"`   // who may log in, and with what
	Secret string         `json:"secret,omitempty"` // made for this run
	Size   unit.Bytes     `json:"size"`
	Server string         `json:"server"` // in words, with its version
	// Devices are the drives under it.
	Devices []string `json:"devices,omitempty"`
}

// Attached is what an agent made of it: a file, a device or a folder of its host.
type Attached struct {
	Path   string     `json:"path"`
	Kind   string     `json:"kind"` // file, device or folder, as package block has them
	Size   unit.Bytes `json:"size,omitempty"`
	Client string     `json:"client"` // in words, with its version
	// Serial names a device to a job that writes; empty: it has no serial number, and its size does.
	Serial string `json:"serial,omitempty"`
}

type storageRequest struct {
	Protocol string      `json:"protocol"`
	Role     storageRole `json:"role"`
	// Kernel allows ways that change what the whole kernel has: modules, targets, sessions. Guests of a lab are there for that.
	Kernel bool `json:"kernel"`
}

// giveRequest asks for a file, or a folder, to be given out.
type giveRequest struct {
	Way    string     `json:"way"`
	Target string     `json:"target"` // a folder
	Key    string     `json:"key"`    // one file a key: the drive's name
	Span   unit.Bytes `json:"span"`
	Local  netip.Addr `json:"local"` // that the server listens at
	Peer   netip.Addr `json:"peer"`  // who alone may connect
}

// storageWay is one of the table. Its functions run on the host that they are about.
type storageWay struct {
	StorageWay
	// programs that each end needs, with the Debian package that has them.
	server, client []programOf
	// before is asked before the programs, also after them: what else is lacking, in words; nil: nothing can be.
	before func() string
	also   func(ctx context.Context, role storageRole) string
	// folder: a folder is given out, not a file; the client makes its file in it.
	folder bool
	give   func(ctx context.Context, s *server, q giveRequest, path string, size unit.Bytes) (Given, error)
	attach func(ctx context.Context, s *server, g Given) (Attached, error)
}

// programOf is a program and where it comes from.
type programOf struct{ name, pack string }

func (w storageWay) lacks(ctx context.Context, role storageRole) string {
	if w.before != nil {
		if why := w.before(); why != "" {
			return why
		}
	}
	need := w.server
	if role == StorageClient {
		need = w.client
	}
	var absent, packs []string
	for _, p := range need {
		if _, err := lookProgram(p.name); err != nil {
			absent = append(absent, p.name)
			if !slices.Contains(packs, p.pack) {
				packs = append(packs, p.pack)
			}
		}
	}
	if len(absent) > 0 {
		return fmt.Sprintf("%s: not on this host (Debian: apt-get install %s)", strings.Join(absent, ", "), strings.Join(packs, " "))
	}
	if w.also != nil {
		return w.also(ctx, role)
	}
	return ""
}

// lookProgram finds a program also in an administrator's folders, which are not on everybody's PATH.
func lookProgram(name string) (string, error) {
	path, err := exec.LookPath(name)
	for _, dir := range []string{"/usr/local/sbin/", "/usr/sbin/", "/sbin/"} {
		if err == nil {
			break
		}
		path, err = exec.LookPath(dir + name)
	}
	return path, err
}

func wayOf(name string) (storageWay, error) {
	for _, w := range storageWays() {
		if w.Name == name {
			return w, nil
		}
	}
	return storageWay{}, &traffic.Error{Code: traffic.CodeInput, Subject: "way", Text: fmt.Sprintf("%.40q is none that this agent knows", name)}
}

// answerStorage handles the requests that are about protocols of storage.
func (s *server) answerStorage(ctx context.Context, f frame) (handled bool, err error) {
	switch f.Kind {
	case kindStorage:
		var q storageRequest
		if err := decode(f.Body, &q); err != nil {
			return true, err
		}
		out := []StorageWay{}
		for _, w := range storageWays() {
			if w.Protocol == q.Protocol && (q.Kernel || !w.Kernel) {
				w.Lacks = w.lacks(ctx, q.Role)
				out = append(out, w.StorageWay)
			}
		}
		return true, s.link.send(ctx, f.ID, kindReady, out)
	case kindGive:
		var q giveRequest
		if err := decode(f.Body, &q); err != nil {
			return true, err
		}
		if err := s.mayStore(); err != nil {
			return true, err
		}
		w, err := wayOf(q.Way)
		if err != nil {
			return true, err
		}
		g, err := s.give(ctx, w, q)
		if err != nil {
			return true, err
		}
		return true, s.link.send(ctx, f.ID, kindReady, g)
	case kindAttach:
		var g Given
		if err := decode(f.Body, &g); err != nil {
			return true, err
		}
		if err := s.mayStore(); err != nil {
			return true, err
		}
		w, err := wayOf(g.Way)
		if err != nil {
			return true, err
		}
		a, err := w.attach(ctx, s, g)
		if err != nil {
			return true, err
		}
		s.mu.Lock()
		s.attached = append(s.attached, a.Path)
		s.mu.Unlock()
		return true, s.link.send(ctx, f.ID, kindReady, a)
	}
	return false, nil
}

// mayStore refuses an agent that listens and was not told that it may.
func (s *server) mayStore() error {
	if s.opt.listens && !slices.Contains(s.opt.Allow, writesBlocks) {
		return &traffic.Error{Code: traffic.CodeInput, Subject: "export", Text: "an agent that listens gives storage out, and takes it, only if it was started with --allow " + writesBlocks}
	}
	return nil
}

// give makes the file and gives it out.
func (s *server) give(ctx context.Context, w storageWay, q giveRequest) (Given, error) {
	if !q.Local.IsValid() || !q.Peer.IsValid() || q.Span <= 0 {
		return Given{}, &traffic.Error{Code: traffic.CodeInput, Subject: "export", Text: "it needs an address to listen at, the one that may connect, and a size"}
	}
	if w.folder {
		return w.give(ctx, s, q, "", q.Span)
	}
	j := layoutJob(q.Target, q.Span)
	laid, err := s.laidOut(ctx, &j, q.Key)
	if err != nil {
		return Given{}, err
	}
	if laid == nil {
		return Given{}, &traffic.Error{Code: traffic.CodeUnsafe, Subject: q.Target, Text: "it is there and no folder, and what is there is not given out; name a folder"}
	}
	g, err := w.give(ctx, s, q, laid.path, q.Span)
	g.Way, g.Size, g.Devices = w.Name, q.Span, laid.engine.Ready().Devices
	return g, err
}

// isAttached says whether a path is of storage that this agent attached.
func (s *server) isAttached(path string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Contains(s.attached, path)
}

// StorageWays are the ways that a protocol has, in the order in which they are to be tried, with what the agent's host lacks for a part in each.
func (c *Client) StorageWays(ctx context.Context, protocol string, role storageRole, kernel bool) (all []StorageWay, err error) {
	err = c.ask(ctx, "ask for "+protocol, kindStorage, storageRequest{protocol, role, kernel}, func(f frame) (bool, error) { return true, want(f, kindReady, &all) })
	return all, err
}

// Give has the agent make a file of a size in a folder, and give it out by a way to one other host until the client is closed. Key tells drives of one folder apart.
func (c *Client) Give(ctx context.Context, way, folder, key string, size unit.Bytes, local, peer netip.Addr) (g Given, err error) {
	q := giveRequest{Way: way, Target: folder, Key: key, Span: size, Local: local, Peer: peer}
	err = c.ask(ctx, "export", kindGive, q, func(f frame) (bool, error) { return true, want(f, kindReady, &g) })
	return g, err
}

// Attach has the agent make a file, a device or a folder of its host of what another agent gives out, until the client is closed.
func (c *Client) Attach(ctx context.Context, g Given) (a Attached, err error) {
	err = c.ask(ctx, "attach", kindAttach, g, func(f frame) (bool, error) { return true, want(f, kindReady, &a) })
	return a, err
}
