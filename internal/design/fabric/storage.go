package fabric

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"linerate/internal/base/diag"
	"linerate/internal/base/xslices"
	"linerate/internal/design/catalog"
)

func (d *decoder) drive(h *Host, name, group string, p pair, own, st step) *Drive {
	dr := &Drive{Name: name, Count: 1, At: p.key.at}
	f, ok := d.fields(p.value, "drive", "drive "+quoteName(h.Group)+"."+quoteName(group), p.key.at)
	if !ok {
		return dr
	}
	dr.Note = f.Note
	dr.Part = d.part(f, catalog.Drive)
	if n := f.scalar("bus"); n != nil {
		if bus, err := catalog.ParseBus(n.text); err != nil {
			f.bad(diag.ValueUnknown, "bus", fmt.Sprintf("%s is not a bus", quote(n.text)), "",
				"write bus: pcie3x4, sas3x4, sata3 or nvdimm")
		} else {
			dr.Bus = bus.String()
		}
	}
	dr.Behind = f.behind()
	dr.Count = f.number("count", 1, 10000, 1, "a number of drives")
	dr.Layout = f.text("layout")
	dr.Read, dr.Write = f.rate("read"), f.rate("write")
	dr.Capacity = f.sizeOf("capacity")
	dr.Path, dr.Mounts = f.text("path"), f.table("mounts")
	dr.Export = f.choice("export", exports()...)
	dr.Size = f.sizeOf("size")
	dr.Shares = f.shares()
	dr.Login = f.login()
	dr.Price = f.price("price", dr.Part)
	return dr
}

func exports() []string { return []string{"iscsi", "nvme-tcp", "nbd", "nfs", "smb", "http"} }

// mounts reports hosts that mount a drive and are not in the file.
func (d *decoder) mounts() {
	for _, h := range d.f.Hosts {
		for _, dr := range h.Drives {
			for _, name := range slices.Sorted(maps.Keys(dr.Mounts)) {
				if d.hosts[name] == nil {
					d.bad(diag.HostUnknown, dr.At, "drive "+quoteName(h.Name)+"."+quoteName(dr.Name),
						fmt.Sprintf("no host is called %s", quote(name)), "mounts lists where a host sees the drive", d.nearHost(name))
				}
			}
		}
	}
}

func (d *decoder) allVolumes(n *node) {
	d.mounts()
	d.each(n, "volume", single(), func(name, group string, p pair, own, _ step) {
		v := &Volume{Name: name, Extra: map[string]string{}, At: p.key.at}
		f, ok := d.fields(p.value, "volume", "volume "+quoteName(group), p.key.at)
		if !ok {
			return
		}
		d.f.Volumes = append(d.f.Volumes, v)
		d.volumes[name] = true
		v.Note = f.Note
		v.Layout = f.text("layout")
		if h := d.hosts[name]; h != nil {
			f.d.bad(diag.NameTwice, p.key.at, f.subject, fmt.Sprintf("a host is also called %s (line %d)", name, h.At.Line),
				"the names of hosts and volumes differ", "rename one")
		}
		words := f.words("of")
		if len(words) == 0 {
			f.bad(diag.KeyMissing, "of", "the volume has no drives", "", "write of: [HOST.DRIVE]")
		}
		for _, w := range words {
			for _, text := range d.several([]*node{w}, f.subject, own) {
				if d.isDrive(text, w.at, f.subject) {
					v.Of = append(v.Of, text)
				}
			}
		}
		if tiers := f.words("tiers"); tiers != nil {
			if len(tiers) != len(words) {
				f.bad(diag.ValueNumber, "tiers", fmt.Sprintf("%d tiers for %d drives", len(tiers), len(words)),
					"each drive has a tier",
					"write one tier for each drive")
			}
			v.Extra["tiers"] = join(tiers)
		}
		if n := f.scalar("at"); n != nil {
			if text, ok := d.pick(n, f.subject, own); ok {
				if port, ok := d.port(text, n.at, f.subject); ok {
					v.Extra["at"] = port.String()
				}
			}
		}
		for key, value := range map[string]string{"path": f.text("path"), "export": f.choice("export", exports()...),
			"login": f.login()} {
			if value != "" {
				v.Extra[key] = value
			}
		}
		for name, path := range f.shares() {
			v.Extra["shares."+name] = path
		}
	})
}

func join(words []*node) string {
	texts := make([]string, len(words))
	for i, w := range words {
		texts[i] = w.text
	}
	return strings.Join(texts, ", ")
}

// isDrive reports a text that is not a host.drive of the file.
func (d *decoder) isDrive(text string, at At, subject string) bool {
	host, drive, ok := strings.Cut(text, ".")
	h := d.hosts[host]
	switch {
	case !ok:
		d.bad(diag.DriveUnknown, at, subject, fmt.Sprintf("%s is not a drive", quote(text)), "", "write HOST.DRIVE")
	case h == nil:
		d.bad(diag.HostUnknown, at, subject, fmt.Sprintf("no host is called %s", quote(host)), "", d.nearHost(host))
	case h.drive(drive) == nil:
		names := xslices.Map(h.Drives, func(dr *Drive) string { return dr.Name })
		fix := fmt.Sprintf("add it under drives: of %s", host)
		if near := nearest(drive, names); near != "" {
			fix = fmt.Sprintf("did you mean %s.%s?", host, near)
		}
		d.bad(diag.DriveUnknown, at, subject, fmt.Sprintf("host %s has no drive %s", host, quote(drive)),
			fmt.Sprintf("it has %s", orNone(names)), fix)
	default:
		return true
	}
	return false
}

func orNone(names []string) string {
	if len(names) == 0 {
		return "none"
	}
	return some(names, 8)
}
