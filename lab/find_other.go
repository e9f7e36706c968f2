//go:build !linux

package lab

import "linerate/plan"

// Find says that the lab needs Linux.
func Find(string) (Info, error) { return Info{}, errNeedsLinux() }

// SetMTU says that the lab needs Linux.
func SetMTU(string, plan.Path, int) (func() error, error) { return nil, errNeedsLinux() }

// Folder says that the lab needs Linux.
func Folder(string) (string, error) { return "", errNeedsLinux() }
