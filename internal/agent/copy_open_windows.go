package agent

import "io/fs"

// asOpen has nothing to do: what is made in a folder has its permissions.
func asOpen(string, fs.FileInfo, fs.FileMode) error { return nil }
