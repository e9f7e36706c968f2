package facts

import (
	"slices"
	"strings"

	"linerate/internal/base/unit"
)

// The words of Arista's `show environment`, of SONiC's `show platform`, of Onyx' and NVUE's answers, and of ibswinfo, for how a part of a
// switch is.
var (
	wellWords = []string{"ok", "good", "normal", "up", "running", "ready", "powered"}
	illWords  = []string{"not ok", "notok", "error", "fail", "failed", "fault", "faulty", "power loss", "powerloss", "bad", "critical", "alert", "alarm",
		"overheating", "overheat", "major", "fatal", "down", "unknown speed"}
)

// sensorOK is whether a word says that the part is fine.
func sensorOK(state string) unit.Opt[bool] {
	switch s := strings.ToLower(strings.TrimSpace(state)); {
	case slices.Contains(wellWords, s):
		return known(true)
	case slices.Contains(illWords, s):
		return known(false)
	case s == "":
		return unit.Unknown[bool]("the device does not say how it is")
	}
	return unit.Unknown[bool]("the device says " + state)
}
