package facts

import (
	"encoding/binary"
	"os"
	"regexp"
	"strings"
	"testing"
)

// Every line of the script's table runs commands that get something and change nothing; every verb of the script is one of those,
// or of what runs them.
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
		if !strings.HasPrefix(command, "Get-") && command != "powercfg.exe /getactivescheme" && command != "netsh.exe int tcp show global" && command != "netstat.exe -s" {
			t.Errorf("%q gets nothing", command)
		}
		if _, _, ok := find(sources(), strings.Split(r[1], " ")[0], "windows", nil); !ok && !readLater[r[1]] {
			if _, _, ok := find(sources(), r[1], "windows", nil); !ok {
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

// readLater are kept in captures and not read yet.
var readLater = map[string]bool{"Get-NetAdapterVmq": true, "Get-NetLbfoTeam": true}

// The collector gives powershell.exe one constant command line.
func TestWindowsCommand(t *testing.T) {
	if err := announcedProgram("windows", windowsCommand); err != nil {
		t.Error(err)
	}
	if announcedProgram("windows", []string{"powershell.exe", "-Command", "Stop-Computer"}) == nil {
		t.Error("another command is started")
	}
}

// Real outputs of Windows: all that has a parser is recognised by its name or content, and what is not read says why.
func TestWindowsCaptures(t *testing.T) {
	const root = "../../../shared/captures/"
	index, err := os.ReadFile(root + "INDEX.md")
	if err != nil {
		t.Skipf("no collection of captures beside the project: %v", err)
	}
	all, read := 0, 0
	for _, m := range regexp.MustCompile(`(?m)^\| (windows/\S+) \|`).FindAllStringSubmatch(string(index), -1) {
		text, err := os.ReadFile(root + m[1])
		if err != nil {
			t.Fatal(err)
		}
		all++
		kept, notRead := FromKept("h", map[string][]byte{m[1]: text}, []string{m[1]})
		if strings.Count(string(kept), "-- ") == 0 {
			t.Logf("%s: %v", m[1], notRead)
			continue
		}
		f, err := Parse(kept)
		if err != nil {
			t.Fatal(err)
		}
		read++
		for _, u := range f.Unknown {
			if !strings.Contains(u.Reason, "no parser for objects with") {
				t.Errorf("%s: %s: %s", m[1], u.Subject, u.Reason)
			}
		}
		// As PowerShell itself would have written it into a file.
		again, _ := FromKept("h", map[string][]byte{m[1]: inUTF16(string(text), binary.LittleEndian, true)}, []string{m[1]})
		if string(again) != string(kept) {
			t.Errorf("%s: in UTF-16 it is another capture", m[1])
		}
	}
	t.Logf("%d of %d outputs are read", read, all)
	if all > 0 && read < 50 {
		t.Errorf("%d of %d outputs are read", read, all)
	}
}
