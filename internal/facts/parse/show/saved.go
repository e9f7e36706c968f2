package show

import (
	"slices"

	"linerate/internal/base/xslices"
	"linerate/internal/facts"
	"linerate/internal/facts/parse"
)

const mostLines = 20

// ConfLine is a setting of a configuration: its block and its line.
type ConfLine struct {
	Key string
	facts.Proof
}

// settleSaved compares a switch's running configuration with its saved one, if a snapshot has both.
func settleSaved(f *parse.Builder) {
	if StateOf(f).Running == nil || StateOf(f).Startup == nil {
		return
	}
	f.Switch.Saved = &facts.Saved{Lost: without(StateOf(f).Running, StateOf(f).Startup),
		Back: without(StateOf(f).Startup, StateOf(f).Running)}
	f.Switch.Saved.OK = len(f.Switch.Saved.Lost)+len(f.Switch.Saved.Back) == 0
	StateOf(f).Running, StateOf(f).Startup = nil, nil
}

func without(of, other []ConfLine) (out []facts.Proof) {
	there := xslices.SetOf(other, func(l ConfLine) string { return l.Key })
	for _, l := range of {
		if !there[l.Key] && len(out) < mostLines && !slices.Contains(out, l.Proof) {
			out = append(out, l.Proof)
		}
	}
	return out
}
