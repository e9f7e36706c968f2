package run

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"linerate/internal/agent"
	"linerate/internal/record"
	"linerate/internal/traffic"
)

// tuning completes what was asked for with what the two agents are.
func (s Spec) tuning(from, to *agent.Client) traffic.Tuning {
	t, x, y := s.Tuning, from.Hello(), to.Hello()
	t.Together = x.BootID != "" && x.BootID == y.BootID
	t.Trial = t.Trial && x.OS == "linux" && y.OS == "linux"
	return t
}

// inEffect is what both ends did, as settings of the record: each end knows its own part.
func inEffect(s Spec, from, to traffic.InEffect) map[string]string {
	sender, receiver := from, to
	if s.Direction == traffic.In {
		sender, receiver = to, from
	}
	m := map[string]string{}
	put := func(key string, value any, known bool) {
		if known {
			m[key] = fmt.Sprint(value)
		}
	}
	put("transport", cmp.Or(s.Transport, traffic.TCP), true)
	put("size", s.Size, s.Size > 0)
	put("label", sender.Label, sender.Label != "")
	put("copies", map[string]string{"A": traffic.CopiesBoth, "B": traffic.CopiesReceive, "C": traffic.CopiesNone, "G": traffic.CopiesBoth}[sender.Label], sender.Label != "")
	put("gather", sender.PerCall, sender.PerCall > 0)
	put("send_path", sender.Path, sender.Path != "")
	put("send_buffer", sender.SendBuffer, sender.SendBuffer > 0)
	put("receive_buffer", receiver.ReceiveBuffer, receiver.ReceiveBuffer > 0)
	put("receive_low_water", receiver.LowWater, receiver.LowWater > 0)
	put("receive_window", receiver.Window, receiver.Window > 0)
	put("receive_pause", receiver.Pause, receiver.Pause > 0)
	put("chosen", receiver.Choice, receiver.Choice != "")
	put("pace_by", sender.PaceBy, sender.PaceBy != "")
	put("pace_why", sender.PaceWhy, sender.PaceWhy != "")
	put("pace_spread", sender.PaceSpread, sender.PaceSpread != "")
	put("class_mark", sender.Mark, sender.Mark != "")
	put("source", sender.Source, sender.Source != "")
	put("source_from", sender.SourceFrom, sender.SourceFrom != "")
	put("source_device", sender.SourceDevice, sender.SourceDevice != "")
	put("wait", sender.Wait, sender.Wait != "")
	put("placement", fmt.Sprintf("from %s, to %s", from.Placement, to.Placement), from.Placement != "" && to.Placement != "")
	return m
}

// effects writes what was in effect in all repeats into the experiment's record; where repeats differ, every value in
// the order of its first repeat.
func effects(e *record.Experiment) {
	values := map[string][]string{}
	for _, r := range e.Repeats {
		for k, v := range r.InEffect {
			if !slices.Contains(values[k], v) {
				values[k] = append(values[k], v)
			}
		}
	}
	for k, v := range values {
		e.InEffect[k] = strings.Join(v, "; ")
	}
	if n := streamsOf(e); n > 0 {
		e.InEffect["streams"] = fmt.Sprint(n)
	}
	// What both ends were told to do at these times and beside this load they did, or the experiment failed.
	for _, k := range []string{"every", "load_streams", "load_direction"} {
		if v := e.Settings[k]; v != "" {
			e.InEffect[k] = v
		}
	}
}

// streamsOf is how many streams the last repeat had in one direction of a flow, by what was counted; 0: none.
func streamsOf(e *record.Experiment) int {
	of := map[string]int{}
	most := 0
	for _, s := range e.Repeats[len(e.Repeats)-1].Streams {
		flow := fmt.Sprint(s.Direction, s.Flow)
		of[flow]++
		most = max(most, of[flow])
	}
	return most
}

// tune reads the settings of how the ends do their work. Unless told otherwise a stream copies at both ends, as an
// application does, and its buffers and threads are placed by a trial.
func (s *Spec) tune(settings map[string]string) error {
	s.Tuning = traffic.Tuning{Trial: true, Placement: traffic.PlaceAuto, Copies: settings["copies"], Spin: settings["spin"] == "true"}
	if text := settings["gather"]; text != "" {
		n, err := strconv.Atoi(text)
		if err != nil || n < 1 {
			return fmt.Errorf("gather: %s is not a number of messages", text)
		}
		s.Tuning.Gather = n
	}
	switch text := settings["placement"]; text {
	case "", traffic.PlaceAuto:
	case traffic.PlaceOff:
		s.Tuning.Placement = traffic.PlaceOff
	default:
		from, to, _ := strings.Cut(text, "/")
		var err error
		if s.FromCores, s.FromNodes, err = traffic.ParsePlacement(from); err != nil {
			return fmt.Errorf("placement: %w", err)
		}
		if s.ToCores, s.ToNodes = s.FromCores, s.FromNodes; to != "" {
			if s.ToCores, s.ToNodes, err = traffic.ParsePlacement(to); err != nil {
				return fmt.Errorf("placement: %w", err)
			}
		}
	}
	return nil
}
