package agent

import (
	"fmt"
	"io/fs"
	"os"

	"linerate/internal/traffic"
)

// mkdir makes a folder of an end.
func (e *copyEnd) mkdir(path string) error {
	if err := os.Mkdir(path, 0o700); err != nil {
		return err
	}
	return e.opens(path, 0o777)
}

// opens gives a file or folder of an end owner, group and permissions of the folder that the end was made in, as far as mask goes, where a server of the user's gives it out: that
// serves whoever may use that folder.
func (e *copyEnd) opens(path string, mask fs.FileMode) error {
	if e.open == nil {
		return nil
	}
	mode := e.open.Mode().Perm() & mask
	if mask&0o111 != 0 {
		mode |= e.open.Mode() & (fs.ModeSetgid | fs.ModeSticky) // what is made in it has its group, and is its owner's to remove
	}
	return asOpen(path, e.open, mode)
}

// refusedShare says of a share that was asked before the copy, and refused, what to do.
func refusedShare(v *Shared, tool, why, code, said string) error {
	switch code {
	case traffic.CodeRefused:
		why += "; look at USER@ of the share and at login: env:NAME"
	case traffic.CodeInput:
		why += "; the share has to begin at the path of its drive, and its user to be allowed into that folder"
	}
	if said != "" {
		why += "; its last lines: " + said
	}
	return &traffic.Error{Code: code, Subject: fmt.Sprintf("%s at %s", tool, v.At), Text: why}
}
