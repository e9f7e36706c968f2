package agent

import (
	"context"
	"crypto/rand"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"linerate/internal/agent/process"
	"linerate/internal/base/unit"
	"linerate/internal/storage/block"
)

// layout is a file that was made for jobs of one controller. It serves them one after another: a profile has many rows,
// and each would write gigabytes before it begins. This process removes it when the controller is gone, or, if this
// process is killed, its keeper does.
type layout struct {
	path   string
	kind   string
	engine *block.Engine
	keeper *process.Keeper // nil: nothing removes the file if this process cannot
}

// defaultSpan is the default size of a file that is made: that of CrystalDiskMark.
const defaultSpan = unit.GiB

// TemporaryFolder is the target that is replaced by the host's own folder of temporary files: that of a host of a lab,
// which has no drives.
const TemporaryFolder = "{temporary}"

// temporaryFolder is on a drive where there is one.
func temporaryFolder() string {
	if info, err := os.Stat("/var/tmp"); err == nil && info.IsDir() {
		return "/var/tmp"
	}
	return os.TempDir()
}

func (l *layout) remove() {
	_ = l.engine.Close()
	if l.keeper != nil {
		l.keeper.End()
	}
}

// layOut makes the file of a job, or gives the job the file of an earlier one with the same name. It is nil for a job
// on an existing target, and for one that verifies, whose data is its own.
func (s *server) layOut(ctx context.Context, j *block.Job, name string) (*layout, error) {
	s.laying.Lock() // jobs that come together share the file that the first one makes
	defer s.laying.Unlock()
	if s.isAttached(j.Target) {
		j.Ours = true // another host's agent has made what is behind it, for this run
	}
	if j.Target == TemporaryFolder {
		j.Target = temporaryFolder()
	}
	isURL := strings.Contains(j.Target, "://")
	info, err := os.Stat(j.Target)
	if j.Span == 0 && !isURL && (os.IsNotExist(err) || err == nil && info.IsDir()) {
		j.Span = defaultSpan
	}
	if j.Verify || j.Span == 0 || isURL || j.Way == block.WayNop {
		return nil, nil
	}
	key := layoutKey(*j, name)
	s.mu.Lock()
	l := s.layouts[key]
	s.mu.Unlock()
	path, kind := j.Target, block.KindFile
	switch {
	case err == nil && info.IsDir():
		path, kind = filepath.Join(j.Target, "linerate-block-"+strings.ToLower(rand.Text())+".tmp"), block.KindFolder
	case err == nil || !os.IsNotExist(err):
		if l == nil || l.path != j.Target {
			return nil, nil
		}
		j.Ours = true
		return l, nil
	}
	if l == nil {
		l = &layout{path: path, kind: kind}
		// Without an error: this program's file may be removed, and then most systems cannot start it again.
		l.keeper, _ = process.StartKeeper(keptFile, path)
		whole := layoutJob(path, j.Span)
		whole.Seed, whole.Compressible = j.Seed, j.Compressible
		if l.engine, err = block.Prepare(ctx, whole); err != nil {
			if l.keeper != nil {
				l.keeper.End()
			}
			return nil, err
		}
		s.mu.Lock()
		s.layouts[key] = l
		s.mu.Unlock()
	}
	j.Target, j.Ours = l.path, true
	return l, nil
}

// layoutJob is a job that writes a file and does nothing else.
func layoutJob(path string, span unit.Bytes) block.Job {
	return block.Job{Target: path, Span: span, Size: 4 * unit.KiB, Pattern: block.PatternSequential, Read: 1, Depth: 1,
		Threads: 1, Interval: time.Second, Seed: 1}
}

func layoutKey(j block.Job, name string) string {
	return fmt.Sprintf("%s\x00%d\x00%g\x00%s", j.Target, j.Span, j.Compressible, name)
}

// removeLayouts removes all of them.
func (s *server) removeLayouts() {
	s.mu.Lock()
	all := s.layouts
	s.layouts = map[string]*layout{}
	s.mu.Unlock()
	for _, l := range all {
		l.remove()
	}
}
