package facts

import "slices"

// Saved is whether a switch has written what it does now to where it reads it from at its next start.
type Saved struct {
	OK bool
	// Lost is what is so now and would be gone after a restart, Back what would come back; each at most mostLines lines.
	Lost, Back []Proof
}

const mostLines = 20

// confLine is a setting of a configuration: what it is of, and the line that says it.
type confLine struct {
	key string
	Proof
}

// settleSaved compares what a switch runs with what it has written, where a capture has both.
func settleSaved(f *Facts) {
	if f.said.running == nil || f.said.startup == nil {
		return
	}
	f.Switch.Saved = &Saved{Lost: without(f.said.running, f.said.startup), Back: without(f.said.startup, f.said.running)}
	f.Switch.Saved.OK = len(f.Switch.Saved.Lost)+len(f.Switch.Saved.Back) == 0
	f.said.running, f.said.startup = nil, nil
}

func without(of, other []confLine) (out []Proof) {
	there := map[string]bool{}
	for _, l := range other {
		there[l.key] = true
	}
	for _, l := range of {
		if !there[l.key] && len(out) < mostLines && !slices.Contains(out, l.Proof) {
			out = append(out, l.Proof)
		}
	}
	return out
}
