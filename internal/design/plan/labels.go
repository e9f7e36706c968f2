package plan

import (
	"fmt"
	"strconv"
	"strings"

	"linerate/internal/base/xslices"
)

// labels gives every cable a short name, and each end the text to print: the cable, this end, the other end, the
// address.
func (b *builder) labels() {
	used := xslices.SetOf(b.p.Links, func(l *Link) string { return l.Label })
	n := 0
	for _, l := range b.p.Links {
		for l.Label == "" {
			n++
			if c := fmt.Sprintf("C%d", n); !used[c] {
				l.Label = c
			}
		}
		for i := range l.Ends {
			here, there := l.Ends[i], l.Ends[1-i]
			l.EndLabel[i] = fmt.Sprintf("%s | %s -> %s", l.Label, here.ID, there.ID)
			if o := b.owner[here.ID]; o != nil && o.Address.IsValid() {
				l.EndLabel[i] += " | " + o.Address.String()
			}
		}
	}
}

// CableText returns the cable in a few words: "dac 3 m"; empty if the file names none.
func (l *Link) CableText() string {
	if l.Cable == nil || l.Cable.Cable == nil {
		return ""
	}
	text := string(l.Cable.Cable.Media)
	if m, ok := l.LengthM.Get(); ok {
		text += fmt.Sprintf(" %s m", strconv.FormatFloat(m, 'f', -1, 64))
	}
	return text
}

// File returns the name of the fabric file without its folder, so that texts do not depend on where it was.
func (p *Plan) File() string {
	if p.Fabric == nil || p.Fabric.Path == "" {
		return "FABRIC.yaml"
	}
	return p.Fabric.Path[strings.LastIndexAny(p.Fabric.Path, `/\`)+1:]
}

// Arguments returns the arguments of a linerate command for this plan: the fabric file, quoted for a shell, and its
// variant.
func (p *Plan) Arguments() string {
	file := p.File()
	if strings.Trim(strings.ToLower(file), "abcdefghijklmnopqrstuvwxyz0123456789-_.+") != "" {
		file = "'" + strings.ReplaceAll(file, "'", `'\''`) + "'"
	}
	if p.Variant != "" {
		file += " --variant " + p.Variant
	}
	return file
}

// NICIn returns the place of a NIC in the fabric file: "mesh-10g.yaml, at hosts: nas: nics: t3". Hosts that are written
// together, such as n[1-4], have one place.
func (p *Plan) NICIn(h *Host, adapter string) string {
	name := h.Name
	if h.Decl != nil && h.Decl.Group != "" {
		name = h.Decl.Group
	}
	return p.File() + ", at hosts: " + name + ": nics: " + adapter
}
