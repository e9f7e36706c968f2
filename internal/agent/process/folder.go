// Package process starts programs on an agent's host and ends them with all that they have started: each experiment has
// a folder, whose path all of its processes have in their environment, and a keeper that removes the folder where the
// agent cannot.
package process

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"

	"linerate/internal/base/failure"
	"linerate/internal/traffic/rdma"
)

// LauncherName is the name under which mpirun starts this program in place of ssh.
const LauncherName = "linerate-launch"

const (
	// nameVariable is the environment variable that every process of an experiment has: the experiment's name.
	nameVariable = "LINERATE_APP"
	// folderPrefix is the beginning of a folder's name; the rest is the experiment's name.
	folderPrefix = "linerate-app-"
	// ownFolder is the folder in an experiment's folder that has linerate's files.
	ownFolder = ".linerate"
)

// ExperimentName matches the name of an experiment.
var ExperimentName = regexp.MustCompile(`^[A-Z0-9]{20,40}$`)

// File is a file of an experiment's folder.
type File struct {
	Name string `json:"name"`
	Data []byte `json:"data"`
	Own  bool   `json:"own,omitempty"` // of linerate: next to the launcher, where the command does not see it by chance
	// Program says that the file is started. It is kept in memory, and its name is a link to it, because the folder may
	// be mounted noexec. Linux.
	Program bool `json:"program,omitempty"`
}

// Folder is where an experiment's command starts on a host. Everything of the experiment is in it; linerate's and MPI's
// files are in ownFolder.
type Folder struct {
	Dir      string
	name     string      // of the experiment
	keeper   *Keeper     // nil: nothing removes the folder if this process cannot
	programs []io.Closer // that are kept in memory
}

// NewFolder makes the folder of the experiment with that name, and its files.
func NewFolder(name string, files ...File) (*Folder, error) {
	base := os.TempDir()
	if runtime.GOOS == "linux" {
		if st, err := os.Stat("/dev/shm"); err == nil && st.IsDir() {
			base = "/dev/shm"
		}
	}
	f := &Folder{Dir: filepath.Join(base, folderPrefix+name), name: name}
	if err := f.fill(files); err != nil {
		f.Remove()
		return nil, failure.Errorf(failure.CodeInternal, "the experiment's folder", "%v", err)
	}
	return f, nil
}

// fill makes the folder and what is in it. Another agent on this machine, of another host of the experiment, may have
// made the folder.
func (f *Folder) fill(files []File) error {
	for _, dir := range []string{f.Dir, f.Own("")} {
		if err := os.Mkdir(dir, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
			return err
		}
	}
	if runtime.GOOS != "windows" { // on every host: MPI's daemons look for it, too
		program, err := programPath()
		if err == nil {
			err = os.Symlink(program, f.Own(LauncherName))
		}
		if err != nil && !errors.Is(err, fs.ErrExist) {
			return err
		}
	}
	for _, file := range files {
		path := filepath.Join(f.Dir, file.Name)
		if file.Own {
			path = f.Own(file.Name)
		}
		write := func() error { return os.WriteFile(path, file.Data, 0o600) }
		if file.Program {
			write = func() error { return f.program(path, file.Data) }
		}
		if err := write(); err != nil {
			return err
		}
	}
	if runtime.GOOS == "windows" {
		return nil
	}
	var err error
	if f.keeper, err = StartKeeper(f.Dir); err != nil && runtime.GOOS == "linux" {
		return err
	}
	return nil // on other systems this program's file may be removed, and cannot be started again
}

// program makes a path lead to a program that this process keeps in memory. Where another agent of this machine has
// done so, its program serves both.
func (f *Folder) program(path string, data []byte) error {
	at, keep, err := rdma.MemoryFile(filepath.Base(path), data)
	if err != nil {
		return err
	}
	f.programs = append(f.programs, keep)
	if err = os.Symlink(strings.Replace(at, "self", strconv.Itoa(os.Getpid()), 1), path); errors.Is(err, fs.ErrExist) {
		return nil
	}
	return err
}

// Own is the path of a file of linerate's.
func (f *Folder) Own(name string) string { return filepath.Join(f.Dir, ownFolder, name) }

// Fill puts the folder's path in the place of {folder}.
func (f *Folder) Fill(words []string) []string {
	out := make([]string, len(words))
	for i, w := range words {
		out[i] = strings.ReplaceAll(w, "{folder}", f.Dir)
	}
	return out
}

// Env is what a process of the experiment has in its environment in addition to that of this process.
func (f *Folder) Env(asked ...string) []string { return append(f.Fill(asked), nameVariable+"="+f.name) }

// Remove ends the experiment's processes and removes the folder.
func (f *Folder) Remove() {
	f.Kill()
	_ = os.RemoveAll(f.Dir)
	for _, p := range f.programs {
		_ = p.Close()
	}
	f.programs = nil
	if f.keeper != nil {
		f.keeper.End()
	}
}

// RemoveFolder removes the folder that an agent has left, and ends the processes of its experiment. It returns an exit
// code.
func RemoveFolder(dir string) int {
	if _, err := os.Lstat(dir); err == nil {
		(&Folder{Dir: dir, name: strings.TrimPrefix(filepath.Base(dir), folderPrefix)}).Remove()
	}
	return 0
}

// IsFolder reports whether a path is that of a folder of an experiment.
func IsFolder(path string) bool {
	name, ok := strings.CutPrefix(filepath.Base(path), folderPrefix)
	return ok && ExperimentName.MatchString(name)
}

// Kill ends every process of the experiment that this user has: mpirun puts its processes into groups of their own, so
// that killing mpirun's group does not end them. A process that starts during one pass is found in the next.
// Systems other than Linux do not show the environment of a process; there the connection ends the command's own group.
func (f *Folder) Kill() {
	for range 20 {
		if !killOnce([]byte("\x00" + nameVariable + "=" + f.name + "\x00")) {
			return
		}
	}
}

func killOnce(entry []byte) (found bool) {
	if runtime.GOOS != "linux" {
		return false
	}
	files, _ := filepath.Glob("/proc/[0-9]*/environ")
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil || !bytes.Contains(append([]byte{0}, text...), entry) {
			continue
		}
		pid, err := strconv.Atoi(filepath.Base(filepath.Dir(file)))
		if err != nil || pid == os.Getpid() {
			continue
		}
		if p, err := os.FindProcess(pid); err == nil && p.Kill() == nil {
			found = true
		}
	}
	return found
}
