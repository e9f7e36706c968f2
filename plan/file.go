package plan

import "strings"

// File is what people call the fabric file that the plan was made from: its name without the folder that it was in, so that the
// same plan has the same words wherever it was made.
func (p *Plan) File() string {
	if p.Fabric == nil || p.Fabric.Path == "" {
		return "the fabric file"
	}
	return p.Fabric.Path[strings.LastIndexAny(p.Fabric.Path, `/\`)+1:]
}

// CardIn says where a card stands in the fabric file: "mesh-10g.yaml, at hosts: nas: nics: t3". Hosts that were written together,
// such as n[1-4], stand there as one.
func (p *Plan) CardIn(h *Host, card string) string {
	name := h.Name
	if h.Decl != nil && h.Decl.Group != "" {
		name = h.Decl.Group
	}
	return p.File() + ", at hosts: " + name + ": nics: " + card
}
