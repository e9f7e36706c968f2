package plan

import "strings"

// File is what people call the fabric file that the plan was made from: its name without the folder that it was in, so that the
// same plan has the same words wherever it was made.
func (p *Plan) File() string {
	if p.Fabric == nil || p.Fabric.Path == "" {
		return "FABRIC.yaml"
	}
	return p.Fabric.Path[strings.LastIndexAny(p.Fabric.Path, `/\`)+1:]
}

// Arguments are what a command of linerate takes for this plan: the fabric file, as a shell reads it, and its variant.
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

// CardIn says where a card stands in the fabric file: "mesh-10g.yaml, at hosts: nas: nics: t3". Hosts that were written together,
// such as n[1-4], stand there as one.
func (p *Plan) CardIn(h *Host, card string) string {
	name := h.Name
	if h.Decl != nil && h.Decl.Group != "" {
		name = h.Decl.Group
	}
	return p.File() + ", at hosts: " + name + ": nics: " + card
}

// Forwards says whether the fabric file has the host pass packets from one of its links to another.
func (h *Host) Forwards() bool { return forwards(h) }
