package agent

import "golang.org/x/sys/unix"

// handlesRefused says why a file below a folder cannot be opened by its handle; empty: it can. The kernel lets root of the machine do that alone, not root of a user's namespace, and
// some file systems have no handles.
func handlesRefused(dir string) string {
	h, _, err := unix.NameToHandleAt(unix.AT_FDCWD, dir, 0)
	if err != nil {
		return "the file system of " + dir + " has none of (" + err.Error() + ")"
	}
	mount, err := unix.Open(dir, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return err.Error()
	}
	defer unix.Close(mount)
	fd, err := unix.OpenByHandleAt(mount, h, unix.O_RDONLY)
	if err != nil {
		return "this process may not (" + err.Error() + ")"
	}
	_ = unix.Close(fd)
	return ""
}
