//go:build unix

package copies

import (
	"errors"
	"io/fs"
	"os"
	"syscall"

	"linerate/internal/base/failure"
)

// setOwnerOf gives a file or folder that was just made the owner and group of another, and a mode. A user who is not
// root sets what that user may set. Other users may write to the folder, so what they have put in the place of the
// file, such as a link, is refused.
func setOwnerOf(path string, as fs.FileInfo, mode fs.FileMode) error {
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
			return &failure.Error{Code: failure.CodeUnsafe, Subject: path, Text: "it is not what was made there a moment ago"}
		}
		if err := f.Chown(int(s.Uid), int(s.Gid)); errors.Is(err, fs.ErrPermission) {
			_ = f.Chown(-1, int(s.Gid))
		} else if err != nil {
			return err
		}
	}
	return f.Chmod(mode)
}
