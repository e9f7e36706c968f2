package guest

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// manifestFile is written last into a folder of the cache: without it there is nothing.
const manifestFile = "manifest.json"

const manifestSchema = "linerate/guest-image/1"

// imageInfo describes an image.
type imageInfo struct {
	Kernel string   `json:"kernel"`           // its version
	Absent []string `json:"absent,omitempty"` // wanted modules that this kernel does not have as modules
}

// manifest distinguishes a complete image from an incomplete one.
type manifest struct {
	Schema string    `json:"schema"`
	Recipe recipe    `json:"recipe"`
	Info   imageInfo `json:"info"`
	Files  fileList  `json:"files"`
}

// fileList has the expected state of each file of a folder.
type fileList map[string]fileState

type fileState struct {
	Size   int64  `json:"size"`
	SHA256 string `json:"sha256"`
}

func stateOf(path string) (s fileState, err error) {
	f, err := os.Open(path)
	if err != nil {
		return s, err
	}
	defer f.Close()
	h := sha256.New()
	if s.Size, err = io.Copy(h, f); err != nil {
		return s, err
	}
	s.SHA256 = hex.EncodeToString(h.Sum(nil))
	return s, nil
}

// listFiles reads the state of the files of a folder.
func listFiles(dir string, names []string) (fileList, error) {
	out := fileList{}
	for _, name := range names {
		s, err := stateOf(filepath.Join(dir, name))
		if err != nil {
			return nil, err
		}
		out[name] = s
	}
	return out, nil
}

// check compares the files of a folder with the list.
func (l fileList) check(dir string, names []string) error {
	for _, name := range names {
		want, ok := l[name]
		if !ok {
			return fmt.Errorf("its manifest does not name %s", name)
		}
		have, err := stateOf(filepath.Join(dir, name))
		switch {
		case err != nil:
			return err
		case have.Size != want.Size:
			return fmt.Errorf("%s has %d bytes of %d", name, have.Size, want.Size)
		case have.SHA256 != want.SHA256:
			return fmt.Errorf("%s is not what was written (SHA-256)", name)
		}
	}
	return nil
}

// seal writes the manifest of an image's folder, which is then complete.
func seal(dir string, r recipe, info imageInfo) error {
	files, err := listFiles(dir, r.files())
	if err != nil {
		return err
	}
	return writeManifest(dir, manifest{Schema: manifestSchema, Recipe: r, Info: info, Files: files})
}

func writeManifest(dir string, m any) error {
	return writeFile(filepath.Join(dir, manifestFile), func(w io.Writer) error {
		e := json.NewEncoder(w)
		e.SetIndent("", "  ")
		return e.Encode(m)
	})
}

// errNoImage is the error for a missing folder.
var errNoImage = errors.New("it is not there")

// readManifest reads the manifest of a folder; errNoImage: there is no such folder.
func readManifest(dir string, m any) error {
	b, err := os.ReadFile(filepath.Join(dir, manifestFile))
	if errors.Is(err, os.ErrNotExist) {
		if _, err := os.Stat(dir); errors.Is(err, os.ErrNotExist) {
			return errNoImage
		}
		return errors.New("its manifest is missing")
	}
	if err != nil {
		return err
	}
	if err := json.Unmarshal(b, m); err != nil {
		return fmt.Errorf("its manifest cannot be read: %w", err)
	}
	return nil
}

// verify reads an image's manifest and compares every file with it. The error says what is wrong with the image.
func verify(dir string) (m manifest, err error) {
	if err := readManifest(dir, &m); err != nil {
		return m, err
	}
	if m.Schema != manifestSchema {
		return m, fmt.Errorf("its manifest has the schema %.40q", m.Schema)
	}
	return m, m.Files.check(dir, m.Recipe.files())
}
