package reachtest

import (
	"os"
	"testing"
)

// Missing skips a test that cannot run here and says what is missing. With LINERATE_TEST_ALL=1, which says that
// everything is there, it fails instead.
func Missing(t testing.TB, what string) {
	t.Helper()
	if os.Getenv("LINERATE_TEST_ALL") == "1" {
		t.Fatalf("missing: %s", what)
	}
	t.Skipf("missing: %s", what)
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
