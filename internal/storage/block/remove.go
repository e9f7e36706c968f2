package block

import (
	"errors"
	"io/fs"
	"os"

	"linerate/internal/traffic"
)

// Remove removes a file that linerate made, with the one beside it that marks it. Any other file is left alone, which is an error; one that is not there is none.
func Remove(path string) error {
	f, err := os.OpenFile(path, os.O_RDONLY, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return openError(path, err)
	}
	how := marked(f, path)
	_ = f.Close() // it was only read
	if how == "" {
		return &traffic.Error{Code: traffic.CodeUnsafe, Subject: path, Text: "this file was not made by linerate, and is left alone"}
	}
	err = os.Remove(path)
	if e := os.Remove(besideOf(path)); err == nil && e != nil && !errors.Is(e, fs.ErrNotExist) {
		err = e
	}
	return err
}
