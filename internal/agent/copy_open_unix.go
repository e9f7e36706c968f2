//go:build unix

package agent

import (
	"errors"
	"io/fs"
	"os"
	"syscall"

	"linerate/internal/traffic"
)

// asOpen gives a file or folder that was just made the owner and the group of another, and a mode; who is not root gives what he may. Others may write where it lies, so what they
// may have put in its place is left as it is: a link, another's file.
func asOpen(path string, as fs.FileInfo, mode fs.FileMode) error {
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0)
	if err != nil {
		return err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	made, ok := info.Sys().(*syscall.Stat_t)
	if s, is := as.Sys().(*syscall.Stat_t); ok && is {
		if int(made.Uid) != os.Geteuid() || !info.IsDir() && made.Nlink != 1 {
			return &traffic.Error{Code: traffic.CodeUnsafe, Subject: path, Text: "it is not what was made there a moment ago"}
		}
		if err := f.Chown(int(s.Uid), int(s.Gid)); errors.Is(err, fs.ErrPermission) {
			_ = f.Chown(-1, int(s.Gid))
		} else if err != nil {
			return err
		}
	}
	return f.Chmod(mode)
}
