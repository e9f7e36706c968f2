//go:build !linux

package lab

// Find says that the lab needs Linux.
func Find(string) (Info, error) { return Info{}, errNeedsLinux() }
