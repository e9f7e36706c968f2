//go:build !linux

package agent

import (
	"context"

	"linerate/internal/facts"
)

// busy is not known here.
func busy(context.Context) *facts.Busy { return nil }

// moreNeeds is what only Linux has.
func moreNeeds(context.Context, *facts.Needs) {}
