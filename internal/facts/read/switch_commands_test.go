package read

import (
	"slices"
	"strings"
	"testing"

	"linerate/internal/device/families"
)

// TestSwitchCommands: the commands for a switch only print, and a parser reads their output.
func TestSwitchCommands(t *testing.T) {
	printing := []string{"show ", "nv show ", "nv config show ", "net show ", "sonic-cfggen -d --print-data",
		"cat /etc/sonic/config_db.json"}
	menuPrinting, menuChanging := []string{"print", "once", "/export"}, []string{"set", "add", "remove", "reset-counters"}
	for _, os := range families.Switches() {
		commands, system := families.Commands(os), families.Of(os)
		if commands == nil {
			continue // it is read from files, and not run on the switch
		}
		if len(commands) < 4 {
			t.Errorf("%s: only %d commands", os, len(commands))
		}
		for _, c := range commands {
			ok := slices.ContainsFunc(printing, func(p string) bool { return strings.HasPrefix(c, p) })
			if system.Traits.Menus {
				words := strings.Fields(c)
				ok = slices.ContainsFunc(words, func(w string) bool { return slices.Contains(menuPrinting, w) }) &&
					!slices.ContainsFunc(words, func(w string) bool { return slices.Contains(menuChanging, w) })
			}
			if !ok || strings.ContainsAny(c, ";&`$<>\n'\"\\") {
				t.Errorf("%s: %q does not only print", os, c)
			}
			if s, _, ok := Find(Sources(), c, system.Family, nil); !system.Traits.Menus && (!ok || s.OS != system.Family) {
				t.Errorf("%s: %q has no parser", os, c)
			}
		}
		counters := families.CounterCommands(os)
		if len(counters) == 0 || slices.ContainsFunc(counters, func(c string) bool { return !slices.Contains(commands, c) }) {
			t.Errorf("%s: its counters are asked with %q, all with %q", os, counters, commands)
		}
	}
	families.Commands("sonic")[0] = "reboot"
	if got := families.Commands("sonic")[0]; got != "show version" {
		t.Errorf("whoever got the list has changed it: %q", got)
	}
	if got := families.Commands("mlnx-os"); got == nil || !slices.Equal(got, families.Commands("onyx")) ||
		families.Commands("netgear") != nil {
		t.Error(got)
	}
}
