package explain

import (
	"fmt"
	"math"
	"slices"
	"sort"
	"strings"

	"linerate/internal/base/method"
	"linerate/internal/base/unit"
	"linerate/internal/base/xslices"
	"linerate/internal/explain/cause"
	"linerate/internal/explain/cause/storage"
	"linerate/internal/explain/goals"
	"linerate/internal/explain/judge"
	"linerate/internal/record"
)

// Sentence summarizes the run in plain words: every link full, or the bottleneck of each path, worst first.
func Sentence(r *record.Run) string {
	// others have figures but no verdict: latencies, exchanges, applications
	full, total, others, notRun, failed, missing := 0, 0, 0, 0, 0, 0
	// storage experiments of a lab, whose drives are files of one machine: those that memory served, and the others
	memory, folders := 0, 0
	var held []*record.Experiment
	for _, e := range r.Experiments {
		switch {
		case e.NotRun != "":
			notRun++
		case e.Failed != "":
			failed++
		case len(e.Repeats) == 0:
			missing++
		case e.Verdict == nil:
			others++
		case r.MemoryOfLab(e):
			memory++
		case r.LabStorage(e):
			folders++
		default:
			total++
			if e.Verdict.Limiter == cause.Link.ID {
				full++
			} else {
				held = append(held, e)
			}
		}
	}
	s, tests := "", total+others+memory+folders+failed // as the head of the report counts them
	switch {
	case total == 0 && others+memory+folders == 0 && failed > 0:
		s = nothingMeasured(r, failed, notRun)
	case total == 0:
		s = roundTrips(r)
		memory, folders = 0, 0 // the answer of storage already says it
	case full == total && failed > 0: // before the full links: what failed is worse
		s = fmt.Sprintf("%s failed: %s. What was measured fills its link.", experiments(failed), firstFailure(r))
	case full == total && missing > 0:
		s = fmt.Sprintf("What was measured fills its link; %s missing.", are(missing))
	case full == total:
		s = "Every path fills its link in every direction measured."
	default:
		if s = disturbedLab(r, held, tests); s == "" {
			s = worst(held, total, tests)
			if r.SlowNode != nil && !strings.Contains(s, r.SlowNode.Sentence) {
				s = r.SlowNode.Sentence + " " + s
			}
		}
	}
	if text := storage.CopyGave(r); text != "" && total > 0 {
		s += " " + text // the duration is what matters in a copy
	}
	if memory > 0 {
		s += fmt.Sprintf(" The memory of this machine, where a lab's drives are files, answered %s of storage: the way to "+
			"them was measured, and no drive.", experiments(memory))
	}
	if folders > 0 {
		s += fmt.Sprintf(" %s of storage and copies used files of this machine: nothing follows for your drives.",
			experiments(folders))
	}
	if failed > 0 && total+others+memory+folders > 0 && (full < total || total == 0) {
		s += fmt.Sprintf(" %s could not be measured: %s.", experiments(failed), firstFailure(r))
	}
	if notRun > 0 {
		s += fmt.Sprintf(" %s not run.", were(notRun))
	}
	if !r.Complete && failed == 0 {
		s += " The run was stopped before its end."
	}
	return s
}

// disturbedLab returns the sentence for a lab in which every path fills its link in some experiment, and other
// processes took CPU time from all slower experiments; empty: the run is not like that. A lab is one machine, so a lack
// of CPU time says nothing about the network.
func disturbedLab(r *record.Run, held []*record.Experiment, tests int) string {
	if r.Lab == nil {
		return ""
	}
	for _, e := range held {
		if !disturbed(e) {
			return ""
		}
	}
	full, most, fewest := map[string]bool{}, 0, map[string]int{}
	for _, e := range r.Experiments {
		if e.Verdict == nil || e.Failed != "" || e.Block != nil || e.Copy != nil {
			continue
		}
		yes := e.Verdict.Limiter == cause.Link.ID
		full[e.Path()] = full[e.Path()] || yes
		if n := judge.StreamsOf(e); yes && (fewest[e.Path()] == 0 || n < fewest[e.Path()]) {
			fewest[e.Path()] = n
		}
	}
	for path, yes := range full {
		if !yes {
			return ""
		}
		most = max(most, fewest[path])
	}
	if len(full) == 0 {
		return ""
	}
	return fmt.Sprintf("Every path fills its link with %s. Of %d tests %d %s less, while other work on this machine took "+
		"CPU time from %s of the network.", unit.Counted(max(1, most), "stream"), tests, len(held), carries(len(held)),
		unit.If(len(held) == 1, "it: it says little", "them: they say little"))
}

// disturbed reports whether other processes or a hypervisor made at least half of an experiment's repeats unreliable.
func disturbed(e *record.Experiment) bool {
	n := xslices.Count(e.Repeats, func(r record.Repeat) bool { return r.Noisy })
	return n > 0 && 2*n >= len(e.Repeats)
}

// roundTrips returns the sentence for a run that measured no throughput: latencies, exchanges, figures of applications.
func roundTrips(r *record.Run) string {
	low, high, pings, loads, traced := math.Inf(1), 0.0, 0, 0, ""
	var loaded *record.Experiment
	for _, e := range r.Experiments {
		if e.PathMTU != nil && e.PathMTU.Bytes > 0 {
			traced = fmt.Sprintf(" The path MTU from %s to %s is %d.", e.From, e.To, e.PathMTU.Bytes)
		}
		if e.Latency == nil || e.Latency.P50 <= 0 || e.Block != nil {
			continue
		}
		pings++
		if e.Load != nil && e.Load.Idle != nil && e.Load.Idle.P50 > 0 && e.Load.Goodput != nil {
			loaded = e
			loads++
		}
		low, high = math.Min(low, e.Latency.P50), math.Max(high, e.Latency.P50)
	}
	for _, text := range []string{haloTimes(r), goals.AppFigures(r), storage.BlockGave(r), storage.CopyGave(r)} {
		if text != "" {
			traced += " " + text
		}
	}
	switch {
	case high == 0 && traced != "":
		return traced[1:]
	case high == 0:
		return "Nothing was measured."
	case pings == 1 && loaded != nil:
		return fmt.Sprintf("The median round trip is %s on the idle path and %s next to %s that %s %s.",
			unit.Seconds(loaded.Load.Idle.P50), unit.Seconds(high),
			unit.Counted(loaded.Load.Streams, "stream"), carries(loaded.Load.Streams), unit.BitRate(loaded.Load.Goodput.Median))
	case loads == pings:
		return fmt.Sprintf("The median round trips next to a load are %s to %s; what it adds is below.", unit.Seconds(low),
			unit.Seconds(high)) + traced
	case unit.Seconds(low) == unit.Seconds(high):
		return fmt.Sprintf("The median round trip is %s; no throughput was measured.", unit.Seconds(low)) + traced
	}
	return fmt.Sprintf("The median round trips are %s to %s; no throughput was measured.", unit.Seconds(low),
		unit.Seconds(high)) + traced
}

// haloTimes returns the sentence for halo exchanges; empty: there are none.
func haloTimes(r *record.Run) string {
	low, high := math.Inf(1), 0.0
	for _, e := range r.Experiments {
		if method.Named(e.Method).Exchanges && e.Seconds != nil && e.Seconds.Median > 0 {
			low, high = math.Min(low, e.Seconds.Median), math.Max(high, e.Seconds.Median)
		}
	}
	switch {
	case high == 0:
		return ""
	case unit.Seconds(low) == unit.Seconds(high):
		return fmt.Sprintf("A halo exchange takes %s.", unit.Seconds(low))
	}
	return fmt.Sprintf("A halo exchange takes %s to %s.", unit.Seconds(low), unit.Seconds(high))
}

func carries(n int) string {
	if n == 1 {
		return "carries"
	}
	return "carry"
}

// blocking are the checks whose findings keep every packet away. Others only make a path slower.
var blocking = []string{"no-interface", "link-down", "no-link", "laser-off", "module-refused", "port-errdisabled",
	"device-lost", "no-driver", "address", "duplicate-address", "duplicate-mac", "vlan", "no-answer", "miscabled",
	"firewall-drop"}

// Nothing is the beginning of the sentence of a run without any figure.
const Nothing = "Nothing could be measured"

// nothingMeasured returns the sentence for a run in which every experiment failed. What was found on the hosts comes
// first, with its fix: the failures only show that no packet arrived.
func nothingMeasured(r *record.Run, failed, notRun int) string {
	i := slices.IndexFunc(r.Findings, func(f record.Finding) bool {
		return f.Severity != record.Info && slices.Contains(blocking, f.ID)
	})
	if i < 0 && failed > 1 && notRun > 0 { // the totals of both are below
		return fmt.Sprintf(Nothing+": %s failed, the first: %s.", experiments(failed), firstFailure(r))
	} else if i < 0 {
		return fmt.Sprintf(Nothing+": %s.", firstFailure(r))
	}
	f := r.Findings[i]
	found := fmt.Sprintf(Nothing+": %s: %s (wanted: %s).", f.Subject, f.Have, f.Want)
	if f.Fix != "" {
		found += " Fix: " + strings.TrimSuffix(onHost(f), ".") + "."
	}
	return found + fmt.Sprintf(" %s failed.", experiments(failed))
}

// onHost returns the first step of a finding's fix with the host where it is typed.
func onHost(f record.Finding) string {
	fix, _, _ := strings.Cut(f.Fix, "\n")
	if f.Subject.Host == "" || strings.HasPrefix(fix, "on ") {
		return fix
	}
	return "on " + f.Subject.Host + ": " + fix
}

func firstFailure(r *record.Run) string {
	for _, e := range r.Experiments {
		if e.Failed != "" {
			return strings.TrimSuffix(e.Failed, ".")
		}
	}
	return "not known"
}

// worst has the verdict of the lowest share. total is the number of tests with a verdict, tests that of all.
func worst(held []*record.Experiment, total, tests int) string {
	sort.SliceStable(held, func(i, j int) bool { return share(held[i]) < share(held[j]) })
	v := held[0].Verdict
	s := v.Sentence
	if v.Confidence == "likely" {
		s = strings.TrimSuffix(s, ".") + " (likely)."
	}
	unknown, above, noLink := 0, 0, 0
	for _, e := range held {
		switch e.Verdict.Limiter {
		case record.LimiterUnknown:
			unknown++
		case cause.AboveCeiling.ID:
			above++
		default:
			if !storage.OverLink(e) {
				noLink++
			}
		}
	}
	switch below := len(held) - unknown - above - noLink; {
	case unknown == total && total > 1:
		s += fmt.Sprintf(" %s has a known ceiling.", unit.If(total == tests, fmt.Sprintf("None of the %d tests", tests),
			"No test of throughput"))
	case below > 1:
		s += fmt.Sprintf(" %d of %d tests stay below their link.", below, tests)
	}
	if above > 1 {
		s += fmt.Sprintf(" %d of %d tests read more than their link carries.", above, tests)
	}
	if unknown > 0 && unknown < total {
		s += fmt.Sprintf(" What could be carried is not known of %s.", experiments(unknown))
	}
	return s
}

func share(e *record.Experiment) float64 {
	if of, known := e.Share(); known {
		return of
	}
	return 1
}

func experiments(n int) string {
	if n == 1 {
		return "1 test"
	}
	return fmt.Sprintf("%d tests", n)
}

func are(n int) string {
	if n == 1 {
		return "1 test is"
	}
	return fmt.Sprintf("%d tests are", n)
}

func were(n int) string {
	if n == 1 {
		return "1 test was"
	}
	return fmt.Sprintf("%d tests were", n)
}
