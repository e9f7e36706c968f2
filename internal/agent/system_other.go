//go:build !linux

package agent

import (
	"context"

	"linerate/internal/facts"
)

// BootID is empty: the system has none that linerate reads.
func BootID() string { return "" }

// memoryLimit is a quarter of this host's memory in bytes; 0: unknown.
func memoryLimit() int64 { return 0 }

// busy is nil: only Linux shows it.
func busy(context.Context) *facts.Busy { return nil }

// moreNeeds adds nothing: what it reads is Linux's.
func moreNeeds(context.Context, *facts.Needs) {}
