package agent

import (
	"cmp"
	"context"
	"crypto/rand"
	"fmt"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"

	"linerate/internal/base/unit"
	"linerate/internal/storage/block"
	"linerate/internal/traffic"
)

// kernelWay is a way whose server and client are those of the system's kernels, as lines of a shell. They get what they need in variables:
//
//	way, at, port, peer, name, user, secret, path, size, id, dir
//
// path is of the file that is given out, or of the folder; id tells several of one agent apart; dir is the agent's own folder.
type kernelWay struct {
	protocol string
	port     uint16
	// server and client are what they are, in words; the kernel's release comes behind.
	server, client string
	// modules and programs of the two ends.
	serves, uses     []string
	serverP, clientP []programOf
	folder           bool
	// user is the name that alone may come in, of a random word; nil: none.
	user func(word string) string
	name func(word, id string) string
	// give and attach do it, ungive and detach take it back: they begin anew where something is not there.
	give, ungive, attach, detach string
	// found prints the path of what came, or nothing yet; empty: it is the folder $dir/$id.
	found string
}

// kernelProtocols are those of kernels, a line each.
func kernelProtocols() []kernelWay {
	return []kernelWay{iscsiKernel(), nvmeKernel(), nfsKernel(), smbKernel()}
}

// way is it as one of the table.
func (k kernelWay) way() storageWay {
	w := storageWay{StorageWay: StorageWay{Name: k.protocol + "-kernel", Protocol: k.protocol, Kernel: true}, folder: k.folder}
	w.server = append([]programOf{{"modprobe", "kmod"}, {"sh", "dash"}}, k.serverP...)
	w.client = append([]programOf{{"modprobe", "kmod"}, {"sh", "dash"}}, k.clientP...)
	w.before = wholeMachine
	w.also = func(ctx context.Context, role storageRole) string {
		need := k.serves
		if role == StorageClient {
			need = k.uses
		}
		var absent []string
		for _, m := range need {
			if !hasModule(ctx, m) {
				absent = append(absent, m)
			}
		}
		if len(absent) > 0 {
			return fmt.Sprintf("the kernel %s has no module %s", kernelRelease(), strings.Join(absent, ", "))
		}
		return ""
	}
	w.give = k.giveOut
	w.attach = k.attachHere
	return w
}

// wholeMachine says why what the kernel gives out and attaches is not this process's to change: it is of the machine, and not of a namespace of it.
func wholeMachine() string {
	if os.Geteuid() != 0 {
		return "the kernel's targets and sessions are root's"
	}
	own, err1 := os.Readlink("/proc/self/ns/net")
	first, err2 := os.Readlink("/proc/1/ns/net")
	if err1 != nil || err2 != nil || own != first {
		return "this host is a namespace, and the kernel's targets and sessions are of the whole machine (in a lab: guest: true)"
	}
	return ""
}

func hasModule(ctx context.Context, name string) bool {
	if info, err := os.Stat("/sys/module/" + strings.ReplaceAll(name, "-", "_")); err == nil && info.IsDir() {
		return true
	}
	path, err := lookProgram("modprobe")
	return err == nil && exec.CommandContext(ctx, path, "-n", "-q", name).Run() == nil
}

func kernelRelease() string {
	var u unix.Utsname
	if unix.Uname(&u) != nil {
		return "(not known)"
	}
	return unix.ByteSliceToString(u.Release[:])
}

// variables are those of the lines, for a shell.
func (k kernelWay) variables(g Given, peer, path, id, dir string) []string {
	return []string{"at=" + g.At.Addr().String(), fmt.Sprintf("port=%d", g.At.Port()), "peer=" + peer, "name=" + g.Name, "user=" + g.User, "secret=" + g.Secret,
		"path=" + path, fmt.Sprintf("size=%d", int64(g.Size)), "id=" + id, "dir=" + dir}
}

// shell runs lines; those that take them back are told to the keeper first.
func (t *storageState) shell(ctx context.Context, vars []string, do, undo string) (string, error) {
	if undo != "" {
		var back strings.Builder
		for _, v := range vars {
			name, value, _ := strings.Cut(v, "=")
			fmt.Fprintf(&back, "%s='%s'\n", name, strings.ReplaceAll(value, "'", `'\''`))
		}
		if err := t.undo(back.String() + undo); err != nil {
			return "", err
		}
	}
	return output(ctx, vars, "sh", "-e", "-c", do)
}

func (k kernelWay) giveOut(ctx context.Context, s *server, q giveRequest, path string, size unit.Bytes) (g Given, err error) {
	t := &s.stores
	t.mu.Lock()
	defer t.mu.Unlock()
	dir, err := t.folder()
	if err != nil {
		return g, err
	}
	t.ids++
	id := fmt.Sprint(t.ids)
	word := strings.ToLower(rand.Text())
	g = Given{Way: k.protocol + "-kernel", Size: size, Secret: rand.Text()[:16], Server: fmt.Sprintf("%s of Linux %s", k.server, kernelRelease())}
	g.At = netip.AddrPortFrom(q.Local, k.port)
	if k.user != nil {
		g.User = k.user(word)
	}
	if k.folder {
		path = filepath.Join(dir, "share"+id)
	}
	if g.Name = path; k.name != nil {
		g.Name = k.name(word, id)
	}
	said, err := t.shell(ctx, k.variables(g, q.Peer.String(), path, id, dir), k.give, k.ungive)
	if err != nil {
		return g, k.failed(err, said)
	}
	return g, nil
}

func (k kernelWay) attachHere(ctx context.Context, s *server, g Given) (a Attached, err error) {
	t := &s.stores
	t.mu.Lock()
	defer t.mu.Unlock()
	dir, err := t.folder()
	if err != nil {
		return a, err
	}
	t.ids++
	id := fmt.Sprint("unit", t.ids)
	vars := k.variables(g, "", "", id, dir)
	said, err := t.shell(ctx, vars, k.attach, k.detach)
	if err != nil {
		return a, k.failed(err, said)
	}
	a = Attached{Path: filepath.Join(dir, id), Kind: block.KindFolder, Client: fmt.Sprintf("%s of Linux %s", k.client, kernelRelease())}
	if k.found == "" {
		return a, nil
	}
	if a.Path, err = t.shell(ctx, vars, waitFor(k.found), ""); err != nil {
		return a, k.failed(err, a.Path)
	}
	a.Kind = block.KindDevice
	if a.Serial, a.Size, err = block.Identify(a.Path); err != nil {
		return a, err
	}
	if a.Size < g.Size {
		return a, &traffic.Error{Code: traffic.CodeInput, Subject: g.Name, Text: fmt.Sprintf("the unit has %v, and %v of it are to be used; lower span, or give a larger one out", a.Size, g.Size)}
	}
	return a, nil
}

// waitFor repeats lines until they print the path of a block device.
func waitFor(lines string) string {
	return "for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30; do\nfound=$( { " + lines + "\n} 2>/dev/null | head -n 1 )\n" +
		`[ -n "$found" ] && [ -b "$found" ] && { echo "$found"; exit 0; }; sleep 0.3; done; echo "no device came" >&2; exit 1`
}

func (k kernelWay) failed(err error, said string) error {
	if e, ok := err.(*traffic.Error); ok && e.Subject == "sh" {
		return &traffic.Error{Code: traffic.CodeAddress, Subject: k.protocol + " of the kernel", Text: cmp.Or(LastLines([]byte(said)), e.Text)}
	}
	return err
}
