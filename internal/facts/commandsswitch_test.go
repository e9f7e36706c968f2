package facts

import (
	"slices"
	"strings"
	"testing"
)

// What a switch is asked prints and changes nothing, whatever it is.
func TestSwitchCommands(t *testing.T) {
	printing := []string{"show ", "nv show ", "nv config show ", "net show ", "sonic-cfggen -d --print-data", "cat /etc/sonic/config_db.json"}
	for os, commands := range switchCommands {
		if len(commands) < 4 {
			t.Errorf("%s: only %d commands", os, len(commands))
		}
		for _, c := range commands {
			ok := slices.ContainsFunc(printing, func(p string) bool { return strings.HasPrefix(c, p) })
			if os == "routeros" {
				words := strings.Fields(c)
				ok = slices.ContainsFunc(words, func(w string) bool { return w == "print" || w == "once" || w == "/export" }) &&
					!slices.ContainsFunc(words, func(w string) bool { return w == "set" || w == "add" || w == "remove" || w == "reset-counters" })
			}
			if !ok || strings.ContainsAny(c, ";&`$<>\n'\"\\") {
				t.Errorf("%s: %q does not only print", os, c)
			}
		}
	}
	for _, os := range []string{"onyx", "cumulus", "sonic", "eos"} { // and is read by a parser of its own
		for _, c := range SwitchCommands(os) {
			if s, _, ok := find(sources(), c, os, nil); !ok || s.os != os {
				t.Errorf("%s: %q has no parser", os, c)
			}
		}
	}
	told := 0
	for os := range switchCommands {
		counters := SwitchCounterCommands(os)
		if told += len(counters); len(counters) == 0 {
			t.Errorf("%s: nothing is asked for its counters", os)
		}
	}
	if told != len(switchCounters) {
		t.Errorf("%d commands of counters are asked, of %d", told, len(switchCounters))
	}
	SwitchCommands("sonic")[0] = "reboot"
	if got := SwitchCommands("sonic")[0]; got != "show version" {
		t.Errorf("whoever got the list has changed it: %q", got)
	}
	if got := SwitchCommands("mlnx-os"); !slices.Equal(got, SwitchCommands("onyx")) || SwitchCommands("netgear") != nil {
		t.Error(got)
	}
}
