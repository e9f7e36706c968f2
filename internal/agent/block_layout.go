package agent

import (
	"context"
	"crypto/rand"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"linerate/internal/base/unit"
	"linerate/internal/storage/block"
)

// layout is a file that was made for jobs of one controller, and serves them one after another: a profile has many rows, and each would write gigabytes before it
// begins. It is removed when the controller is gone, by this process, or, if that was killed, by its keeper.
type layout struct {
	path   string
	kind   string
	engine *block.Engine
	keeper *keeperProcess // nil: nobody removes it if this process cannot
}

// spanOfMade is how large a file is made where nobody says: that of CrystalDiskMark.
const spanOfMade = unit.GiB

// TemporaryFolder, as a target, is the host's own folder for files that nobody keeps: of a lab, whose hosts have no drives.
const TemporaryFolder = "{temporary}"

// temporaryFolder is on a medium where there is one.
func temporaryFolder() string {
	if info, err := os.Stat("/var/tmp"); err == nil && info.IsDir() {
		return "/var/tmp"
	}
	return os.TempDir()
}

func (l *layout) remove() {
	_ = l.engine.Close()
	if l.keeper != nil {
		l.keeper.end()
	}
}

// laidOut gives a job the file that was made for one before it, or makes it. Jobs on what is there already, and those that verify, whose data is their own, stay as they are.
// Those of different names have files of their own.
func (s *server) laidOut(ctx context.Context, j *block.Job, name string) (*layout, error) {
	s.laying.Lock() // jobs that come together share what the first one makes
	defer s.laying.Unlock()
	if s.isAttached(j.Target) {
		j.Ours = true // another host's agent made what is behind it, for this run
	}
	if j.Target == TemporaryFolder {
		j.Target = temporaryFolder()
	}
	if info, err := os.Stat(j.Target); j.Span == 0 && !strings.Contains(j.Target, "://") && (os.IsNotExist(err) || err == nil && info.IsDir()) {
		j.Span = spanOfMade
	}
	if j.Verify || j.Span == 0 || strings.Contains(j.Target, "://") || j.Way == block.WayNop {
		return nil, nil
	}
	info, err := os.Stat(j.Target)
	path, kind := j.Target, block.KindFile
	switch {
	case err == nil && info.IsDir():
		path, kind = filepath.Join(j.Target, "linerate-block-"+strings.ToLower(rand.Text())+".tmp"), block.KindFolder
	case err == nil || !os.IsNotExist(err):
		s.mu.Lock()
		l := s.layouts[layoutKey(*j, name)]
		s.mu.Unlock()
		if l != nil && l.path == j.Target {
			j.Ours = true
			return l, nil
		}
		return nil, nil
	}
	key := layoutKey(*j, name)
	s.mu.Lock()
	l := s.layouts[key]
	s.mu.Unlock()
	if l == nil {
		l = &layout{path: path, kind: kind}
		if l.keeper, err = startFileKeeper(path); err != nil {
			l.keeper = nil // this program's file is gone, and the system shows it nowhere else
		}
		whole := layoutJob(path, j.Span)
		whole.Seed, whole.Compressible = j.Seed, j.Compressible
		if l.engine, err = block.Prepare(ctx, whole); err != nil {
			if l.keeper != nil {
				l.keeper.end()
			}
			return nil, err
		}
		s.mu.Lock()
		if s.layouts == nil {
			s.layouts = map[string]*layout{}
		}
		s.layouts[key] = l
		s.mu.Unlock()
	}
	j.Target, j.Ours = l.path, true
	return l, nil
}

// layoutJob is a job that lays a file out and does nothing.
func layoutJob(path string, span unit.Bytes) block.Job {
	return block.Job{Target: path, Span: span, Size: 4 * unit.KiB, Pattern: block.PatternSequential, Read: 1, Depth: 1, Threads: 1, Window: time.Second, Seed: 1}
}

func layoutKey(j block.Job, name string) string {
	return fmt.Sprintf("%s\x00%d\x00%g\x00%s", j.Target, j.Span, j.Compressible, name)
}

// removeLayouts is the end of all of them.
func (s *server) removeLayouts() {
	s.mu.Lock()
	all := s.layouts
	s.layouts = nil
	s.mu.Unlock()
	for _, l := range all {
		l.remove()
	}
}
