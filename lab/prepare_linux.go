package lab

import (
	"context"
	"debug/elf"
	"errors"
	"os"
	"slices"

	"linerate/guest"
	"linerate/plan"
)

// prepareGuests decides which hosts are guests and finds what they are made of. What this machine lacks turns them into
// namespaces again, and is told by lacking.
func prepareGuests(ctx context.Context, p *plan.Plan, opt Options, built *layout) (parts *GuestParts, lacking error, err error) {
	wanted := Guests(p, opt)
	if len(wanted) == 0 {
		return nil, nil, nil
	}
	for i, h := range p.Hosts {
		if slices.Contains(wanted, h.Name) {
			built.Hosts[i].Guest, built.Hosts[i].RDMA = true, rdmaPorts(h)
		}
	}
	if built.needsTap() {
		err = tunLack(tunDevice)
	}
	if parts = opt.Guests; parts == nil && err == nil {
		parts, err = FindGuestParts(ctx, opt.Say)
	}
	var lack *guest.LackError
	if errors.As(err, &lack) {
		for i := range built.Hosts {
			if n := &built.Hosts[i]; n.Guest {
				n.Guest, n.RDMA = false, nil
				built.Notes = append(built.Notes, noteOf{"host", n.Name, "it is a namespace and no guest: " + err.Error()})
			}
		}
		return nil, err, nil
	}
	if err != nil {
		return nil, nil, err
	}
	for i := range built.Hosts {
		if n := &built.Hosts[i]; n.Guest {
			built.Notes = append(built.Notes, n.withoutModules(parts.Image.Modules.Has, guest.ModulesCommand)...)
		}
	}
	return parts, nil, nil
}

// FindGuestParts finds QEMU and the guests' image, which it builds where it is not in the cache. A guest.LackError says
// what is missing. Say, if not nil, is told what takes long.
func FindGuestParts(ctx context.Context, say func(string)) (*GuestParts, error) {
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
	image, err := guest.Ensure(ctx, "", func(s string) { say("guest image: " + s) })
	if err != nil {
		return nil, err
	}
	var wrong []string
	image.Modules, wrong = guest.FindModules(image)
	for _, w := range wrong {
		say(w)
	}
	host.ProveKVM(ctx, image, func(s string) { say("guest image: " + s) })
	return &GuestParts{Host: host, Image: image, Memory: guest.DefaultMemory}, nil
}

// staticProgram refuses a program that needs libraries: it is a guest's init, where there are others.
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
			return &guest.LackError{What: "this linerate was built with cgo and needs libraries that a guest does not have", Try: "CGO_ENABLED=0 go build ./cmd/linerate"}
		}
	}
	return nil
}
