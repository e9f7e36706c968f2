package collect

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"linerate/internal/facts"
	"linerate/internal/facts/snapshot"
	"linerate/internal/testenv"
)

// A lab host's hardware is printed by programs: instead of the kernel's text, from it, or where the kernel has none.
func TestSubstitutes(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the scripts are those of sh")
	}
	if _, err := exec.LookPath("sh"); err != nil {
		testenv.Missing(t, "sh, which runs the scripts")
	}
	dir := t.TempDir()
	for name, script := range map[string]string{"full/ethtool%20-S%20e1": "echo '     rx_out_of_buffer: 7'",
		"counters/proc%2Fnet%2Fsnmp": "sed s/real/told/", "full/ethtool%20-g%20e1": "exit 3"} {
		file := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(script), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for level, want := range map[facts.Level]string{facts.Full: "proc/net/snmp=the told words;ethtool -S e1=     " +
		"rx_out_of_buffer: 7", facts.Counters: "proc/net/snmp=the told words"} {
		c := &collector{ctx: t.Context(), head: snapshot.Header{OS: "linux", Level: level},
			files: []snapshot.File{{Name: "proc/net/snmp", Data: []byte("the real words")}}}
		c.substitute(findSubstitutes(dir, level))
		var got []string
		for _, f := range c.files {
			got = append(got, f.Name+"="+strings.TrimRight(string(f.Data), "\n"))
		}
		if strings.Join(got, ";") != want {
			t.Errorf("%s: %q, want %q", level, got, want)
		}
		if broken := len(c.head.Unknown) == 1 &&
			strings.Contains(c.head.Unknown[0].Reason, "substitute"); broken != (level == facts.Full) {
			t.Errorf("%s: unknown %v", level, c.head.Unknown)
		}
	}
	if got := findSubstitutes("", facts.Full); len(got) != 0 {
		t.Errorf("without a folder: %v", got)
	}
}

func TestEchoReply(t *testing.T) {
	reply := []byte{0, 0, 0, 0, 0, 7, 1, 2, 9}
	header := make([]byte, 24)
	header[0] = 0x46
	for _, c := range []struct {
		b        []byte
		six, raw bool
		id, want uint16
		ok       bool
	}{
		{reply, false, false, 99, 258, true}, {reply, false, true, 7, 0, false},
		{append(header, reply...), false, true, 7, 258, true},
		{append(header, reply...), false, true, 8, 0, false}, {reply[:7], false, false, 0, 0, false},
		{reply, true, false, 0, 0, false}, {nil, false, true, 0, 0, false},
		{append([]byte{129}, reply[1:]...), true, true, 7, 258, true},
	} {
		if got, ok := parseEchoReply(c.b, c.six, c.raw, c.id); ok != c.ok || ok && got != c.want {
			t.Errorf("%v is %d, %v", c, got, ok)
		}
	}
}

func TestARPFrames(t *testing.T) {
	mac := [6]byte{2, 0, 0, 0, 0, 1}
	b := arpRequest(mac, [4]byte{10, 0, 0, 1}, [4]byte{10, 0, 0, 2})
	if len(b) != 42 {
		t.Fatal(len(b))
	}
	if m, sender, ok := parseARP(b); !ok || m != mac || sender != [4]byte{10, 0, 0, 1} {
		t.Errorf("%v %v %v", m, sender, ok)
	}
	if _, _, ok := parseARP(b[:41]); ok {
		t.Error("a frame that is cut was taken")
	}
}
