package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"linerate/internal/cli"
	"linerate/internal/record"
	"linerate/internal/record/runfolder"
	"linerate/internal/testenv"
)

// Every command that opens runs refuses one of an older form in one sentence, which says what reads it.
func TestOlderRun(t *testing.T) {
	dir := recordedRun(t, "healthy")
	name := filepath.Join(dir, runfolder.ManifestName)
	manifest := testenv.Must(os.ReadFile(name))(t)
	older := bytes.Replace(manifest, []byte(record.RunSchema), []byte("linerate/run/1"), 1)
	older = bytes.Replace(older, []byte(`"version": "source"`), []byte(`"version": "0.1.0"`), 1)
	if bytes.Equal(manifest, older) {
		t.Fatal("the recorded run has another form")
	}
	testenv.Check(t, os.WriteFile(name, older, 0o666))
	const want = "the run was written by an older linerate note: linerate 0.1.0 reads it"
	for _, line := range []string{"report RUN", "report RUN --json", "explain RUN", "share RUN", "whatif RUN --mtu 9000",
		"compare RUN RUN", "run " + mesh + " --resume -o RUN"} {
		a := call(t, nil, strings.Fields(strings.ReplaceAll(line, "RUN", dir))...)
		if a.code != cli.ExitInput || a.out != "" || !strings.Contains(unwrapped(a.err), want) {
			t.Errorf("%s: %s", line, a)
		}
	}
}
