package dcb

import "linerate/internal/design/plan"

// Version is a release as numbers; nil if it is not known.
type Version = plan.Release

// VersionText is the release that the file gives a switch; empty if it gives none.
func VersionText(s *plan.Switch) string { return s.ReleaseText() }

// VersionOf reads the numbers at the beginning of the release that the file gives.
func VersionOf(s *plan.Switch) Version { return s.Release() }

// Spectrum, SwitchX: the chips of NVIDIA's switches, as the catalogue names them.
const (
	Spectrum = "Spectrum"
	SwitchX  = "SwitchX"
)

// Chip is the switch's chip as the catalogue has it, empty if that is not known. "SwitchX-2" and "Spectrum-2" begin with their family's name.
func Chip(s *plan.Switch) string {
	if s.Part == nil || s.Part.Switch == nil {
		return ""
	}
	return s.Part.Switch.Chip
}
