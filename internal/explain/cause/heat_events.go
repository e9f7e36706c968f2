package cause

import (
	"linerate/internal/base/unit"
	"linerate/internal/facts"
	"linerate/internal/record"
)

// Heats returns the temperature sensors of an interface's NIC and module, before, during and after a test.
func Heats(nic string, shots [3]*facts.Facts) []record.AcceptanceHeat {
	var out []record.AcceptanceHeat
	at := map[string]int{}
	read := func(sensor string, shot int, now float64, limits ...unit.Opt[float64]) {
		k, ok := at[sensor]
		if !ok {
			k = len(out)
			at[sensor] = k
			out = append(out, record.AcceptanceHeat{Sensor: sensor})
		}
		out[k].Now[shot] = &now
		for _, l := range limits {
			if v, ok := l.Get(); ok && out[k].Limit == nil {
				out[k].Limit = &v
			}
		}
	}
	for i, f := range shots {
		if f == nil {
			continue
		}
		for _, t := range f.Temperatures {
			if t.Device != nic {
				continue
			}
			name := t.Sensor
			if t.Label != "" {
				name = t.Label
			}
			read("temperature of the NIC ("+name+")", i, t.Now, t.High, t.Critical)
		}
		if n := f.NIC(nic); n != nil && n.Wire.Optic != nil {
			if now, ok := n.Wire.Optic.Temperature.Get(); ok {
				l := n.Wire.Optic.Limits["temperature"]
				read("temperature of the module", i, now, l.HighWarning, l.HighAlarm)
			}
		}
	}
	return out
}
