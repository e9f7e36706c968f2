package agent

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"

	"linerate/internal/traffic"
)

// appFolder is the one place on a host where everything of an experiment lies: the folder that the command starts in, and in it .linerate with what
// is linerate's and MPI's.
type appFolder struct {
	dir      string
	mark     string         // LINERATE_APP of every process of the experiment, on all of its hosts
	kept     *keeperProcess // nil: nobody puts it away if this process cannot
	programs []io.Closer    // that are kept in memory
}

// appMark is the variable that every process of an experiment has: the experiment's name.
const appMark = "LINERATE_APP"

// folderPrefix is what the folder's name begins with; the rest is the experiment's name.
const folderPrefix = "linerate-app-"

// ownPlace is where linerate's files are in the folder.
const ownPlace = ".linerate"

func newAppFolder(q App) (*appFolder, error) {
	fail := func(err error) (*appFolder, error) {
		return nil, &traffic.Error{Code: traffic.CodeInternal, Subject: "the experiment's folder", Text: err.Error()}
	}
	base := os.TempDir()
	if runtime.GOOS == "linux" {
		if st, err := os.Stat("/dev/shm"); err == nil && st.IsDir() {
			base = "/dev/shm"
		}
	}
	f := &appFolder{dir: filepath.Join(base, folderPrefix+q.Name), mark: q.Name}
	// Another host of the experiment may be on this machine and have made it.
	err := os.Mkdir(f.dir, 0o700)
	if err == nil || errors.Is(err, fs.ErrExist) {
		err = os.Mkdir(filepath.Join(f.dir, ownPlace), 0o700)
	}
	if errors.Is(err, fs.ErrExist) {
		err = nil
	}
	if err == nil && runtime.GOOS != "windows" { // on every host: MPI's daemons want to see it, too
		var program string
		if program, err = programPath(); err == nil {
			err = os.Symlink(program, f.own(LauncherName))
		}
		if errors.Is(err, fs.ErrExist) {
			err = nil
		}
	}
	for _, file := range q.Files {
		path := filepath.Join(f.dir, file.Name)
		if file.Own {
			path = f.own(file.Name)
		}
		if err == nil && file.Program {
			err = f.program(path, file.Data)
		} else if err == nil {
			err = os.WriteFile(path, file.Data, 0o600)
		}
	}
	if err == nil && runtime.GOOS != "windows" {
		if f.kept, err = startKeeper(f); err != nil && runtime.GOOS != "linux" {
			f.kept, err = nil, nil // this program's file is gone, and the system shows it nowhere else
		}
	}
	if err != nil {
		f.remove()
		return fail(err)
	}
	return f, nil
}

// program makes a path lead to a program that this process keeps in memory. Where another agent of this machine did so already, its own serves both.
func (f *appFolder) program(path string, data []byte) error {
	at, keep, err := traffic.MemoryFile(filepath.Base(path), data)
	if err != nil {
		return err
	}
	f.programs = append(f.programs, keep)
	if err = os.Symlink(strings.Replace(at, "self", strconv.Itoa(os.Getpid()), 1), path); errors.Is(err, fs.ErrExist) {
		return nil
	}
	return err
}

// own is the path of a file of linerate's.
func (f *appFolder) own(name string) string { return filepath.Join(f.dir, ownPlace, name) }

// in puts the folder's path into words.
func (f *appFolder) in(words []string) []string {
	out := make([]string, len(words))
	for i, w := range words {
		out[i] = strings.ReplaceAll(w, "{folder}", f.dir)
	}
	return out
}

// env is the environment of a process of the experiment, beside this process's own.
func (f *appFolder) env(asked []string) []string {
	return append(f.in(asked), fmt.Sprintf("%s=%s", appMark, f.mark))
}

// remove takes the folder away, once nothing of the experiment runs any more.
func (f *appFolder) remove() {
	f.kill()
	_ = os.RemoveAll(f.dir)
	for _, p := range f.programs {
		_ = p.Close()
	}
	f.programs = nil
	if f.kept != nil {
		f.kept.end()
	}
}

// kill ends every process of the experiment on this host, as far as the system tells which those are.
func (f *appFolder) kill() { killMarked(appMark + "=" + f.mark) }
