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
