package agent

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"syscall"

	"linerate/internal/base/unit"
	"linerate/internal/storage/block"
	"linerate/internal/traffic"
)

// What an agent is asked of an end of a copy.
const (
	CopySource = "source" // make files, or take the one that is there
	CopyTarget = "target" // make an empty folder
	CopyCold   = "cold"   // let the system's cache go of the source
	CopyWarm   = "warm"   // read the source, so that it is in the cache
	CopySync   = "sync"   // bring what is there onto the medium
	CopySums   = "sums"   // sizes and checksums of what is there
	CopySizes  = "sizes"  // sizes alone
	CopyClear  = "clear"  // remove what arrived
	CopyRemove = "remove" // remove the end, and what it is given out by
)

// CopyEnd is what an agent is asked of one end of a copy.
type CopyEnd struct {
	Op      string     `json:"op"`
	End     uint64     `json:"end,omitempty"`  // of all but source and target: the end
	Path    string     `json:"path,omitempty"` // of a source: a folder, in which files are made, or a file that is there; of a target: a folder
	Amount  unit.Bytes `json:"amount,omitempty"`
	Files   int        `json:"files,omitempty"`   // that the amount is divided among, in all streams together
	Streams int        `json:"streams,omitempty"` // each has a folder of its own
	Seed    uint64     `json:"seed,omitempty"`
	Take    bool       `json:"take,omitempty"`  // a file that is there may be the source
	Exact   bool       `json:"exact,omitempty"` // such a file has to have the amount
	// Open: the user's own server gives it out, as a user that nobody here knows; what is made has owner, group and permissions of the folder that it is made in.
	Open bool `json:"open,omitempty"`
}

// CopyPlaced is an end, and what was found of it.
type CopyPlaced struct {
	End     uint64     `json:"end"`
	Folder  string     `json:"folder"`         // in which each stream has one, stream-0 and so on; of a file that was there: its folder
	Name    string     `json:"name,omitempty"` // of a file that was there
	Files   int        `json:"files"`
	Bytes   unit.Bytes `json:"bytes"`
	Seconds float64    `json:"seconds,omitempty"` // of sync
	Cache   string     `json:"cache,omitempty"`   // of cold and warm: what is in effect
	Cold    *bool      `json:"cold,omitempty"`    // nothing of it is in the cache; nil: not known
	Sum     string     `json:"sum,omitempty"`     // of all names, sizes and checksums
	First   []CopySum  `json:"first,omitempty"`   // the first files of those
	block.Place
}

// CopySum is a file that was read: its SHA-256.
type CopySum struct {
	Name string `json:"name"` // from the end's folder on
	Size int64  `json:"size"`
	Sum  string `json:"sum,omitempty"`
}

const (
	// copyPrefix is what the folder of an end begins with; behind it stand 26 random letters and digits.
	copyPrefix = "linerate-copy-"
	// MostCopyFiles bounds the files of an end.
	MostCopyFiles = 1_000_000
	// mostSums bounds the files that an answer names.
	mostSums = 1000
	// copyKept is what stands before the path of an end's folder where its keeper is started.
	copyKept = "copy"
)

var copyFolder = regexp.MustCompile(`^linerate-copy-[A-Z2-7]{26}$`)

// copyEnd is an end that is there.
type copyEnd struct {
	placed CopyPlaced
	source bool
	own    bool           // the folder is linerate's
	keeper *keeperProcess // nil: nobody removes it if this process cannot
	shares []*shared      // that it is given out by
	open   fs.FileInfo    // the folder that it is as open as; nil: it is this user's alone
}

func (e *copyEnd) remove() {
	for _, v := range e.shares {
		v.end()
	}
	if e.own {
		_ = os.RemoveAll(e.placed.Folder)
	}
	if e.keeper != nil {
		e.keeper.end()
	}
}

// CopyStreamFolder is the folder of a stream in that of its end.
func CopyStreamFolder(stream int) string { return fmt.Sprintf("stream-%d", stream) }

// copyFile is the name of a file that is made.
func copyFile(i int) string { return fmt.Sprintf("file-%06d", i) }

// answerCopyEnd makes an end, or does something with one.
func (s *server) answerCopyEnd(ctx context.Context, id uint64, q CopyEnd) error {
	var out CopyPlaced
	var err error
	switch q.Op {
	case CopySource, CopyTarget:
		if err := s.mayCopy(); err != nil {
			return err
		}
		e := (*copyEnd)(nil)
		if q.Op == CopySource {
			e, err = newSource(ctx, q)
		} else {
			e, err = newTarget(q)
		}
		if err != nil {
			return err
		}
		e.placed.End, out = id, e.placed
		out.End = id
		s.mu.Lock()
		if s.copyEnds == nil {
			s.copyEnds = map[uint64]*copyEnd{}
		}
		s.copyEnds[id] = e
		s.mu.Unlock()
	default:
		s.mu.Lock()
		e := s.copyEnds[q.End]
		s.mu.Unlock()
		if e == nil {
			return &traffic.Error{Code: traffic.CodeInput, Subject: "end", Text: fmt.Sprintf("%d is no end of a copy here", q.End)}
		}
		if q.Op == CopyRemove {
			s.mu.Lock()
			delete(s.copyEnds, q.End)
			s.mu.Unlock()
			e.remove()
		} else if out, err = e.do(ctx, q.Op); err != nil {
			return err
		}
	}
	return s.link.send(context.WithoutCancel(ctx), id, kindReady, out)
}

// mayCopy says why an agent that listens does not copy.
func (s *server) mayCopy() error {
	if s.opt.listens && !slices.Contains(s.opt.Allow, copies) {
		return &traffic.Error{Code: traffic.CodeInput, Subject: "copy", Text: "an agent that listens copies for its controller only if it was started with --allow " + copies}
	}
	return nil
}

// removeCopyEnds is the end of all of them.
func (s *server) removeCopyEnds() {
	s.mu.Lock()
	all := s.copyEnds
	s.copyEnds = nil
	s.mu.Unlock()
	for _, e := range all {
		e.remove()
	}
}

// ownFolder makes a folder that nobody else has, in dir; open: as open as dir.
func ownFolder(dir string, open bool) (*copyEnd, error) {
	info, err := os.Stat(dir)
	if err != nil {
		return nil, fileError(dir, err, "")
	}
	if !info.IsDir() {
		return nil, &traffic.Error{Code: traffic.CodeUnsafe, Subject: dir, Text: "it is there already and linerate did not make it; name a folder, in which a new one is made"}
	}
	if dir, err = filepath.Abs(dir); err != nil {
		return nil, err
	}
	e := &copyEnd{own: true}
	if open {
		e.open = info
	}
	e.placed.Folder = filepath.Join(dir, copyPrefix+rand.Text())
	if e.keeper, err = startKeeperOf(copyKept, e.placed.Folder); err != nil {
		e.keeper = nil // this program's file is gone, and the system shows it nowhere else
	}
	if err = e.mkdir(e.placed.Folder); err != nil {
		e.remove()
		return nil, fileError(dir, err, "")
	}
	e.place()
	return e, nil
}

// place fills in where the folder lies.
func (e *copyEnd) place() {
	if f, err := os.Open(e.placed.Folder); err == nil {
		e.placed.Place = block.PlaceOf(f)
		_ = f.Close()
	}
}

// room says why an amount does not fit, before anything is written.
func room(dir string, need unit.Bytes, what string) error {
	if free, err := block.Free(dir); err == nil && free < need {
		return &traffic.Error{Code: traffic.CodeLimit, Subject: dir, Text: fmt.Sprintf("%v %s, and the file system has %v left; lower amount, or make room", need, what, free)}
	}
	return nil
}

// newTarget is an empty folder for each stream. A path that is not there yet is one in its folder: what is copied to it has a folder of its own, and nothing is there to be overwritten.
func newTarget(q CopyEnd) (*copyEnd, error) {
	dir := q.Path
	if dir == TemporaryFolder {
		dir = temporaryFolder()
	}
	if _, err := os.Lstat(dir); errors.Is(err, fs.ErrNotExist) {
		dir = filepath.Dir(dir)
	}
	if err := room(dir, q.Amount, "are to be copied there"); err != nil {
		return nil, err
	}
	e, err := ownFolder(dir, q.Open)
	if err != nil {
		return nil, err
	}
	for i := range max(q.Streams, 1) {
		if err := e.mkdir(filepath.Join(e.placed.Folder, CopyStreamFolder(i))); err != nil {
			e.remove()
			return nil, fileError(e.placed.Folder, err, "")
		}
	}
	return e, nil
}

// fileError turns the error of a file into one with what to do.
func fileError(path string, err error, next string) error {
	if err == nil {
		return nil
	}
	var own *traffic.Error
	if errors.As(err, &own) {
		return err
	}
	var p *fs.PathError
	if errors.As(err, &p) {
		err = p.Err
	}
	code, text := traffic.CodeInternal, err.Error()
	switch {
	case errors.Is(err, fs.ErrNotExist):
		code, text = traffic.CodeInput, "it is not there"+next
	case errors.Is(err, fs.ErrPermission):
		code, text = traffic.CodeInput, "not allowed ("+err.Error()+"); the agent runs as the user that it was reached as"
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		code, text = traffic.CodeLimit, "the file system is full ("+err.Error()+"); lower amount, or make room"
	}
	return &traffic.Error{Code: code, Subject: path, Text: text}
}
