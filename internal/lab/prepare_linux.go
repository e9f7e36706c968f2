package lab

import (
	"context"
	"debug/elf"
	"errors"
	"os"
	"slices"

	"linerate/internal/design/plan"
	"linerate/internal/lab/guest"
	"linerate/internal/lab/layout"
)

// prepareGuests decides which hosts are guests and finds their parts. If this machine cannot run guests, they become
// namespaces again, and missing is the reason.
func prepareGuests(ctx context.Context, p *plan.Plan, opt Options,
	built *layout.Layout) (parts *GuestParts, missing error, err error) {
	wanted := Guests(p, opt)
	if len(wanted) == 0 {
		return nil, nil, nil
	}
	var kinds []guest.Kind
	for i, h := range p.Hosts {
		if !slices.Contains(wanted, h.Name) {
			continue
		}
		n := &built.Hosts[i]
		n.Guest, n.RDMA = true, layout.RDMAPorts(h)
		if h.Decl != nil {
			n.System = h.Decl.GuestSystem
		}
		if !opt.AllGuests && !(h.Decl != nil && h.Decl.Guest) {
			n.Because = layout.Because(layout.NeedsOf(opt.Needs, h.Name))
		}
		if kind := guest.Kind(n.System); !slices.Contains(kinds, kind) {
			kinds = append(kinds, kind)
		}
	}
	if built.NeedsTap() {
		err = tunMissing(tunDevice)
	}
	if parts = opt.Guests; parts == nil && err == nil {
		parts, err = FindGuestParts(ctx, kinds, opt.Say)
	}
	if part := (*guest.MissingError)(nil); errors.As(err, &part) {
		for i := range built.Hosts {
			if n := &built.Hosts[i]; n.Guest {
				n.MakeNamespace()
				built.Notes = append(built.Notes,
					layout.Note{Kind: "host", Subject: n.Name, Text: "it is a namespace and no guest: " + err.Error()})
			}
		}
		return nil, err, nil
	}
	if err != nil {
		return nil, nil, err
	}
	reported := built.FitMemory(parts.Memory, guest.AvailableMemory())
	if opt.Say != nil {
		var lines notes
		for _, n := range reported {
			lines.add(n.Kind, n.Subject, "%s", n.Text)
		}
		for _, s := range lines.sentences(len(p.Hosts)) {
			opt.Say(s)
		}
	}
	built.Notes = append(built.Notes, reported...)
	needs, guests := layout.Needs(p), 0
	for i := range built.Hosts {
		if n := &built.Hosts[i]; n.Guest {
			guests++
			built.Notes = append(built.Notes,
				n.WithoutModules(parts.Image.Modules.Has, guest.ModulesCommand, layout.WantsSMBDirect(p, needs, n.Name))...)
		}
	}
	if guests == 0 {
		return nil, nil, nil
	}
	return parts, nil, nil
}

// FindGuestParts finds QEMU and the guests' images of these kinds, which it builds where they are not in the cache. A
// guest.MissingError says what is missing. say, if not nil, is called with progress messages.
func FindGuestParts(ctx context.Context, kinds []guest.Kind, say func(string)) (*GuestParts, error) {
	host, err := guest.FindHost()
	if err != nil {
		return nil, err
	}
	if err := staticProgram(); err != nil {
		return nil, err
	}
	if say == nil {
		say = func(string) {}
	}
	parts := &GuestParts{Host: host, Memory: guest.DefaultMemory}
	for _, kind := range kinds {
		tell := func(s string) { say(imageWords(kind) + ": " + s) }
		image, err := guest.Ensure(ctx, "", kind, tell)
		if err != nil {
			return nil, err
		}
		parts.Host.ProveKVM(ctx, image, tell)
		if kind != guest.Small {
			parts.System = &image
			continue
		}
		var wrong []string
		image.Modules, wrong = guest.FindModules(image)
		for _, w := range wrong {
			say(w)
		}
		parts.Image = image
	}
	return parts, nil
}

// staticProgram refuses a program that needs libraries: as a guest's init it would find different ones.
func staticProgram() error {
	f, err := os.Open("/proc/self/exe")
	if err != nil {
		return err
	}
	defer f.Close()
	e, err := elf.NewFile(f)
	if err != nil {
		return err
	}
	for _, p := range e.Progs {
		if p.Type == elf.PT_INTERP {
			return &guest.MissingError{What: "this linerate was built with cgo and needs libraries that a guest does not have",
				Try: "CGO_ENABLED=0 go build ./cmd/linerate"}
		}
	}
	return nil
}
