package linux_test

import (
	"os"
	"testing"

	"linerate/lab"
)

// TestMain hands the test binary over when it was started as a lab's init.
func TestMain(m *testing.M) {
	if len(os.Args) > 2 && os.Args[1] == lab.InitCommand {
		os.Exit(lab.InitMain())
	}
	os.Exit(m.Run())
}
