//go:build !linux

package main

import "linerate/internal/inspect/doctor"

// labParts: labs are built on Linux.
func labParts() *doctor.Lab { return &doctor.Lab{Lacks: "labs are built on Linux"} }
