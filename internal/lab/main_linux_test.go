package lab

import (
	"os"
	"testing"
)

// controllerCommand turns the test binary into a controller that can be killed.
const controllerCommand = "test-controller"

// TestMain runs the test binary in the role of its first argument: a lab's init, a controller, a load inside the lab,
// or QEMU.
func TestMain(m *testing.M) {
	if len(os.Args) > 2 {
		switch os.Args[1] {
		case InitCommand:
			os.Exit(InitMain())
		case controllerCommand:
			os.Exit(controllerMain(os.Args[2:]))
		case loadCommand:
			os.Exit(loadMain(os.Args[2:]))
		case qemuFlag:
			os.Exit(qemuMain(os.Args))
		}
	}
	os.Exit(m.Run())
}
