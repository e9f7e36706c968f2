package selftest

import (
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"linerate/internal/record"
	"linerate/internal/testenv"
	"linerate/internal/traffic/rdma"
)

// The skews of all rounds become their median and most; a program that does not know the command is a reason.
func TestSelftestRelease(t *testing.T) {
	var skews []string
	for i := range 20 {
		skews = append(skews, fmt.Sprint(1000*(i+1)))
	}
	scripted(t, `release) echo "release threads=2 skew_ns=`+strings.Join(skews, ",")+`";;`)
	var i record.Instrument
	if err := Release(t.Context(), &i, nil); err != nil || len(i.Releases) != 2 || i.Releases[0].Threads != 2 ||
		i.Releases[1].Threads != 8 || math.Abs(i.Releases[0].Max-20e-6) > 1e-12 ||
		math.Abs(i.Releases[0].Median-10.5e-6) > 1e-12 || i.Releases[0].Rounds != 20 || i.Releases[0].Cores < 1 ||
		len(i.Unknown) > 0 {
		t.Fatalf("%+v %v", i, err)
	}
	for script, says := range map[string]string{
		`release) echo "error step=line pair=-1 errno=0 status=0 at=1 text=release is not a ` +
			`command"; exit 1;;`: "release is not a command",
		`release) echo "release threads=2 skew_ns=1,2";;`:  "with 2 rounds in place of 20",
		`release) echo "release threads=2 skew_ns=-1,2";;`: `"-1" is not a time`,
	} {
		scripted(t, script)
		var i record.Instrument
		if err := Release(t.Context(), &i, nil); err != nil || len(i.Releases) > 0 || len(i.Unknown) != 1 ||
			i.Unknown[0].Subject != record.UnknownRelease || !strings.Contains(i.Unknown[0].Reason, says) {
			t.Errorf("%s: %+v %v", script, i, err)
		}
	}
	if !slices.Equal(releaseThreads, []int{2, 8}) {
		t.Error(releaseThreads)
	}
}

// scripted puts a linerate-verbs on the PATH that answers as a script says: the case branches of a shell.
func scripted(t *testing.T, branches string) {
	t.Helper()
	if _, err := exec.LookPath("sh"); err != nil {
		testenv.Missing(t, "sh, as which the program is played")
	}
	dir := t.TempDir()
	text := "#!/bin/sh\nwhile read -r name rest; do case $name in\n" + branches +
		"\n*) echo \"error step=line pair=-1 errno=0 status=0 text=$name is not a command\"; exit 1;;\nesac; done\n"
	if err := os.WriteFile(filepath.Join(dir, rdma.Program), []byte(text), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir+":/usr/bin:/bin")
}
