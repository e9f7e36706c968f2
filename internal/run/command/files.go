package command

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"linerate/internal/agent"
	"linerate/internal/agent/process"
)

// readFiles reads the files of the command. A link that leads out of the fabric file's folder is refused: whoever wrote
// the file also chose the hosts that get them.
func (a *Command) readFiles() ([]process.File, error) {
	if len(a.files) == 0 {
		return nil, nil
	}
	root, err := os.OpenRoot(a.dir)
	if err != nil {
		return nil, fmt.Errorf("files: %w", err)
	}
	defer root.Close()
	var out []process.File
	left := int64(agent.MostFiles)
	for _, name := range a.files {
		text, err := readOne(root, name, left)
		if err != nil {
			return nil, fmt.Errorf("files: %s: %w", name, err)
		}
		left -= int64(len(text))
		out = append(out, process.File{Name: filepath.Base(name), Data: text})
	}
	return out, nil
}

func readOne(root *os.Root, name string, left int64) ([]byte, error) {
	f, err := root.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	st, err := f.Stat()
	switch {
	case err != nil:
		return nil, err
	case !st.Mode().IsRegular():
		return nil, errors.New("it is not a regular file")
	case st.Size() > left:
		return nil, fmt.Errorf(
			"with those before it it is larger than %d KiB, what an agent takes; put large files on the hosts and name "+
				"them in the command",
			agent.MostFiles>>10,
		)
	}
	return io.ReadAll(io.LimitReader(f, left))
}
