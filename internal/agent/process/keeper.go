package process

import (
	"io"
	"os/exec"
	"sync"
)

// KeeperName is the name under which this program waits for the end of an agent, to remove what the agent has left.
const KeeperName = "linerate-keeper"

// Keeper is that program. It waits for the end of its standard input, which the agent holds: kill -9 of an agent, or of
// a controller on the same machine, leaves an agent no time to remove anything.
type Keeper struct {
	cmd   *exec.Cmd
	input io.WriteCloser
	once  sync.Once
}

// StartKeeper starts a keeper; its arguments name what it removes.
func StartKeeper(arguments ...string) (*Keeper, error) {
	program, err := programPath()
	if err != nil {
		return nil, err
	}
	k := &Keeper{cmd: exec.Command(program)}
	k.cmd.Args = append([]string{KeeperName}, arguments...)
	k.cmd.Dir = "/"
	ownSession(k.cmd)
	if k.input, err = k.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	if err := k.cmd.Start(); err != nil {
		return nil, err
	}
	return k, nil
}

// End has the keeper end; it removes what is left.
func (k *Keeper) End() {
	k.once.Do(func() {
		k.input.Close()
		_ = k.cmd.Wait()
	})
}
