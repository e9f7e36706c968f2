package facts

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"linerate/internal/testenv"
)

// A lab's host tells of hardware by programs: in place of the kernel's words, with them, or of what the kernel does not know.
func TestStandIns(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the scripts are those of sh")
	}
	if _, err := exec.LookPath("sh"); err != nil {
		testenv.Missing(t, "sh, which runs the scripts")
	}
	dir := t.TempDir()
	for name, script := range map[string]string{
		"full/ethtool%20-S%20e1":     "echo '     rx_out_of_buffer: 7'",
		"counters/proc%2Fnet%2Fsnmp": "sed s/real/told/",
		"full/ethtool%20-g%20e1":     "exit 3",
	} {
		file := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(script), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for level, want := range map[Level]string{Full: "proc/net/snmp=the told words;ethtool -S e1=     rx_out_of_buffer: 7", Counters: "proc/net/snmp=the told words"} {
		c := &collector{ctx: t.Context(), head: header{os: "linux", level: level}, files: []file{{"proc/net/snmp", []byte("the real words")}}}
		c.standIn(findStandIns(dir, level))
		var got []string
		for _, f := range c.files {
			got = append(got, f.Name+"="+strings.TrimRight(string(f.Data), "\n"))
		}
		if strings.Join(got, ";") != want {
			t.Errorf("%s: %q, want %q", level, got, want)
		}
		if broken := len(c.head.unknown) == 1 && strings.Contains(c.head.unknown[0].Reason, "stand-in"); broken != (level == Full) {
			t.Errorf("%s: unknown %v", level, c.head.unknown)
		}
	}
	if got := findStandIns("", Full); len(got) != 0 {
		t.Errorf("without a folder: %v", got)
	}
}
