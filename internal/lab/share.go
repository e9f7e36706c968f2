package lab

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// ShareAt is the mount point of a lab's share in every guest.
const ShareAt = "/share"

// Share is a folder of this machine that the guests of a lab see at ShareAt.
type Share struct {
	Folder   string `json:"folder"`   // absolute, without symbolic links
	Writable bool   `json:"writable"` // otherwise guests can only read
}

// The endings of a share as the command line has it. :ro is for a folder whose own name ends in :rw.
const (
	shareWritable = ":rw"
	shareReadOnly = ":ro"
)

// ParseShare reads DIR or DIR:rw, and checks that the folder exists and this user may use it in that way. Any other
// colon is part of the name.
func ParseShare(text string) (*Share, error) {
	name, writable := strings.CutSuffix(text, shareWritable)
	if !writable {
		name = strings.TrimSuffix(name, shareReadOnly)
	}
	if name == "" {
		return nil, fmt.Errorf(
			"%q names no folder; write one of this machine, such as /srv/files, or /srv/files:rw for guests that write into it",
			text)
	}
	path, err := filepath.Abs(name)
	if err == nil {
		path, err = filepath.EvalSymlinks(path)
	}
	if errors.Is(err, fs.ErrNotExist) {
		if _, own := os.Stat(text); own == nil && name != text {
			return nil, fmt.Errorf("%s: there is no such folder; the folder %s is shared as %s%s, or %s%s", name, text, text,
				shareReadOnly, text, shareWritable)
		}
		return nil, fmt.Errorf("%s: there is no such folder on this machine; make it, or name another", name)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w; name a folder that this user may enter", name, reason(err))
	}
	fi, err := os.Stat(path)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, reason(err))
	}
	if !fi.IsDir() {
		return nil, fmt.Errorf("%s: it is not a folder; share the one that it is in: %s", name, filepath.Dir(path))
	}
	if err := mayRead(path); err != nil {
		return nil, fmt.Errorf("%s: this user may not read the folder (%w); name another", name, err)
	}
	if writable {
		if err := mayWrite(path); err != nil {
			return nil, fmt.Errorf("%s: this user may not write into the folder (%w); leave %s out, or name another", name,
				err, shareWritable)
		}
	}
	return &Share{Folder: path, Writable: writable}, nil
}

// reason is an error without the names of the call and the file.
func reason(err error) error {
	var p *fs.PathError
	if errors.As(err, &p) {
		return p.Err
	}
	return err
}

// String returns the share as shown to users: "/srv/files, read-only".
func (s Share) String() string {
	if s.Writable {
		return s.Folder + ", writable"
	}
	return s.Folder + ", read-only"
}
