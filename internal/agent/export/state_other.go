//go:build !linux

package export

// Kept is the keeper's argument before the path of a folder of this package.
const Kept = "storage"

// State has nothing to remember: the programs and the kernel's interfaces that the ways need are Linux's.
type State struct{}

func ways() []way { return nil }

// End has nothing to end.
func (*State) End() {}

// IsFolder reports that no path is a folder of this package.
func IsFolder(string) bool { return false }

// RemoveFolder has nothing to remove.
func RemoveFolder(string) int { return 2 }
