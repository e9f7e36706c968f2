//go:build !linux

package lab

import (
	"linerate/internal/design/plan"
	"linerate/internal/host/connect"
)

// Find says that the lab needs Linux.
func Find(string) (Info, error) { return Info{}, errNeedsLinux() }

// SetMTU says that the lab needs Linux.
func SetMTU(string, plan.Path, int) (func() error, error) { return nil, errNeedsLinux() }

// MakeVolume says that the lab needs Linux.
func MakeVolume(string, connect.LabVolume) (string, error) { return "", errNeedsLinux() }

// Folder says that the lab needs Linux.
func Folder(string) (string, error) { return "", errNeedsLinux() }
