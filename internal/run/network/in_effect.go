package network

import (
	"cmp"
	"fmt"

	"linerate/internal/traffic"
)

// inEffect is what was in effect at both ends, as settings of the record: each end knows its own part.
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
	copies := map[string]string{"A": traffic.CopiesBoth, "B": traffic.CopiesReceive, "C": traffic.CopiesNone,
		"G": traffic.CopiesBoth}
	put("copy_mode", copies[sender.Label], sender.Label != "")
	put("batch", sender.PerCall, sender.PerCall > 0)
	put("send_path", sender.Path, sender.Path != "")
	put("send_buffer", sender.SendBuffer, sender.SendBuffer > 0)
	put("receive_buffer", receiver.ReceiveBuffer, receiver.ReceiveBuffer > 0)
	put("receive_low_water", receiver.LowWater, receiver.LowWater > 0)
	put("receive_window", receiver.TCPWindow, receiver.TCPWindow > 0)
	put("receive_pause", receiver.Pause, receiver.Pause > 0)
	put("chosen", receiver.Choice, receiver.Choice != "")
	put("pace_by", sender.PaceBy, sender.PaceBy != "")
	put("pace_why", sender.PaceWhy, sender.PaceWhy != "")
	put("pace_spread", sender.PaceSpread, sender.PaceSpread != "")
	put("multipath", sender.Multipath, sender.Multipath != "")
	put("class_mark", sender.Mark, sender.Mark != "")
	put("source", sender.Source, sender.Source != "")
	put("source_from", sender.SourceFrom, sender.SourceFrom != "")
	put("source_device", sender.SourceDevice, sender.SourceDevice != "")
	put("wait", sender.Wait, sender.Wait != "")
	put("placement", fmt.Sprintf("from %s, to %s", from.Placement, to.Placement),
		from.Placement != "" && to.Placement != "")
	return m
}
