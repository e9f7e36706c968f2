package render

import (
	"slices"

	"linerate/internal/design/plan"
	"linerate/internal/device/config"
	"linerate/internal/device/dcb"
	"linerate/internal/device/families"
)

// infiniBand is the renderer of switches that carry only InfiniBand and have no system in the file.
var infiniBand = config.Renderer{Family: "infiniband", Switch: dcb.InfiniBandOnly, Sources: dcb.Sources}

// ofHost returns the renderer of a host's system; nil if there is none, which the plan reports.
func ofHost(h *plan.Host) *config.Renderer {
	system := families.OfHost(h.OS)
	if system == nil {
		return nil
	}
	return of(system.Family)
}

// ofSwitch returns the renderer of a switch's system; nil if there is none, which the plan reports.
func ofSwitch(p *plan.Plan, s *plan.Switch) *config.Renderer {
	os := s.System()
	if os == "" && dcb.InfiniBand(p, s) {
		return &infiniBand
	}
	system := families.OfSwitch(os)
	if system == nil {
		return nil
	}
	return of(system.Family)
}

func of(family string) *config.Renderer {
	i := slices.IndexFunc(renderers, func(r config.Renderer) bool { return r.Family == family })
	if i < 0 {
		return nil
	}
	return &renderers[i]
}

// document returns the document of an id, and whether it is known.
func document(source config.Source) (string, bool) {
	for _, r := range append(renderers, infiniBand, config.Renderer{Sources: config.Sources}) {
		if text, ok := r.Sources[source]; ok {
			return text, true
		}
	}
	return "", false
}
