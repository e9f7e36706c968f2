package runfolder

import (
	"io"
	"os"
	"path/filepath"
	"strings"
)

// WriteFile writes a file whole or not at all: under a temporary name, synced and renamed. It replaces an existing
// file.
func WriteFile(name string, write func(io.Writer) error) error {
	return writeWhole(osDisk{}, name, write)
}

// Read returns a file of the run folder by its name there, with slashes.
func (o *Opened) Read(name string) ([]byte, error) {
	if o.Page {
		return nil, inputf("%s is in the run's folder, and not in its page %s", name, o.Dir)
	}
	return os.ReadFile(filepath.Join(o.Dir, filepath.FromSlash(name)))
}

// Missing names the snapshots in the manifest that no longer exist or have a different size.
func (o *Opened) Missing() (names []string) {
	if o.Page {
		return nil
	}
	for _, f := range o.Run.Files {
		if !strings.HasPrefix(f.Name, SnapshotsName+"/") {
			continue
		}
		if info, err := os.Stat(filepath.Join(o.Dir, filepath.FromSlash(f.Name))); err != nil || info.Size() != f.Size {
			names = append(names, f.Name)
		}
	}
	return names
}
