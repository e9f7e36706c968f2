package lab

import (
	"fmt"
	"os"
	"slices"
	"strings"

	"linerate/guest"
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
		soft := softRDMAOf(p.Transport)
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

// command runs a program of the guest to its end. The init waits for all processes itself, so os/exec cannot.
func (g *guestInit) command(argv ...string) error {
	r, w, err := os.Pipe()
	if err != nil {
		return err
	}
	defer r.Close()
	var words [][]byte
	for _, a := range argv {
		words = append(words, []byte(a))
	}
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		w.Close()
		return err
	}
	defer null.Close()
	p, err := g.Start(guest.Command{Argv: words}, []*os.File{null, w, w})
	w.Close()
	if err != nil {
		return err
	}
	said := make([]byte, 4096)
	n, _ := r.Read(said)
	if exit, signal := p.Wait(); exit != 0 || signal != 0 {
		return fmt.Errorf("%s: exit code %d: %s", argv[0], exit, strings.TrimSpace(string(said[:max(n, 0)])))
	}
	return nil
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
