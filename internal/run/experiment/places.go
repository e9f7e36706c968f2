package experiment

import (
	"strings"

	"linerate/internal/design/fabric"
	"linerate/internal/design/plan"
)

// HostOf returns the host of a place such as nas.cx3.1.
func HostOf(place string) string {
	host, _, _ := strings.Cut(place, ".")
	return host
}

// NICOf returns the rest of such a place: cx3.1.
func NICOf(place string) string {
	_, nic, _ := strings.Cut(place, ".")
	return nic
}

// DriveOf returns the drive of a name such as nas.tank, or nil.
func DriveOf(p *plan.Plan, name string) *fabric.Drive {
	owner := HostOf(name)
	if h := p.Host(owner); h != nil && h.Decl != nil {
		for _, d := range h.Decl.Drives {
			if owner+"."+d.Name == name {
				return d
			}
		}
	}
	return nil
}
