package guest

import (
	"errors"
	"io"
	"strings"
	"testing"
)

// stream reads one text and keeps what is written.
type textStream struct {
	io.Reader
	wrote strings.Builder
}

func (s *textStream) Write(b []byte) (int, error) { return s.wrote.Write(b) }

func events(said string) (out []string, wrote string, err error) {
	s := &textStream{Reader: strings.NewReader(said)}
	m, err := NewMonitor(s)
	for err == nil {
		var e string
		if e, err = m.Event(); err == nil {
			out = append(out, e)
		}
	}
	return out, s.wrote.String(), err
}

func TestMonitor(t *testing.T) {
	// As QEMU 7.2 says it.
	got, wrote, err := events(
		`{"QMP": {"version": {"qemu": {"micro": 19, "minor": 2, "major": 7}, "package": "Debian"}, "capabilities": ["oob"]}}
{"return": {}}
{"timestamp": {"seconds": 1763783000, "microseconds": 1}, "event": "RTC_CHANGE", "data": {"offset": 0, "qom-path": "/machine"}}
{"timestamp": {"seconds": 1763783001, "microseconds": 1}, "event": "RESET", "data": {"guest": true, "reason": "guest-reset"}}
{"timestamp": {"seconds": 1763783002, "microseconds": 1}, "event": "SHUTDOWN", "data": {"guest": true, "reason": "guest-shutdown"}}
`,
	)
	if want := "RTC_CHANGE RESET SHUTDOWN"; strings.Join(got, " ") != want || !errors.Is(err, io.EOF) ||
		!strings.Contains(wrote, "qmp_capabilities") {
		t.Errorf("%q, %v, wrote %q; want %s", got, err, wrote, want)
	}
	for _, bad := range []string{"no JSON\n", `{"event": 7}` + "\n", strings.Repeat("x", monitorLine+1)} {
		if _, _, err := events(bad); err == nil || errors.Is(err, io.EOF) {
			t.Errorf("%.20q: %v", bad, err)
		}
	}
}

func FuzzMonitor(f *testing.F) {
	f.Add(`{"event": "RESET"}` + "\n")
	f.Add("{\"return\": {}}\n{\n")
	f.Fuzz(func(t *testing.T, said string) {
		got, _, err := events(said)
		if err == nil {
			t.Error("it has no end")
		}
		if len(got) > strings.Count(said, "\n")+1 {
			t.Errorf("%d events in %d lines", len(got), strings.Count(said, "\n")+1)
		}
	})
}
