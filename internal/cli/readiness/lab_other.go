//go:build !linux

package readiness

import "linerate/internal/inspect/doctor"

// labParts reports that labs need Linux.
func labParts() *doctor.Lab { return &doctor.Lab{Problem: "labs are built on Linux"} }
