package export

import (
	"cmp"
	"context"
	"crypto/rand"
	"fmt"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sys/unix"

	"linerate/internal/agent/process"
	"linerate/internal/base/failure"
	"linerate/internal/storage/block"
)

// kernelWay is a way whose server and client are in the kernel, as lines of a shell. The lines have these variables:
//
//	at, port, peer, name, user, secret, path, size, id, dir
//
// path is of the file that is exported, or of the folder; id differs between the exports and attachments of one agent;
// dir is the agent's own folder.
type kernelWay struct {
	protocol string
	port     uint16
	// server and client are their names in messages, which the kernel's release follows.
	server, client                 string
	serverModules, clientModules   []string
	serverPrograms, clientPrograms []program
	folder                         bool
	// user makes the only name that may connect from a random word; nil: there is none.
	user func(word string) string
	name func(word, id string) string
	// unexport and detach undo export and attach; they go on where something does not exist.
	export, unexport, attach, detach string
	// found prints the path of the device, or nothing yet; empty: the folder $dir/$id is attached.
	found string
}

func (k kernelWay) way() way {
	common := []program{{"modprobe", "kmod"}, {"sh", "dash"}}
	return way{
		Way:    Way{Name: k.protocol + "-kernel", Protocol: k.protocol, Kernel: true},
		folder: k.folder,
		server: slices.Concat(common, k.serverPrograms),
		client: slices.Concat(common, k.clientPrograms),
		before: wholeMachine,
		also: func(ctx context.Context, role Role) string {
			need := k.serverModules
			if role == Client {
				need = k.clientModules
			}
			absent := slices.DeleteFunc(slices.Clone(need), func(name string) bool { return hasModule(ctx, name) })
			if len(absent) > 0 {
				return fmt.Sprintf("the kernel %s has no module %s", kernelRelease(), strings.Join(absent, ", "))
			}
			return ""
		},
		export: k.exportHere,
		attach: k.attachHere,
	}
}

// wholeMachine is why this process may not change what the kernel exports and attaches, which belongs to the machine
// and not to a namespace of it; empty: it may.
func wholeMachine() string {
	if os.Geteuid() != 0 {
		return "the kernel's targets and sessions are root's"
	}
	own, err1 := os.Readlink("/proc/self/ns/net")
	first, err2 := os.Readlink("/proc/1/ns/net")
	if err1 != nil || err2 != nil || own != first {
		return "this host is a namespace, and the kernel's targets and sessions are of the whole machine (in a lab: " +
			"guest: true)"
	}
	return ""
}

func hasModule(ctx context.Context, name string) bool {
	if info, err := os.Stat("/sys/module/" + strings.ReplaceAll(name, "-", "_")); err == nil && info.IsDir() {
		return true
	}
	path, err := process.Look("modprobe")
	return err == nil && exec.CommandContext(ctx, path, "-n", "-q", name).Run() == nil
}

func kernelRelease() string {
	var u unix.Utsname
	if unix.Uname(&u) != nil {
		return "(not known)"
	}
	return unix.ByteSliceToString(u.Release[:])
}

// shell runs lines. The keeper gets the lines that undo them first.
func (s *State) shell(ctx context.Context, vars []string, do, undo string) (string, error) {
	if undo != "" {
		var back strings.Builder
		for _, v := range vars {
			name, value, _ := strings.Cut(v, "=")
			fmt.Fprintf(&back, "%s='%s'\n", name, strings.ReplaceAll(value, "'", `'\''`))
		}
		if err := s.undo(back.String() + undo); err != nil {
			return "", err
		}
	}
	return output(ctx, vars, "sh", "-e", "-c", do)
}

// next is the agent's folder and the number of the next export or attachment.
func (s *State) next() (dir, id string, err error) {
	if dir, err = s.folder(); err == nil {
		s.ids++
	}
	return dir, fmt.Sprint(s.ids), err
}

// variables are those of the lines.
func variables(e Export, peer, path, id, dir string) []string {
	return []string{"at=" + e.At.Addr().String(), fmt.Sprintf("port=%d", e.At.Port()), "peer=" + peer, "name=" + e.Name,
		"user=" + e.User, "secret=" + e.Secret,
		"path=" + path, fmt.Sprintf("size=%d", int64(e.Size)), "id=" + id, "dir=" + dir}
}

func (k kernelWay) exportHere(ctx context.Context, s *State, q Request, path string) (e Export, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	dir, id, err := s.next()
	if err != nil {
		return e, err
	}
	word := strings.ToLower(rand.Text())
	e = Export{Way: k.protocol + "-kernel", Size: q.Span, Secret: rand.Text()[:16],
		At: netip.AddrPortFrom(q.Local, k.port), Server: fmt.Sprintf("%s of Linux %s", k.server, kernelRelease())}
	if k.user != nil {
		e.User = k.user(word)
	}
	if k.folder {
		path = filepath.Join(dir, "share"+id)
	}
	if e.Name = path; k.name != nil {
		e.Name = k.name(word, id)
	}
	text, err := s.shell(ctx, variables(e, q.Peer.String(), path, id, dir), k.export, k.unexport)
	return e, k.failed(err, text)
}

func (k kernelWay) attachHere(ctx context.Context, s *State, e Export) (a Attached, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	dir, id, err := s.next()
	if err != nil {
		return a, err
	}
	id = "unit" + id
	vars := variables(e, "", "", id, dir)
	text, err := s.shell(ctx, vars, k.attach, k.detach)
	if err != nil {
		return a, k.failed(err, text)
	}
	a = Attached{Path: filepath.Join(dir, id), Kind: block.KindFolder,
		Client: fmt.Sprintf("%s of Linux %s", k.client, kernelRelease())}
	if k.found == "" {
		return a, nil
	}
	if a.Path, err = s.shell(ctx, vars, waitFor(k.found), ""); err != nil {
		return a, k.failed(err, a.Path)
	}
	a.Kind = block.KindDevice
	if a.Serial, a.Size, err = block.Identify(a.Path); err != nil {
		return a, err
	}
	return a, e.checkSize(a.Size)
}

// waitFor repeats lines until they print the path of a block device.
func waitFor(lines string) string {
	return "for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30; " +
		"do\nfound=$( { " + lines + "\n} 2>/dev/null | head -n 1 )\n" +
		`[ -n "$found" ] && [ -b "$found" ] && { echo "$found"; exit 0; }; sleep 0.3; done; echo "no device came" >&2; exit 1`
}

// failed names the protocol and not the shell where lines failed.
func (k kernelWay) failed(err error, text string) error {
	if e, ok := err.(*failure.Error); ok && e.Subject == "sh" {
		return &failure.Error{Code: failure.CodeAddress, Subject: k.protocol + " of the kernel",
			Text: cmp.Or(process.LastLines([]byte(text)), e.Text)}
	}
	return err
}
