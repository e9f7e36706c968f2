package connecttest

import "os"

// firstOf returns the first of the paths that exists.
func firstOf(paths ...string) string {
	for _, p := range paths {
		if _, err := os.Stat(p); err == nil {
			return p
		}
	}
	return ""
}
