package copies

import "io/fs"

// setOwnerOf does nothing: what is made in a folder has the folder's permissions.
func setOwnerOf(string, fs.FileInfo, fs.FileMode) error { return nil }
