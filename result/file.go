package result

import (
	"io"
	"os"
	"path/filepath"
)

// WriteFile writes a file whole or not at all: under a temporary name, synced
// and renamed. A file of that name is replaced.
func WriteFile(name string, write func(io.Writer) error) error {
	return writeWhole(osDisk{}, name, write)
}

// Read gives a file of the run folder by its name there, with slashes.
func (o *Opened) Read(name string) ([]byte, error) {
	return os.ReadFile(filepath.Join(o.Dir, filepath.FromSlash(name)))
}
