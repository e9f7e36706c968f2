package parse

import (
	"slices"
	"strings"

	"linerate/internal/base/unit"
	"linerate/internal/facts"
)

// Sensed adds a sensor.
func (f *Builder) Sensed(kind, name, state, line string) {
	f.Switch.Sensors = append(f.Switch.Sensors,
		facts.Sensor{Kind: kind, Name: name, State: state, OK: sensorOK(state), Proof: f.Proof(line)})
}

// The state words in Arista's `show environment`, SONiC's `show platform`, Onyx' and NVUE's outputs, and ibswinfo.
var (
	wellWords = []string{"ok", "good", "normal", "up", "running", "ready", "powered"}
	illWords  = []string{"not ok", "notok", "error", "fail", "failed", "fault", "faulty", "power loss", "powerloss", "bad",
		"critical", "alert", "alarm", "overheating", "overheat", "major", "fatal", "down", "unknown speed"}
)

// sensorOK reports whether a word means that the part is good.
func sensorOK(state string) unit.Opt[bool] {
	switch s := strings.ToLower(strings.TrimSpace(state)); {
	case slices.Contains(wellWords, s):
		return unit.Known(true)
	case slices.Contains(illWords, s):
		return unit.Known(false)
	case s == "":
		return unit.Unknown[bool]("the device does not say how it is")
	}
	return unit.Unknown[bool]("the device says " + state)
}
