package exam

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"linerate/internal/lab/fault"
)

// Trial is one run of the exam: a fault, or a healthy lab.
type Trial struct {
	Number   int
	Fault    *fault.Fault // nil: healthy
	Scenario fault.Scenario
	// Transport of its experiment, as the fault has it.
	Transport string
	// Repeats of its experiment, as the fault has it; 0: one.
	Repeats int
	Values  fault.Values
	// Delay is the one-way delay of the link in the scenario far, in seconds.
	Delay float64
}

// Draw returns a trial for every fault and a healthy one for each `every` faults, in their scenarios and with their
// transports, in an order that depends on the seed.
func Draw(seed uint64, faults []fault.Fault, every int) []Trial {
	r := rand.New(rand.NewPCG(seed, 0x65786d))
	var out []Trial
	first := int(seed % uint64(every)) // another seed has other healthy labs
	for i := range faults {
		f := &faults[i]
		out = append(out, Trial{Fault: f, Scenario: f.Scenario, Transport: f.Transport, Repeats: f.Repeats, Values: f.Draw(r),
			Delay: delay(r)})
		// drawn in any case: what a fault gets does not depend on every
		healthy := Trial{Scenario: f.Scenario, Transport: f.Transport, Repeats: f.Repeats, Delay: delay(r)}
		if i%every == first {
			out = append(out, healthy)
		}
	}
	r.Shuffle(len(out), func(i, j int) { out[i], out[j] = out[j], out[i] })
	for i := range out {
		out[i].Number = i + 1
	}
	return out
}

// delay is drawn for every trial, so that other draws do not depend on the scenario.
func delay(r *rand.Rand) float64 { return float64(3+r.IntN(6)) / 1000 }

// Mark is how a verdict is judged.
type Mark string

// The marks. Unknown is a verdict that names no cause, which is honest. Failed is a trial without a verdict.
const (
	Right   Mark = "right"
	Wrong   Mark = "wrong"
	Unknown Mark = "unknown"
	Failed  Mark = "failed"
)

// Judge marks the limiter of a verdict.
func (t Trial) Judge(limiter string) Mark {
	want := fault.Healthy(t.Scenario, t.Transport)
	if t.Fault != nil {
		want = []string{t.Fault.Cause}
	}
	return MarkOf(limiter, want...)
}

// MarkOf marks a limiter for which one of several is right.
func MarkOf(limiter string, want ...string) Mark {
	switch {
	case slices.Contains(want, limiter):
		return Right
	case limiter == "unexplained" || limiter == "unknown":
		return Unknown
	}
	return Wrong
}

// Name returns the name of a trial in tables.
func (t Trial) Name() string {
	if t.Fault == nil {
		if t.Transport != "" {
			return fmt.Sprintf("healthy, %s, %s", t.Scenario, t.Transport)
		}
		return fmt.Sprintf("healthy, %s", t.Scenario)
	}
	return t.Fault.ID
}
