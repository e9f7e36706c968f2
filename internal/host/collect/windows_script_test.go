package collect

import (
	"regexp"
	"strings"
	"testing"

	"linerate/internal/facts/read"
)

// Every line of the script's table runs commands that only read, and every verb of the script is one of these, or of
// those that run them.
func TestWindowsScriptOnlyGets(t *testing.T) {
	script := WindowsScript()
	for i, b := range []byte(script) {
		if b >= 0x80 || b == '\r' || b == 0 {
			t.Fatalf("byte %d is %q: the script goes through pipes of any encoding", i, b)
		}
	}
	rows := regexp.MustCompile(`(?m)^    @\('([^']+)', '((?:[^']|'')+)', '([^']*)'\),?$`).FindAllStringSubmatch(script, -1)
	if n := strings.Count(script, "    @('"); len(rows) != n || n < 30 {
		t.Fatalf("%d of %d lines of the table are of its form", len(rows), n)
	}
	changing := regexp.MustCompile(`(?i)\b(set|new|remove|enable|disable|add|clear|restart|start|stop|reset|invoke|install|uninstall|rename|move|copy|register)-\w+|[<>&]|\biex\b`)
	for _, r := range rows {
		command := r[2]
		if m := changing.FindString(command); m != "" {
			t.Errorf("%s: %q", command, m)
		}
		if !strings.HasPrefix(command, "Get-") && command != "powercfg.exe /getactivescheme" &&
			command != "netsh.exe int tcp show global" && command != "netstat.exe -s" {
			t.Errorf("%q gets nothing", command)
		}
		if _, _, ok := read.Find(read.Sources(), strings.Split(r[1], " ")[0], "windows", nil); !ok && !readLater[r[1]] {
			if _, _, ok := read.Find(read.Sources(), r[1], "windows", nil); !ok {
				t.Errorf("no parser for %s", r[1])
			}
		}
		for _, name := range strings.Fields(r[3]) {
			if regexp.MustCompile(`(?i)serial|password|secret|\bguid\b|username|credential`).MatchString(name) {
				t.Errorf("%s: %s is kept", r[1], name)
			}
		}
	}
	for _, verb := range regexp.MustCompile(`\b([A-Z][a-z]+)-[A-Z]\w+`).FindAllStringSubmatch(script, -1) {
		switch verb[1] {
		case "Get", "Select", "Where", "Out", "Format", "New", "Convert", "For", "ConvertTo":
		default:
			if verb[0] != "ForEach-Object" {
				t.Errorf("%s", verb[0])
			}
		}
	}
	if m := regexp.MustCompile(`New-\w+`).FindAllString(script, -1); len(m) != 1 || m[0] != "New-Object" {
		t.Errorf("%v", m)
	}
}

// readLater are in snapshots and not parsed yet.
var readLater = map[string]bool{"Get-NetAdapterVmq": true, "Get-NetLbfoTeam": true}

// The collector runs powershell.exe with a constant command line.
func TestWindowsCommand(t *testing.T) {
	if err := announcedProgram("windows", windowsCommand); err != nil {
		t.Error(err)
	}
	if announcedProgram("windows", []string{"powershell.exe", "-Command", "Stop-Computer"}) == nil {
		t.Error("another command is started")
	}
}
