package explain

import (
	"fmt"
	"maps"
	"strings"

	"linerate/internal/explain/judge"
	"linerate/internal/record"
)

// next returns the command that would tell more about an experiment which no cause explains. Where other processes or a
// hypervisor disturbed it, the experiment is repeated. Otherwise it is the step that its record proposes (then). In a
// lab, run --follow-up runs that step itself.
func next(r *record.Run, e *record.Experiment, then *record.Next) string {
	again := false
	for _, repeat := range e.Repeats {
		again = again || repeat.OtherProcesses >= judge.OtherWorkCores || repeat.Steal >= judge.OtherWorkCores
	}
	if r.FabricPath == "" && (r.Lab != nil || len(e.Ends) < 2) { // a run of quick has no file
		if r.Lab != nil && len(r.Arguments) > 1 && r.Arguments[1] == "quick" {
			return "linerate quick --lab"
		}
		return "the same command again"
	}
	if r.Lab != nil || len(e.Ends) < 2 {
		s := fmt.Sprintf("linerate run %s %s --experiments %s", judge.Quote(r.FabricPath), judge.LabFlag(r),
			judge.Quote(e.Name))
		if r.Variant != "" {
			s += " --variant " + judge.Quote(r.Variant)
		}
		if e.Settings["source"] != "" {
			s += " --allow-source"
		}
		if then != nil {
			s += " --follow-up"
		}
		if again {
			s += "   (again, on a quiet machine)"
		}
		return s
	}
	reaches := map[string]string{}
	for _, h := range r.Hosts {
		reaches[h.Name] = h.Connection
	}
	settings := maps.Clone(e.Settings)
	if settings == nil {
		settings = map[string]string{}
	}
	direction, from, to, at := e.Direction, e.From, e.To, e.Ends[1]
	if e.Pattern != "" {
		slow := Slowest(e)
		if slow == nil || len(slow.Ends) < 2 || reaches[slow.From] == "" || reaches[slow.To] == "" {
			return "the same command again"
		}
		from, to, at = slow.From, slow.To, slow.Ends[1] // alone
		delete(settings, "traffic")
	}
	if then != nil && !again {
		for k, v := range then.Change {
			if settings[k] = v; k == "direction" {
				direction = v
			}
		}
	}
	alone := len(r.Experiments) == 1 && len(r.Arguments) > 1 && r.Arguments[1] == "measure"
	if alone && then == nil && !again && e.Pattern == "" {
		return "" // it would be the command that was typed
	}
	s := fmt.Sprintf("linerate measure throughput --from %s --to %s --to-address %s --streams %d --direction %s",
		judge.Quote(reaches[from]), judge.Quote(reaches[to]), at.Address,
		judge.StreamsOf(&record.Experiment{Settings: settings}), direction)
	if rate := givenRate(r); rate != "" {
		s += " --link " + judge.Quote(rate)
	}
	for _, k := range []string{"size", "transport", "copy_mode", "batch", "placement", "pace", "source", "mtu"} {
		if v := settings[k]; v != "" {
			s += fmt.Sprintf(" --%s %s", k, judge.Quote(v))
		}
	}
	return s
}

// givenRate returns the link's rate from the command line of the run; empty: it had none.
func givenRate(r *record.Run) string {
	for i, a := range r.Arguments {
		if v, ok := strings.CutPrefix(a, "--link="); ok {
			return v
		}
		if a == "--link" && i+1 < len(r.Arguments) {
			return r.Arguments[i+1]
		}
	}
	return ""
}
