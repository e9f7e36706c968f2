package agent

import (
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"

	"linerate/internal/storage/block"
)

// KeeperName is the name under which this program waits for the end of an agent, to put away what the agent no longer can.
const KeeperName = "linerate-keeper"

// keeperProcess is that program: kill -9 of an agent, or of a controller on the same machine, leaves an agent no time. It waits for the end of its standard
// input, which is the agent's, then ends the processes of the experiment and removes its folder.
type keeperProcess struct {
	cmd   *exec.Cmd
	input io.WriteCloser
	once  sync.Once
}

func startKeeper(f *appFolder) (*keeperProcess, error) { return startKeeperOf(f.dir) }

// keptFile is what stands before the path of a file of block.
const keptFile = "file"

// keptStorage is what stands before a folder in which storage is given out or mounted, storagePrefix what the folder's name begins with.
const keptStorage, storagePrefix = "storage", "linerate-storage-"

// startFileKeeper has it remove a file that block made.
func startFileKeeper(path string) (*keeperProcess, error) { return startKeeperOf(keptFile, path) }

func startKeeperOf(words ...string) (*keeperProcess, error) {
	program, err := programPath()
	if err != nil {
		return nil, err
	}
	k := &keeperProcess{cmd: exec.Command(program)}
	k.cmd.Args = append([]string{KeeperName}, words...)
	k.cmd.Dir = "/"
	apart(k.cmd)
	if k.input, err = k.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	if err := k.cmd.Start(); err != nil {
		return nil, err
	}
	return k, nil
}

// end lets it see that everything is put away.
func (k *keeperProcess) end() {
	k.once.Do(func() {
		k.input.Close()
		_ = k.cmd.Wait()
	})
}

// KeeperMain is this program under KeeperName, with a folder of app as its only argument, a file of block behind the word file, or a folder of storage or copy behind those words. It returns its exit code.
func KeeperMain(argv []string, input io.Reader) int {
	if len(argv) == 3 && argv[1] == keptFile && filepath.IsAbs(argv[2]) {
		_, _ = io.Copy(io.Discard, input)
		if _, err := os.Lstat(argv[2]); err == nil && block.Remove(argv[2]) != nil {
			return 1
		}
		return 0
	}
	if len(argv) == 3 && argv[1] == keptStorage && filepath.IsAbs(argv[2]) && strings.HasPrefix(filepath.Base(argv[2]), storagePrefix) {
		_, _ = io.Copy(io.Discard, input)
		return putStorageAway(argv[2])
	}
	if len(argv) == 3 && argv[1] == copyKept && filepath.IsAbs(argv[2]) && copyFolder.MatchString(filepath.Base(argv[2])) {
		_, _ = io.Copy(io.Discard, input)
		if os.RemoveAll(argv[2]) != nil {
			return 1
		}
		return 0
	}
	if len(argv) != 2 {
		return 2
	}
	dir := argv[1]
	name, ok := strings.CutPrefix(filepath.Base(dir), folderPrefix)
	if !ok || !appName.MatchString(name) || !filepath.IsAbs(dir) {
		return 2
	}
	_, _ = io.Copy(io.Discard, input)
	if _, err := os.Lstat(dir); err != nil {
		return 0
	}
	f := &appFolder{dir: dir, mark: name}
	f.remove()
	return 0
}
