package dcb

import (
	"strconv"
	"strings"

	"linerate/plan"
)

// Version is a release as numbers; nil if it is not known.
type Version []int

// VersionText is the release that the file gives a switch; empty if it gives none.
func VersionText(s *plan.Switch) string {
	if s.Decl == nil {
		return ""
	}
	return strings.TrimSpace(s.Decl.Version)
}

// VersionOf reads the numbers at the beginning of the release that the file gives: "3.10.4606" and "4.36.0F" are 3 10 4606 and 4 36 0.
func VersionOf(s *plan.Switch) Version {
	var v Version
	for _, word := range strings.Split(VersionText(s), ".") {
		digits := word[:len(word)-len(strings.TrimLeft(word, "0123456789"))]
		n, err := strconv.Atoi(digits)
		if err != nil {
			break
		}
		v = append(v, n)
		if len(digits) < len(word) {
			break
		}
	}
	return v
}

// AtLeast says whether a release is known and not older than another.
func (v Version) AtLeast(want ...int) bool {
	if v == nil {
		return false
	}
	for i, w := range want {
		n := 0
		if i < len(v) {
			n = v[i]
		}
		if n != w {
			return n > w
		}
	}
	return true
}

// Before says whether a release is known and older than another.
func (v Version) Before(want ...int) bool { return v != nil && !v.AtLeast(want...) }

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
