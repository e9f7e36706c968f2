package parse

import (
	"strings"
	"testing"
)

func TestCanonicalFreeBSD(t *testing.T) {
	for command, want := range map[string]string{"netstat -I mce0 -bdn": "netstat -i", "netstat -ihw1": "netstat -w",
		"netstat -I ix0 -w 1": "netstat -w", "netstat -ibn": "netstat -i", "netstat -rnW": "netstat -r",
		"netstat -nr -f inet": "netstat -r", "netstat -s -p tcp": "netstat -s", "netstat 1": "netstat -w",
		"vmstat -ia": "vmstat -i", "vmstat 1": "", "sudo ifconfig -vm mce0": "ifconfig", "/sbin/ifconfig -a": "ifconfig",
		"ifconfig": "ifconfig", "ifconfig mce0 up": "", "ifconfig -l": "", "netstat -an": "", "kldstat -v": "",
		"ifconfig | grep x": ""} {
		words := strings.Fields(command)
		if words[0] == "sudo" {
			words = words[1:]
		}
		if got, _ := Canonical(words); got != want {
			t.Errorf("%s: %q, want %q", command, got, want)
		}
	}
}
