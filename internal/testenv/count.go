package testenv

import (
	"fmt"
	"os"
	"testing"
)

// CountVariable is the environment variable that names the file to which Count appends. ./test.sh all --write sets it.
const CountVariable = "LINERATE_TEST_COUNTS"

// Count keeps how much of something a test covered, for docs/tested.md: topic is a row of that page ("snapshots
// parsed", "kill points", "system"), subject says of what. Without the variable it does nothing. Parallel tests may
// call it: each line is one write to a file that is opened for appending.
func Count(t testing.TB, topic, subject string, n int) {
	t.Helper()
	name := os.Getenv(CountVariable)
	if name == "" || t.Failed() || t.Skipped() {
		return
	}
	f, err := os.OpenFile(name, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		t.Error(err)
		return
	}
	defer f.Close()
	if _, err := fmt.Fprintf(f, "%s\t%s\t%d\n", topic, subject, n); err != nil {
		t.Error(err)
	}
}
