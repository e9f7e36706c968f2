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

// manifestFile is written last into an image's folder: without it there is no image.
const manifestFile = "manifest.json"

const manifestSchema = "linerate/guest-image/1"

// imageInfo is what is known of an image.
type imageInfo struct {
	Kernel string   `json:"kernel"`           // its version
	Absent []string `json:"absent,omitempty"` // wanted modules that this kernel does not have as modules
}

// manifest tells an image that was cut short from a whole one.
type manifest struct {
	Schema string               `json:"schema"`
	Recipe recipe               `json:"recipe"`
	Info   imageInfo            `json:"info"`
	Files  map[string]fileState `json:"files"`
}

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

// seal writes the manifest of a folder that is complete otherwise.
func seal(dir string, r recipe, info imageInfo) error {
	m := manifest{Schema: manifestSchema, Recipe: r, Info: info, Files: map[string]fileState{}}
	for _, name := range []string{kernelFile, initrdFile} {
		s, err := stateOf(filepath.Join(dir, name))
		if err != nil {
			return err
		}
		m.Files[name] = s
	}
	return writeFile(filepath.Join(dir, manifestFile), func(w io.Writer) error {
		e := json.NewEncoder(w)
		e.SetIndent("", "  ")
		return e.Encode(m)
	})
}

// errNoImage is a folder that is not there.
var errNoImage = errors.New("it is not there")

// verify reads an image's manifest and compares every file with it. The error says what is wrong with the image.
func verify(dir string) (m manifest, err error) {
	b, err := os.ReadFile(filepath.Join(dir, manifestFile))
	if errors.Is(err, os.ErrNotExist) {
		if _, err := os.Stat(dir); errors.Is(err, os.ErrNotExist) {
			return m, errNoImage
		}
		return m, errors.New("its manifest is missing")
	}
	if err != nil {
		return m, err
	}
	if err := json.Unmarshal(b, &m); err != nil {
		return m, fmt.Errorf("its manifest cannot be read: %w", err)
	}
	if m.Schema != manifestSchema {
		return m, fmt.Errorf("its manifest has the schema %.40q", m.Schema)
	}
	for _, name := range []string{kernelFile, initrdFile} {
		want, ok := m.Files[name]
		if !ok {
			return m, fmt.Errorf("its manifest does not name %s", name)
		}
		have, err := stateOf(filepath.Join(dir, name))
		switch {
		case err != nil:
			return m, err
		case have.Size != want.Size:
			return m, fmt.Errorf("%s has %d bytes of %d", name, have.Size, want.Size)
		case have.SHA256 != want.SHA256:
			return m, fmt.Errorf("%s is not what was written (SHA-256)", name)
		}
	}
	return m, nil
}
