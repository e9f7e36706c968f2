//go:build !linux

package lab

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"

	"linerate/internal/design/plan"
	"linerate/internal/host/connect"
)

type initProcess struct{}

func errNeedsLinux() error {
	return errors.New(
		"the lab needs Linux; this is " + runtime.GOOS + ": run linerate on a Linux machine, or in a virtual machine",
	)
}

// Up returns an error: the lab needs Linux.
func Up(context.Context, *plan.Plan, Options) (*Lab, error) { return nil, errNeedsLinux() }

// Build returns an error: the lab needs Linux.
func Build(context.Context, []string, []string, func(string)) (Built, error) {
	return Built{}, errNeedsLinux()
}

// List returns an error: the lab needs Linux.
func List() ([]Summary, error) { return nil, errNeedsLinux() }

// Down returns an error: the lab needs Linux.
func Down(string) error { return errNeedsLinux() }

// Down returns an error: the lab needs Linux.
func (l *Lab) Down() error { return errNeedsLinux() }

// MayQuota returns false: there are no control groups.
func MayQuota() bool { return false }

// MayDrive returns false: there are no loop devices.
func MayDrive() bool { return false }

// Exec returns an error: the lab needs Linux.
func Exec(context.Context, string, connect.Command) (int, error) { return -1, errNeedsLinux() }

// InitMain prints that the lab needs Linux.
func InitMain() int {
	fmt.Fprintln(os.Stderr, errNeedsLinux())
	return 2
}

// GuestMain prints that the lab needs Linux.
func GuestMain() int { return InitMain() }

// Reboot returns an error: the lab needs Linux.
func Reboot(context.Context, string, string) (Rebooted, error) { return Rebooted{}, errNeedsLinux() }

func mayRead(string) error  { return nil }
func mayWrite(string) error { return nil }

// GuestParts are the parts for guests on this machine.
type GuestParts struct{}

// Find returns an error: the lab needs Linux.
func Find(string) (Info, error) { return Info{}, errNeedsLinux() }

// SetMTU returns an error: the lab needs Linux.
func SetMTU(string, plan.Path, int) (func() error, error) { return nil, errNeedsLinux() }

// MakeVolume returns an error: the lab needs Linux.
func MakeVolume(string, connect.LabVolume) (string, error) { return "", errNeedsLinux() }

// Folder returns an error: the lab needs Linux.
func Folder(string) (string, error) { return "", errNeedsLinux() }
