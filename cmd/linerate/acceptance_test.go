package main

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"linerate/internal/cli"
	"linerate/internal/testenv"
)

// An acceptance over a path without a physical link reports that it shows nothing about one, in the terminal, the
// record and the certificate.
func TestAcceptance(t *testing.T) {
	testenv.Need(t, testenv.Live)
	t.Parallel()
	if runtime.GOOS != "linux" {
		t.Skip("what both ends say of themselves is read on Linux")
	}
	p := newPlace(t)
	folder := filepath.Join(t.TempDir(), "run")
	a := p.linerate(t, "measure", "acceptance", "--to", "local", "--to-address", "127.0.0.1", "--time", "300ms",
		"--json", "-o", folder).ends(t, cli.ExitIncomplete)
	x := a.run(t).Experiments[0]
	if x.Direction != "both" || x.Settings["streams"] != "4" || len(x.Repeats) != 1 || x.Forward == nil ||
		x.Backward == nil {
		t.Errorf("%+v", x)
	}
	if x.Acceptance == nil || x.Acceptance.Passed != nil || len(x.Acceptance.Unknown) == 0 ||
		len(x.Acceptance.Ways) != 2 || x.Acceptance.Ways[0].Bound != nil {
		t.Fatalf("%+v", x.Acceptance)
	}
	b := p.linerate(t, "report", folder, "--all")
	page := testenv.Must(os.ReadFile(filepath.Join(folder, "certificate.html")))(t)
	for _, text := range []string{b.out, string(page)} {
		if !strings.Contains(text, "not known") || !strings.Contains(text, "whether it is a NIC") &&
			!strings.Contains(unwrapped(text), "whether it is a NIC") {
			t.Errorf("it does not say what is not known:\n%.3000s", text)
		}
	}
}

func TestAcceptanceErrors(t *testing.T) {
	for _, bad := range [][]string{{"--bit-error-rate", "x"}, {"--bit-error-rate", "2"}, {"--direction", "out"},
		{"--size", "1KiB"}} {
		args := append([]string{"measure", "acceptance", "--to", "local", "--to-address", "127.0.0.1", "--time", "300ms"},
			bad...)
		if c := call(t, nil, args...); c.code != cli.ExitInput || !strings.Contains(c.err, strings.TrimPrefix(bad[0], "--")) {
			t.Errorf("%v: %s", bad, c)
		}
	}
}
