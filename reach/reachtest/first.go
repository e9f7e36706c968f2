package reachtest

import (
	"os"
	"testing"

	"linerate/internal/testenv"
)

// Missing is testenv.Missing.
func Missing(t testing.TB, what string) {
	t.Helper()
	testenv.Missing(t, what)
}

// firstOf returns the first of the paths that exists.
func firstOf(paths ...string) string {
	for _, p := range paths {
		if _, err := os.Stat(p); err == nil {
			return p
		}
	}
	return ""
}
