package connect

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

// LabFolders returns the folders in which labs of this user may be, best first: $XDG_RUNTIME_DIR/linerate/lab,
// /run/linerate/lab (root), TMP/linerate-UID/lab. A folder holds one folder a lab, named by the lab's id.
func LabFolders() []string {
	var dirs []string
	// The path of a Unix socket has at most 107 bytes (sun_path).
	const room = 107 - len("/linerate/lab/") - len("12345678/socket")
	if x := os.Getenv("XDG_RUNTIME_DIR"); filepath.IsAbs(x) && len(x) <= room {
		dirs = append(dirs, filepath.Join(x, "linerate", "lab"))
	}
	uid := os.Getuid()
	if uid == 0 {
		dirs = append(dirs, "/run/linerate/lab")
	}
	return append(dirs, filepath.Join("/tmp", "linerate-"+strconv.Itoa(uid), "lab"))
}

// CheckLabFolder refuses a folder of labs that belongs to anyone but this user: its owner could impersonate a lab's
// init and would get environments.
func CheckLabFolder(folder string) error {
	// /tmp belongs to all users; folders below it must not.
	for _, dir := range []string{filepath.Dir(folder), folder} {
		fi, err := os.Lstat(dir)
		if err != nil {
			return err
		}
		st, ok := fi.Sys().(*syscall.Stat_t)
		if !ok || !fi.IsDir() || int(st.Uid) != os.Getuid() || fi.Mode().Perm()&0o022 != 0 {
			return fmt.Errorf(
				"%s: it is not a folder of user %d alone (mode %v); remove it, or set XDG_RUNTIME_DIR to a folder that is", dir,
				os.Getuid(), fi.Mode())
		}
	}
	return nil
}

// ReadLabState reads the state file in dir, a lab's folder.
func ReadLabState(dir string) (LabState, error) {
	var s LabState
	path := filepath.Join(dir, LabStateFile)
	b, err := os.ReadFile(path)
	if err != nil {
		return s, err
	}
	if err := json.Unmarshal(b, &s); err != nil {
		return s, fmt.Errorf("%s: %w", path, err)
	}
	if s.Schema != LabSchema {
		return s, fmt.Errorf("%s: schema %q, this program reads %q; take the lab down with the program that made it", path,
			s.Schema, LabSchema)
	}
	return s, nil
}

// FindLab returns the folder and the state of a lab. With an empty id it is the only lab that is ready.
func FindLab(id string) (dir string, s LabState, err error) {
	if id != "" && (strings.ContainsAny(id, "/\x00") || strings.HasPrefix(id, ".")) {
		return "", s, fmt.Errorf("lab %q: that is not a lab's id", id)
	}
	var ids []string
	for _, folder := range LabFolders() {
		entries, err := os.ReadDir(folder)
		if err != nil || CheckLabFolder(folder) != nil {
			continue
		}
		for _, e := range entries {
			if id != "" && e.Name() != id {
				continue
			}
			path := filepath.Join(folder, e.Name())
			state, err := ReadLabState(path)
			if err != nil && id != "" {
				return path, state, err
			}
			if err != nil || id == "" && !state.Ready {
				continue
			}
			ids = append(ids, state.ID)
			dir, s = path, state
		}
	}
	switch {
	case len(ids) == 1 || len(ids) > 1 && id != "":
		return dir, s, nil
	case len(ids) > 1:
		return "", LabState{}, fmt.Errorf("%d labs are up (%s): name one, as in lab %s/HOST", len(ids),
			strings.Join(ids, ", "), ids[0])
	case id != "":
		return "", s, &noLabError{fmt.Sprintf("no lab %s is up for this user; linerate lab list", id)}
	}
	return "", s, &noLabError{"no lab is up for this user; linerate lab up FABRIC.yaml starts one"}
}

// noLabError is the error for a lab that does not exist. It is an os.ErrNotExist.
type noLabError struct{ text string }

func (e *noLabError) Error() string        { return e.text }
func (e *noLabError) Is(target error) bool { return target == os.ErrNotExist || target == ErrNoLab }
