// Package export exports a file or folder of an agent's host to one other host over a storage protocol, and attaches
// there what another agent exports: by programs in user space, or by what the kernel has.
package export

import (
	"context"
	"fmt"
	"net/netip"
	"slices"
	"strings"

	"linerate/internal/agent/process"
	"linerate/internal/base/failure"
	"linerate/internal/base/unit"
	"linerate/internal/base/xslices"
)

// Way is a storage protocol with a server and a client of it, as one host has them.
type Way struct {
	Name     string `json:"name"`     // "iscsi-user"
	Protocol string `json:"protocol"` // "iscsi", as a fabric file names it
	Kernel   bool   `json:"kernel"`   // the system's own server and initiator; else programs
	// Missing is why this host cannot take the role that was asked for, with what would help; empty: it can.
	Missing string `json:"lacks,omitempty"`
}

// Role is what a host is for a way.
type Role string

// The two roles.
const (
	Server Role = "server"
	Client Role = "client"
)

// Export is storage that an agent exports by a way to one other host, until its controller is gone.
type Export struct {
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

// Attached is an export of another host as a file, device or folder of this one.
type Attached struct {
	Path   string     `json:"path"`
	Kind   string     `json:"kind"` // file, device or folder, as package block has them
	Size   unit.Bytes `json:"size,omitempty"`
	Client string     `json:"client"` // in words, with its version
	// Serial names a device to a job that writes; empty: the device has no serial number, and its size names it.
	Serial string `json:"serial,omitempty"`
}

// Query asks for the ways of a protocol.
type Query struct {
	Protocol string `json:"protocol"`
	Role     Role   `json:"role"`
	// Kernel allows ways that change what the whole kernel has: modules, targets, sessions. Guests of a lab may be
	// changed so.
	Kernel bool `json:"kernel"`
}

// Request asks for the export of a file or folder.
type Request struct {
	Way    string     `json:"way"`
	Target string     `json:"target"` // a folder
	Key    string     `json:"key"`    // one file a key: the drive's name
	Span   unit.Bytes `json:"span"`
	Local  netip.Addr `json:"local"` // that the server listens at
	Peer   netip.Addr `json:"peer"`  // that alone may connect
}

// way is a Way with what each end needs and does.
type way struct {
	Way
	server, client []program
	// before is asked before the programs, also after them: what else is missing, in words; nil: nothing can be.
	before func() string
	also   func(context.Context, Role) string
	// folder reports that a folder is exported and not a file; the client makes its file in it.
	folder bool
	export func(ctx context.Context, s *State, q Request, path string) (Export, error)
	attach func(context.Context, *State, Export) (Attached, error)
}

// program is a program and the Debian package that has it.
type program struct{ name, pack string }

// Ways are the ways that this host knows for a protocol, in the order in which they are to be tried.
func Ways(ctx context.Context, q Query) []Way {
	out := []Way{}
	for _, w := range ways() {
		if w.Protocol == q.Protocol && (q.Kernel || !w.Kernel) {
			w.Missing = w.missing(ctx, q.Role)
			out = append(out, w.Way)
		}
	}
	return out
}

func (w way) missing(ctx context.Context, role Role) string {
	if w.before != nil {
		if why := w.before(); why != "" {
			return why
		}
	}
	need := w.server
	if role == Client {
		need = w.client
	}
	var absent, packs []string
	for _, p := range need {
		if _, err := process.Look(p.name); err != nil {
			absent = append(absent, p.name)
			packs = xslices.AppendNew(packs, p.pack)
		}
	}
	if len(absent) > 0 {
		return fmt.Sprintf("%s: not on this host (Debian: apt-get install %s)", strings.Join(absent, ", "),
			strings.Join(packs, " "))
	}
	if w.also != nil {
		return w.also(ctx, role)
	}
	return ""
}

func find(name string) (way, error) {
	all := ways()
	if i := slices.IndexFunc(all, func(w way) bool { return w.Name == name }); i >= 0 {
		return all[i], nil
	}
	return way{}, failure.Errorf(failure.CodeInput, "way", "%.40q is none that this agent knows", name)
}

// Export makes what q asks for and exports it. lay makes the file, or returns one that was made before, with the drives
// under it.
func (s *State) Export(ctx context.Context, q Request, lay func() (path string, devices []string, err error)) (
	out Export, err error) {
	w, err := find(q.Way)
	if err != nil {
		return out, err
	}
	if !q.Local.IsValid() || !q.Peer.IsValid() || q.Span <= 0 {
		return out, &failure.Error{Code: failure.CodeInput, Subject: "export",
			Text: "it needs an address to listen at, the one that may connect, and a size"}
	}
	if w.folder {
		return w.export(ctx, s, q, "")
	}
	path, devices, err := lay()
	if err != nil {
		return out, err
	}
	out, err = w.export(ctx, s, q, path)
	out.Way, out.Size, out.Devices = w.Name, q.Span, devices
	return out, err
}

// Attach makes an export of another host a file, device or folder of this one.
func (s *State) Attach(ctx context.Context, e Export) (Attached, error) {
	w, err := find(e.Way)
	if err != nil {
		return Attached{}, err
	}
	return w.attach(ctx, s, e)
}
