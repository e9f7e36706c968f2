package explain

import (
	"fmt"
	"maps"
	"strings"

	"linerate/internal/record"
)

// next is the command that would say more about an experiment which no cause
// explains: the same again where other work or a hypervisor disturbed it, else what its record asks for (then); with run in
// a lab, --chase does that by itself.
func next(r *record.Run, e *record.Experiment, then *record.Next) string {
	again := false
	for _, repeat := range e.Repeats {
		again = again || repeat.Foreign >= foreign || repeat.Stolen >= foreign
	}
	if r.FabricPath == "" && (r.Lab != nil || len(e.Ends) < 2) { // of quick, which has no file
		if r.Lab != nil && len(r.Arguments) > 1 && r.Arguments[1] == "quick" {
			return "linerate quick --lab"
		}
		return "the same command again"
	}
	if r.Lab != nil || len(e.Ends) < 2 {
		s := fmt.Sprintf("linerate run %s %s --only %s", quote(r.FabricPath), labFlag(r), quote(e.Name))
		if r.Variant != "" {
			s += " --variant " + quote(r.Variant)
		}
		if e.Settings["source"] != "" {
			s += " --allow-source"
		}
		if then != nil {
			s += " --chase"
		}
		if again {
			s += "   (again, on a quiet machine)"
		}
		return s
	}
	reaches := map[string]string{}
	for _, h := range r.Hosts {
		reaches[h.Name] = h.Reach
	}
	settings := maps.Clone(e.Settings)
	if settings == nil {
		settings = map[string]string{}
	}
	direction := e.Direction
	if then != nil && !again {
		for k, v := range then.Change {
			if settings[k] = v; k == "direction" {
				direction = v
			}
		}
	}
	s := fmt.Sprintf("linerate measure stream --from %s --to %s --to-address %s --streams %d --direction %s",
		quote(reaches[e.From]), quote(reaches[e.To]), e.Ends[1].Address, streamsOf(&record.Experiment{Settings: settings}), direction)
	if rate := givenRate(r); rate != "" {
		s += " --rate " + quote(rate)
	}
	for _, k := range []string{"size", "transport", "copies", "gather", "placement", "pace", "source", "mtu"} {
		if v := settings[k]; v != "" {
			s += fmt.Sprintf(" --%s %s", k, quote(v))
		}
	}
	return s
}

// givenRate is the link's rate as the command line of the run had it; empty: it had none.
func givenRate(r *record.Run) string {
	for i, a := range r.Arguments {
		if v, ok := strings.CutPrefix(a, "--rate="); ok {
			return v
		}
		if a == "--rate" && i+1 < len(r.Arguments) {
			return r.Arguments[i+1]
		}
	}
	return ""
}

// quote writes a word so that a shell takes it as one.
func quote(s string) string {
	if s != "" && strings.Trim(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./:@%+,=") == "" {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

// labFlag asks for the same lab: the one that is up if the run was in it, else
// one of the run's own at the same scale.
func labFlag(r *record.Run) string {
	if r.Lab == nil {
		return "--lab"
	}
	for _, a := range r.Arguments {
		if a == "--lab="+r.Lab.ID {
			return a
		}
	}
	return fmt.Sprintf("--lab --scale %.6g", r.Lab.Scale)
}
