package copies

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"sync"
	"syscall"

	"linerate/internal/agent/process"
	"linerate/internal/base/failure"
	"linerate/internal/base/unit"
	"linerate/internal/storage/block"
)

// Operations on an end of a copy.
const (
	Source = "source" // make files, or take the existing file
	Target = "target" // make an empty folder
	Cold   = "cold"   // drop the source from the system's cache
	Warm   = "warm"   // read the source, so that it is in the cache
	Sync   = "sync"   // write what is cached to the drive
	Sums   = "sums"   // sizes and checksums of the files
	Sizes  = "sizes"  // sizes alone
	Clear  = "clear"  // remove the files that arrived
	Remove = "remove" // remove the end and its shares
)

// EndRequest asks an agent for an operation on one end of a copy.
type EndRequest struct {
	Op  string `json:"op"`
	End uint64 `json:"end,omitempty"` // of all but source and target: the end
	// Path is a folder, in which files are made, or, of a source, an existing file.
	Path    string     `json:"path,omitempty"`
	Amount  unit.Bytes `json:"amount,omitempty"`
	Files   int        `json:"files,omitempty"`   // that the amount is divided among, in all streams together
	Streams int        `json:"streams,omitempty"` // each has a folder of its own
	Seed    uint64     `json:"seed,omitempty"`
	Take    bool       `json:"take,omitempty"`  // an existing file may be the source
	Exact   bool       `json:"exact,omitempty"` // such a file has to have the amount
	// Open says that the user's own server shares the end, as a user that linerate does not know: what is made gets
	// owner, group and permissions of the folder that it is made in.
	Open bool `json:"open,omitempty"`
}

// Placed is an end, and what was found of it.
type Placed struct {
	End uint64 `json:"end"`
	// Folder has a folder for each stream, stream-0 and so on; of an existing file it is the file's folder.
	Folder  string     `json:"folder"`
	Name    string     `json:"name,omitempty"` // of an existing file
	Files   int        `json:"files"`
	Bytes   unit.Bytes `json:"bytes"`
	Seconds float64    `json:"seconds,omitempty"` // of sync
	Cache   string     `json:"cache,omitempty"`   // of cold and warm: what is in effect
	Cold    *bool      `json:"cold,omitempty"`    // nothing of it is in the cache; nil: not known
	Sum     string     `json:"sum,omitempty"`     // of all names, sizes and checksums
	First   []Sum      `json:"first,omitempty"`   // the first files of those
	block.Place
}

const (
	// folderPrefix is the beginning of the name of an end's folder; 26 random letters and digits follow.
	folderPrefix = "linerate-copy-"
	// mostFiles is the most files that an end may have.
	mostFiles = 1_000_000
	// Kept is the keeper's argument before the path of an end's folder.
	Kept = "copy"
)

var folderName = regexp.MustCompile(`^linerate-copy-[A-Z2-7]{26}$`)

// End is one end of a copy on this host.
type End struct {
	placed Placed
	source bool
	own    bool            // the folder is linerate's
	keeper *process.Keeper // nil: nothing removes the folder if this process cannot
	open   fs.FileInfo     // the folder whose owner and permissions it has; nil: it is this user's alone

	mu     sync.Mutex
	shares []*share
}

// NewEnd makes an end with that number, and returns what was found of it.
func NewEnd(ctx context.Context, number uint64, q EndRequest) (e *End, found Placed, err error) {
	if q.Op == Source {
		e, err = newSource(ctx, q)
	} else {
		e, err = newTarget(q)
	}
	if err != nil {
		return nil, Placed{}, err
	}
	e.placed.End = number
	return e, e.placed, nil
}

// Remove ends the end's shares and removes what linerate has made.
func (e *End) Remove() {
	e.mu.Lock()
	for _, v := range e.shares {
		v.end()
	}
	e.mu.Unlock()
	if e.own {
		_ = os.RemoveAll(e.placed.Folder)
	}
	if e.keeper != nil {
		e.keeper.End()
	}
}

// IsFolder reports whether a path is that of an end's folder.
func IsFolder(path string) bool { return folderName.MatchString(filepath.Base(path)) }

// RemoveFolder removes an end's folder. It returns an exit code.
func RemoveFolder(path string) int {
	if os.RemoveAll(path) != nil {
		return 1
	}
	return 0
}

// StreamFolder is the folder of a stream in that of its end.
func StreamFolder(stream int) string { return fmt.Sprintf("stream-%d", stream) }

// fileName is the name of a file that is made.
func fileName(i int) string { return fmt.Sprintf("file-%06d", i) }

// newFolder makes an end's folder in dir; open: with the owner and permissions of dir.
func newFolder(dir string, open bool) (*End, error) {
	info, err := os.Stat(dir)
	if err != nil {
		return nil, fileError(dir, err)
	}
	if !info.IsDir() {
		return nil, &failure.Error{Code: failure.CodeUnsafe, Subject: dir,
			Text: "it is there already and linerate did not make it; name a folder, in which a new one is made"}
	}
	if dir, err = filepath.Abs(dir); err != nil {
		return nil, err
	}
	e := &End{own: true}
	if open {
		e.open = info
	}
	e.placed.Folder = filepath.Join(dir, folderPrefix+rand.Text())
	// Without an error: this program's file may be removed, and then most systems cannot start it again.
	e.keeper, _ = process.StartKeeper(Kept, e.placed.Folder)
	if err = e.mkdir(e.placed.Folder); err != nil {
		e.Remove()
		return nil, fileError(dir, err)
	}
	e.place()
	return e, nil
}

// place fills in the file system that the folder is on.
func (e *End) place() {
	if f, err := os.Open(e.placed.Folder); err == nil {
		e.placed.Place = block.PlaceOf(f)
		_ = f.Close()
	}
}

// mkdir makes a folder of an end.
func (e *End) mkdir(path string) error {
	if err := os.Mkdir(path, 0o700); err != nil {
		return err
	}
	return e.setOwner(path, 0o777)
}

// setOwner gives a file or folder of an end owner, group and permissions of the folder that the end was made in, as far
// as mask goes: a server of the user's that shares the end serves those who may use that folder.
func (e *End) setOwner(path string, mask fs.FileMode) error {
	if e.open == nil {
		return nil
	}
	mode := e.open.Mode().Perm() & mask
	if mask&0o111 != 0 {
		// what is made in the folder gets its group, and only its owner may remove it
		mode |= e.open.Mode() & (fs.ModeSetgid | fs.ModeSticky)
	}
	return setOwnerOf(path, e.open, mode)
}

// checkSpace refuses an amount for which there is no space, before anything is written.
func checkSpace(dir string, need unit.Bytes, what string) error {
	if free, err := block.Free(dir); err == nil && free < need {
		return failure.Errorf(failure.CodeLimit, dir, "%v %s, and the file system has %v left; lower amount, or make room",
			need, what, free)
	}
	return nil
}

// newTarget is an empty folder for each stream. Of a path that does not exist it is made in the folder of the path: it
// is a new folder, in which nothing can be overwritten.
func newTarget(q EndRequest) (*End, error) {
	dir := q.Path
	if _, err := os.Lstat(dir); errors.Is(err, fs.ErrNotExist) {
		dir = filepath.Dir(dir)
	}
	if err := checkSpace(dir, q.Amount, "are to be copied there"); err != nil {
		return nil, err
	}
	e, err := newFolder(dir, q.Open)
	if err != nil {
		return nil, err
	}
	for i := range max(q.Streams, 1) {
		if err := e.mkdir(filepath.Join(e.placed.Folder, StreamFolder(i))); err != nil {
			e.Remove()
			return nil, fileError(e.placed.Folder, err)
		}
	}
	return e, nil
}

// fileError is the error of a file with what to do.
func fileError(path string, err error) error {
	var own *failure.Error
	if err == nil || errors.As(err, &own) {
		return err
	}
	var p *fs.PathError
	if errors.As(err, &p) {
		err = p.Err
	}
	code, text := failure.CodeInternal, err.Error()
	switch {
	case errors.Is(err, fs.ErrNotExist):
		code, text = failure.CodeInput, "it is not there"
	case errors.Is(err, fs.ErrPermission):
		code, text = failure.CodeInput, "not allowed ("+err.Error()+"); the agent runs as the user that it was reached as"
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		code, text = failure.CodeLimit, "the file system is full ("+err.Error()+"); lower amount, or make room"
	}
	return &failure.Error{Code: code, Subject: path, Text: text}
}
