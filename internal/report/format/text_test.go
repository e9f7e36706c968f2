package format

import (
	"strings"
	"testing"
	"time"
)

func TestUnbroken(t *testing.T) {
	for in, want := range map[string]string{"at 5.31 k IOPS (likely)": "at 5.31_k_IOPS (likely)",
		"37.7 Gb/s, 99 % of 2 streams": "37.7_Gb/s, 99_% of 2_streams", "3 Grapes of 4 KiB": "3 Grapes of 4_KiB"} {
		if got := strings.ReplaceAll(Unbroken(in), "\u00a0", "_"); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

func TestClean(t *testing.T) {
	for in, want := range map[string]string{"nas": "nas", " nas  1 ": "nas  1", " ": "", "a\x1b[31mred\x1b[0m b": "ared b",
		"\x1b]0;title\x07x": "]0;titlex", "a\nb\tc\r\nd": "a b c d", "\u009b31mx\u202ey\u2066z": "xyz",
		"caf\u00e9 \xff": "café \uFFFD", "\x00\x7f\x85": "\uFFFD", "\x1b[": "", "\x1b[31": "31", "\x1b[3\x1b[1mx": "3x",
		"unfinished \u001b[999999;": "unfinished 999999;"} {
		if got := Clean(in); got != want {
			t.Errorf("clean(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestCommandOfGoRun(t *testing.T) {
	for program, want := range map[string]string{"/tmp/go-build1980962385/b001/exe/linerate": "linerate run x",
		`C:\Temp\go-build1\b001\exe\linerate.exe`: "linerate run x", "./linerate": "./linerate run x"} {
		if got := Command([]string{program, "run", "x"}); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

func TestCommand(t *testing.T) {
	if got, want := Command(
		[]string{"linerate", "run", "my file.yaml", "it's", "$(touch /tmp/p)", ""},
	), `linerate run 'my file.yaml' 'it'\''s' '$(touch /tmp/p)' ''`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestTook(t *testing.T) {
	for d, want := range map[time.Duration]string{300 * time.Millisecond: "1 s", 42 * time.Second: "42 s",
		59700 * time.Millisecond: "1 min 00 s", 85 * time.Second: "1 min 25 s", 3*time.Hour + 119*time.Second: "3 h 01 min"} {
		if got := Took(d); got != want {
			t.Errorf("%v: %q, want %q", d, got, want)
		}
	}
}
