package block

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"syscall"

	"linerate/internal/base/failure"
	"linerate/internal/base/unit"
)

// openError adds a code and a next step to a failed open.
func openError(path string, err error) *failure.Error {
	var e *failure.Error
	if errors.As(err, &e) {
		return e
	}
	var p *fs.PathError
	if errors.As(err, &p) {
		err = p.Err
	}
	text := err.Error()
	switch {
	case errors.Is(err, fs.ErrNotExist):
		text += "; make the folder that it is to be in first"
	case errors.Is(err, fs.ErrPermission):
		text += "; read and write permissions are needed (devices: root)"
	case errors.Is(err, syscall.EROFS):
		text += "; give a path on a file system that can be written, or read alone from an existing file (read 1)"
	}
	return &failure.Error{Code: failure.CodeInput, Subject: path, Text: text}
}

// consent compares what the user allowed with the device that would be overwritten.
func consent(destroy, target, path, identity string, size unit.Bytes, found []string) error {
	is := fmt.Sprintf("%s=%s", target, identity)
	if identity == "" {
		is = fmt.Sprintf("%s=%d", target, int64(size))
	}
	holds := "no table and no file system was found on it"
	if len(found) > 0 {
		holds = "on it: " + strings.Join(found, ", ")
	}
	if destroy == "" {
		return unsafeTo(
			path,
			"writing would destroy what is on this device (%s); if that is not needed, allow it with destroy %s, or read "+
				"alone (read 1)",
			holds,
			is,
		)
	}
	at := strings.LastIndex(destroy, "=")
	device, proof := destroy[:at], strings.TrimSpace(destroy[at+1:])
	if device != target && !sameFile(device, target) {
		return unsafeTo(path, "destroy allows %s, which is another one", device)
	}
	if identity != "" {
		if proof != identity {
			return unsafeTo(path, "its serial number is %q, not %q as destroy says; is it the device that you mean? (%s)",
				identity, proof, holds)
		}
		return nil
	}
	if n, err := unit.ParseBytes(proof); err != nil || n != size {
		return unsafeTo(path,
			"it has no serial number and %d bytes, not %q as destroy says; is it the device that you mean? (%s)", int64(size),
			proof, holds)
	}
	return nil
}

func sameFile(a, b string) bool {
	x, errX := os.Stat(a)
	y, errY := os.Stat(b)
	return errX == nil && errY == nil && os.SameFile(x, y)
}

func full(path string, size unit.Bytes, err error) error {
	var p *fs.PathError
	if errors.As(err, &p) {
		err = p.Err
	}
	code, next := failure.CodeInput, ""
	if errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) || errors.Is(err, syscall.EFBIG) {
		code, next = failure.CodeLimit, "; lower span, or make room"
	}
	return &failure.Error{Code: code, Subject: path,
		Text: fmt.Sprintf("a file of %v could not be laid out there: %v%s", size, err, next)}
}

func noRoom(path string, need unit.Bytes, free int64) error {
	return &failure.Error{
		Code:    failure.CodeLimit,
		Subject: path,
		Text: fmt.Sprintf("%v are to be laid out there, and the file system has %v left; lower span, or make room", need,
			unit.Bytes(free)),
	}
}
