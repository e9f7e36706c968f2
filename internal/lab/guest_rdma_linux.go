package lab

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"linerate/internal/base/xslices"
	"linerate/internal/lab/guest"
	"linerate/internal/lab/layout"
)

// rdma brings soft RDMA up on the interfaces for which it is planned. The notes say what differs from the plan.
func (g *guestInit) rdma(ports []layout.RDMAPort) (notes []string) {
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
		soft := layout.SoftRDMAOf(p)
		err := load(soft.Modules)
		if err == nil {
			name := fmt.Sprintf("%s%d", soft.Kind, number[soft.Kind])
			number[soft.Kind]++
			err = g.command("rdma", "link", "add", name, "type", soft.Kind, "netdev", p.Interface)
		}
		if err != nil {
			notes = append(notes, fmt.Sprintf("RDMA on %s: there is none: %v", p.Interface, err))
			continue
		}
		notes = append(notes, fmt.Sprintf("RDMA on %s: %s", p.Interface, soft.Note))
	}
	return notes
}

// underSoftRoCE reports whether a device of rdma_rxe works over an interface, or over the bond that it is a member
// of. sys is /sys.
func underSoftRoCE(sys, name string) bool {
	if bond, err := os.Readlink(filepath.Join(sys, "class/net", name, "master")); err == nil &&
		underSoftRoCE(sys, filepath.Base(bond)) {
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

// output runs a program of the guest to its end and returns what it printed, up to 4 KiB, and its exit code; 128 plus
// the signal for a program that a signal ended. The init waits for all processes itself, so os/exec cannot.
func (g *guestInit) output(argv ...string) (string, int, error) {
	r, w, err := os.Pipe()
	if err != nil {
		return "", 0, err
	}
	words := xslices.Map(argv, func(a string) []byte { return []byte(a) })
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

// rdmaDevices returns the names in /sys/class/infiniband.
func rdmaDevices() []string {
	entries, _ := os.ReadDir("/sys/class/infiniband")
	out := xslices.Map(entries, os.DirEntry.Name)
	slices.Sort(out)
	return out
}
