// Package testenv decides which tests run on a machine.
//
// `go test ./...` runs the tests that need Go alone: their result depends neither on the speed, the load or the kernel
// of the machine nor on what is installed there. Every other test belongs to a kind and asks for it with Need. The
// variable LINERATE_TEST names the kinds to run, separated by commas; ./test.sh sets it. Go's own internal/testenv is
// the model.
package testenv

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
)

// Variable is the environment variable that names the kinds of tests to run.
const Variable = "LINERATE_TEST"

// Kind is a group of tests that `go test ./...` leaves out.
type Kind string

const (
	// Live tests start other programs, build namespaces or move data in real time, and check the plumbing:
	// what arrives, what is counted, what is cleaned up. They assert no rate, no latency and no verdict.
	Live Kind = "live"
	// Wine tests run linerate.exe under Wine.
	Wine Kind = "wine"
	// Guest tests boot virtual machines under QEMU.
	Guest Kind = "guest"
	// Slurm tests start a Slurm cluster in namespaces.
	Slurm Kind = "slurm"
	// Download tests fetch packages that test.sh does not install.
	Download Kind = "download"
	// Gluster tests measure a volume of GlusterFS, whose packages test.sh does not install.
	Gluster Kind = "gluster"
	// Long tests take more than some minutes each: whole grids, and a builder from nothing. CONTRIBUTING.md has their
	// commands.
	Long Kind = "long"
)

// Wanted reports whether the environment names a kind.
func Wanted(kind Kind) bool {
	return slices.Contains(strings.Split(os.Getenv(Variable), ","), string(kind))
}

// Need skips a test unless the environment names every one of its kinds.
func Need(t testing.TB, kinds ...Kind) {
	t.Helper()
	for _, kind := range kinds {
		if !Wanted(kind) {
			t.Skipf("a %s test; %s=%s runs it", kind, Variable, kind)
		}
	}
}

// Missing reports that a test cannot run because the machine has no such program, library or kernel feature.
// It skips the test, and fails it where test.sh runs as root: test.sh has installed everything there.
func Missing(t testing.TB, what string) {
	t.Helper()
	if os.Getenv(Variable) != "" && os.Geteuid() == 0 {
		t.Fatalf("missing: %s", what)
	}
	t.Skipf("missing: %s", what)
}

// PlainTemp reports a temporary folder with blanks or special characters as missing, for a test whose scripts name it
// without quotes.
func PlainTemp(t testing.TB) {
	t.Helper()
	if dir := os.TempDir(); strings.ContainsFunc(dir, func(c rune) bool {
		return !(c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || strings.ContainsRune("/._+-", c))
	}) {
		Missing(t, fmt.Sprintf("a temporary folder without blanks and special characters; TMPDIR is %q", dir))
	}
}

// NeedRoot skips a test that only root can run.
func NeedRoot(t testing.TB) {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("only root can run this test; sudo ./test.sh runs it")
	}
}
