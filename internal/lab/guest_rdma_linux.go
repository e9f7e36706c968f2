package lab

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"linerate/internal/lab/guest"
)

// rdma brings soft RDMA up on the interfaces over which the plan speaks it. The notes say what is not as planned.
func (g *guestInit) rdma(ports []rdmaPort) (notes []string) {
	loaded := map[string]error{}
	load := func(modules []string) error {
		for _, m := range modules {
			err, done := loaded[m]
			if !done {
				err = g.command("modprobe", m)
				loaded[m] = err
			}
			if err != nil {
				return fmt.Errorf("module %s: %w", m, err)
			}
		}
		return nil
	}
	number := map[string]int{}
	for _, p := range ports {
		soft := softRDMAOf(p)
		err := load(soft.modules)
		if err == nil {
			name := fmt.Sprintf("%s%d", soft.kind, number[soft.kind])
			number[soft.kind]++
			err = g.command("rdma", "link", "add", name, "type", soft.kind, "netdev", p.Interface)
		}
		if err != nil {
			notes = append(notes, fmt.Sprintf("RDMA on %s: there is none: %v", p.Interface, err))
			continue
		}
		notes = append(notes, fmt.Sprintf("RDMA on %s: %s", p.Interface, soft.note))
	}
	return notes
}

// underSoftRoCE says whether a device of rdma_rxe works over an interface, or over the bond that it is a member of. sys is /sys.
func underSoftRoCE(sys, name string) bool {
	if bond, err := os.Readlink(filepath.Join(sys, "class/net", name, "master")); err == nil && underSoftRoCE(sys, filepath.Base(bond)) {
		return true
	}
	parents, _ := filepath.Glob(filepath.Join(sys, "class/infiniband/*/parent")) // only rxe has this file
	return slices.ContainsFunc(parents, func(path string) bool {
		text, err := os.ReadFile(path)
		return err == nil && strings.TrimSpace(string(text)) == name
	})
}

// command runs a program of the guest to its end.
func (g *guestInit) command(argv ...string) error {
	said, exit, err := g.output(argv...)
	if err == nil && exit != 0 {
		err = fmt.Errorf("%s: exit code %d: %s", argv[0], exit, said)
	}
	return err
}

// output runs a program of the guest to its end and returns what it printed, up to 4 KiB, and its exit code; that of a
// program which a signal ended is 128 more than the signal. The init waits for all processes itself, so os/exec cannot.
func (g *guestInit) output(argv ...string) (string, int, error) {
	r, w, err := os.Pipe()
	if err != nil {
		return "", 0, err
	}
	var words [][]byte
	for _, a := range argv {
		words = append(words, []byte(a))
	}
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		w.Close()
		return "", 0, err
	}
	defer null.Close()
	p, err := g.Start(guest.Command{Argv: words}, []*os.File{null, w, w})
	w.Close()
	if err != nil {
		return "", 0, err
	}
	said, _ := io.ReadAll(io.LimitReader(r, 4096))
	go io.Copy(io.Discard, r)
	exit, signal := p.Wait()
	if signal != 0 {
		exit = 128 + signal
	}
	return strings.TrimSpace(string(said)), exit, nil
}

// rdmaDevices are the names in /sys/class/infiniband.
func rdmaDevices() []string {
	entries, _ := os.ReadDir("/sys/class/infiniband")
	var out []string
	for _, e := range entries {
		out = append(out, e.Name())
	}
	slices.Sort(out)
	return out
}
