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
	return errors.New("the lab needs Linux; this is " + runtime.GOOS + ": run linerate on a Linux machine, or in a virtual machine")
}

// Up says that the lab needs Linux.
func Up(context.Context, *plan.Plan, Options) (*Lab, error) { return nil, errNeedsLinux() }

// Build says that the lab needs Linux.
func Build(context.Context, []string, []string, func(string)) (Built, error) {
	return Built{}, errNeedsLinux()
}

// List says that the lab needs Linux.
func List() ([]Summary, error) { return nil, errNeedsLinux() }

// Down says that the lab needs Linux.
func Down(string) error { return errNeedsLinux() }

// Down says that the lab needs Linux.
func (l *Lab) Down() error { return errNeedsLinux() }

// MayQuota is false: there are no control groups.
func MayQuota() bool { return false }

// MayDrive is false: there are no loop devices.
func MayDrive() bool { return false }

// Exec says that the lab needs Linux.
func Exec(context.Context, string, connect.Command) (int, error) { return -1, errNeedsLinux() }

// InitMain says that the lab needs Linux.
func InitMain() int {
	fmt.Fprintln(os.Stderr, errNeedsLinux())
	return 2
}

// GuestMain says that the lab needs Linux.
func GuestMain() int { return InitMain() }

// Reboot says that the lab needs Linux.
func Reboot(context.Context, string, string) (Rebooted, error) { return Rebooted{}, errNeedsLinux() }

func mayRead(string) error  { return nil }
func mayWrite(string) error { return nil }

// GuestParts is what guests are made of on this machine.
type GuestParts struct{}
