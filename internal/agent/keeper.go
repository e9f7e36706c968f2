package agent

import (
	"io"
	"os"
	"path/filepath"

	"linerate/internal/agent/copies"
	"linerate/internal/agent/export"
	"linerate/internal/agent/process"
	"linerate/internal/storage/block"
)

// keptFile is the keeper's argument before the path of a file that was made for jobs of storage.
const keptFile = "file"

// kept is one kind of what a keeper removes: which paths it may be, and how it is removed, with an exit code.
type kept struct {
	is     func(path string) bool
	remove func(path string) int
}

// keptKinds are the kinds by the argument before the path; the folder of an experiment has none.
var keptKinds = map[string]kept{
	"":          {process.IsFolder, process.RemoveFolder},
	keptFile:    {func(string) bool { return true }, removeFile},
	export.Kept: {export.IsFolder, export.RemoveFolder},
	copies.Kept: {copies.IsFolder, copies.RemoveFolder},
}

// KeeperMain is this program under process.KeeperName: its arguments are a kind and a path. When its input ends, it
// removes what is there, and returns its exit code.
func KeeperMain(argv []string, input io.Reader) int {
	if len(argv) != 2 && len(argv) != 3 {
		return 2
	}
	kind, path := "", argv[len(argv)-1]
	if len(argv) == 3 {
		kind = argv[1]
	}
	k, ok := keptKinds[kind]
	if !ok || len(argv) == 3 && kind == "" || !filepath.IsAbs(path) || !k.is(path) {
		return 2
	}
	_, _ = io.Copy(io.Discard, input)
	return k.remove(path)
}

func removeFile(path string) int {
	if _, err := os.Lstat(path); err == nil && block.Remove(path) != nil {
		return 1
	}
	return 0
}
