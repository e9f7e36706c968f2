package agent

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	mathrand "math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"time"

	"linerate/block"
	"linerate/measure"
	"linerate/unit"
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
			return &measure.Error{Code: measure.CodeInput, Subject: "end", Text: fmt.Sprintf("%d is no end of a copy here", q.End)}
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
		return &measure.Error{Code: measure.CodeInput, Subject: "copy", Text: "an agent that listens copies for its controller only if it was started with --allow " + copies}
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

// ownFolder makes a folder that nobody else has, in dir.
func ownFolder(dir string) (*copyEnd, error) {
	info, err := os.Stat(dir)
	if err != nil {
		return nil, fileError(dir, err, "")
	}
	if !info.IsDir() {
		return nil, &measure.Error{Code: measure.CodeUnsafe, Subject: dir, Text: "it is there already and linerate did not make it; name a folder, in which a new one is made"}
	}
	if dir, err = filepath.Abs(dir); err != nil {
		return nil, err
	}
	e := &copyEnd{own: true}
	e.placed.Folder = filepath.Join(dir, copyPrefix+rand.Text())
	if e.keeper, err = startKeeperOf(copyKept, e.placed.Folder); err != nil {
		e.keeper = nil // this program's file is gone, and the system shows it nowhere else
	}
	if err = os.Mkdir(e.placed.Folder, 0o700); err != nil {
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
		return &measure.Error{Code: measure.CodeLimit, Subject: dir, Text: fmt.Sprintf("%v %s, and the file system has %v left; lower amount, or make room", need, what, free)}
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
	e, err := ownFolder(dir)
	if err != nil {
		return nil, err
	}
	for i := range max(q.Streams, 1) {
		if err := os.Mkdir(filepath.Join(e.placed.Folder, CopyStreamFolder(i)), 0o700); err != nil {
			e.remove()
			return nil, fileError(e.placed.Folder, err, "")
		}
	}
	return e, nil
}

// newSource makes files of data that does not compress, or takes the file that is there.
func newSource(ctx context.Context, q CopyEnd) (*copyEnd, error) {
	dir := q.Path
	if dir == TemporaryFolder {
		dir = temporaryFolder()
	}
	info, err := os.Stat(dir)
	if err != nil {
		return nil, fileError(dir, err, "; name the file that is to be copied, or a folder, in which one is made")
	}
	if info.Mode().IsRegular() {
		if !q.Take {
			return nil, &measure.Error{Code: measure.CodeUnsafe, Subject: dir, Text: "it is a file, which would be read and given to another host; name a folder, in which one is made, or allow it with --allow-source"}
		}
		return takenSource(ctx, dir, info, q)
	}
	streams, files := max(q.Streams, 1), max(q.Files, q.Streams, 1)
	if files > MostCopyFiles {
		return nil, &measure.Error{Code: measure.CodeLimit, Subject: "files", Text: fmt.Sprintf("%d are above %d, the agent's limit", files, MostCopyFiles)}
	}
	if q.Amount < 1 {
		return nil, &measure.Error{Code: measure.CodeInput, Subject: "amount", Text: "how much is to be copied is not said"}
	}
	if err := room(dir, q.Amount, "are to be made there"); err != nil {
		return nil, err
	}
	e, err := ownFolder(dir)
	if err != nil {
		return nil, err
	}
	e.source = true
	if err := e.fill(ctx, q, streams, files); err != nil {
		e.remove()
		return nil, err
	}
	return e, nil
}

// fill makes the files of a source, and keeps their checksums.
func (e *copyEnd) fill(ctx context.Context, q CopyEnd, streams, files int) error {
	sums := newSummer()
	b := make([]byte, 1<<20)
	size, more := int64(q.Amount)/int64(files), int64(q.Amount)%int64(files)
	for i := range files {
		stream := i % streams
		dir := filepath.Join(e.placed.Folder, CopyStreamFolder(stream))
		if i < streams {
			if err := os.Mkdir(dir, 0o700); err != nil {
				return fileError(dir, err, "")
			}
		}
		n := size
		if int64(i) < more {
			n++
		}
		var seed [32]byte
		copy(seed[:], fmt.Sprintf("%d/%d", q.Seed, i))
		path := filepath.Join(dir, copyFile(i))
		sum, err := made(ctx, path, n, mathrand.NewChaCha8(seed), b)
		if err != nil {
			return err
		}
		sums.add(CopySum{Name: CopyStreamFolder(stream) + "/" + copyFile(i), Size: n, Sum: sum})
	}
	sums.into(&e.placed)
	return nil
}

// made writes a file of random data onto its medium, and returns its checksum.
func made(ctx context.Context, path string, n int64, data io.Reader, b []byte) (string, error) {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return "", fileError(path, err, "")
	}
	h := sha256.New()
	for left := n; left > 0 && err == nil; {
		part := b[:min(left, int64(len(b)))]
		_, _ = io.ReadFull(data, part)
		h.Write(part)
		if _, err = f.Write(part); err == nil {
			err = ctx.Err()
		}
		left -= int64(len(part))
	}
	if err == nil {
		err = f.Sync()
	}
	if e := f.Close(); err == nil {
		err = e
	}
	if ctx.Err() != nil {
		return "", stopped(ctx)
	}
	return hex.EncodeToString(h.Sum(nil)), fileError(path, err, "")
}

// takenSource is a file of the user's, which is only read.
func takenSource(ctx context.Context, path string, info fs.FileInfo, q CopyEnd) (*copyEnd, error) {
	if q.Streams > 1 || q.Files > 1 {
		return nil, &measure.Error{Code: measure.CodeInput, Subject: path, Text: "it is one file; several streams or files are made in a folder: name one"}
	}
	if q.Exact && int64(q.Amount) != info.Size() {
		return nil, &measure.Error{Code: measure.CodeInput, Subject: path, Text: fmt.Sprintf("it has %v, and %v are asked for; leave amount out, or name a folder, in which a file of that size is made", unit.Bytes(info.Size()), q.Amount)}
	}
	path, err := filepath.Abs(path)
	if err != nil {
		return nil, err
	}
	e := &copyEnd{source: true}
	e.placed.Folder, e.placed.Name = filepath.Dir(path), filepath.Base(path)
	e.place()
	sums := newSummer()
	one, err := summed(ctx, path, true)
	if err != nil {
		return nil, err
	}
	one.Name = CopyStreamFolder(0) + "/" + e.placed.Name
	sums.add(one)
	sums.into(&e.placed)
	return e, nil
}

// summer adds files up, in the order of their names.
type summer struct {
	all   []CopySum
	bytes int64
}

func newSummer() *summer { return &summer{} }

func (s *summer) add(one CopySum) {
	s.all, s.bytes = append(s.all, one), s.bytes+one.Size
}

func (s *summer) into(p *CopyPlaced) {
	slices.SortFunc(s.all, func(a, b CopySum) int { return strings.Compare(a.Name, b.Name) })
	h := sha256.New()
	for _, one := range s.all {
		fmt.Fprintf(h, "%s\x00%d\x00%s\n", one.Name, one.Size, one.Sum)
	}
	p.Files, p.Bytes, p.Sum, p.First = len(s.all), unit.Bytes(s.bytes), hex.EncodeToString(h.Sum(nil)), s.all[:min(len(s.all), mostSums)]
}

// summed reads a file.
func summed(ctx context.Context, path string, whole bool) (CopySum, error) {
	f, err := os.Open(path)
	if err != nil {
		return CopySum{}, fileError(path, err, "")
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return CopySum{}, fileError(path, err, "")
	}
	out := CopySum{Size: info.Size()}
	if !whole {
		return out, nil
	}
	h := sha256.New()
	if out.Size, err = io.CopyBuffer(h, stoppable{ctx, f}, make([]byte, 1<<20)); err != nil {
		if ctx.Err() != nil {
			return out, stopped(ctx)
		}
		return out, fileError(path, err, "")
	}
	out.Sum = hex.EncodeToString(h.Sum(nil))
	return out, nil
}

// stoppable is a reader that ends with ctx.
type stoppable struct {
	ctx context.Context
	r   io.Reader
}

func (s stoppable) Read(b []byte) (int, error) {
	if err := s.ctx.Err(); err != nil {
		return 0, err
	}
	return s.r.Read(b)
}

// paths are the files of an end: those of its streams, or the one that was there.
func (e *copyEnd) paths() (all []string, err error) {
	if e.placed.Name != "" {
		return []string{filepath.Join(e.placed.Folder, e.placed.Name)}, nil
	}
	err = filepath.WalkDir(e.placed.Folder, func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			all = append(all, path)
		}
		return err
	})
	if err != nil {
		return nil, fileError(e.placed.Folder, err, "")
	}
	return all, nil
}

// do is what is asked of an end that is there.
func (e *copyEnd) do(ctx context.Context, op string) (CopyPlaced, error) {
	out := CopyPlaced{End: e.placed.End, Folder: e.placed.Folder, Name: e.placed.Name, Place: e.placed.Place}
	if op == CopyClear {
		return out, e.clear()
	}
	all, err := e.paths()
	if err != nil {
		return out, err
	}
	switch op {
	case CopyCold, CopyWarm:
		err = e.cache(ctx, op, all, &out)
	case CopySync:
		err = e.sync(ctx, all, &out)
	case CopySums, CopySizes:
		sums := newSummer()
		for _, path := range all {
			one, err := summed(ctx, path, op == CopySums)
			if err != nil {
				return out, err
			}
			one.Name = strings.TrimPrefix(filepath.ToSlash(strings.TrimPrefix(path, e.placed.Folder)), "/")
			sums.add(one)
		}
		sums.into(&out)
	default:
		err = &measure.Error{Code: measure.CodeInput, Subject: "op", Text: fmt.Sprintf("%.40q is nothing that is done with an end of a copy", op)}
	}
	return out, err
}

// clear removes what arrived at a target.
func (e *copyEnd) clear() error {
	if e.source || !e.own {
		return &measure.Error{Code: measure.CodeUnsafe, Subject: e.placed.Folder, Text: "it is what is copied, and stays"}
	}
	streams, err := os.ReadDir(e.placed.Folder)
	if err != nil {
		return fileError(e.placed.Folder, err, "")
	}
	for _, s := range streams {
		dir := filepath.Join(e.placed.Folder, s.Name())
		if err = os.RemoveAll(dir); err == nil {
			err = os.Mkdir(dir, 0o700)
		}
		if err != nil {
			return fileError(dir, err, "")
		}
	}
	return nil
}

// sync brings the files of an end, and their folders, onto the medium.
func (e *copyEnd) sync(ctx context.Context, all []string, out *CopyPlaced) error {
	began := time.Now()
	folders := map[string]bool{}
	for _, path := range all {
		if ctx.Err() != nil {
			return stopped(ctx)
		}
		f, err := os.OpenFile(path, os.O_RDWR, 0) // Windows wants to write what it is to flush
		if err == nil {
			err = f.Sync()
			if e := f.Close(); err == nil {
				err = e
			}
		}
		if err != nil {
			return fileError(path, err, "")
		}
		folders[filepath.Dir(path)] = true
	}
	for dir := range folders {
		if f, err := os.Open(dir); err == nil {
			_ = f.Sync() // not every file system has one of a folder
			_ = f.Close()
		}
	}
	out.Files, out.Seconds = len(all), time.Since(began).Seconds()
	return nil
}

// cache lets the system's cache go of the files, or has them read into it, and says what is in effect then.
func (e *copyEnd) cache(ctx context.Context, op string, all []string, out *CopyPlaced) error {
	held, why := unit.Bytes(0), ""
	if fs := e.placed.FileSystem; fs == "tmpfs" || fs == "ramfs" {
		cold := false
		out.Cache, out.Cold = fs+" is memory: there is no medium behind the cache", &cold
		return nil
	}
	for _, path := range all {
		if ctx.Err() != nil {
			return stopped(ctx)
		}
		f, err := os.Open(path)
		if err != nil {
			return fileError(path, err, "")
		}
		if op == CopyWarm {
			_, err = io.CopyBuffer(io.Discard, stoppable{ctx, f}, make([]byte, 1<<20))
		} else if err = f.Sync(); err == nil || !e.own {
			err = block.DropCached(f)
		}
		if err != nil && why == "" {
			why = err.Error()
		}
		n, err := block.Cached(f)
		if held += n; err != nil && why == "" {
			why = "how much of it is in the cache is not known: " + err.Error()
		}
		_ = f.Close()
	}
	switch {
	case why != "" && op == CopyWarm:
		out.Cache = "read once before (" + why + ")"
	case why != "":
		out.Cache = "not known: " + why
	case op == CopyWarm:
		cold := false
		out.Cache, out.Cold = fmt.Sprintf("warm: read before, %v of it are in memory", held), &cold
	default:
		// A page or two of the file system's own stay now and then.
		cold := float64(held) <= 0.01*float64(e.placed.Bytes)
		out.Cache, out.Cold = fmt.Sprintf("cold: dropped from the cache, %v of it are there", held), &cold
		if !cold {
			out.Cache = fmt.Sprintf("not cold: the cache keeps %v of it", held)
		}
	}
	return nil
}

// fileError turns the error of a file into one with what to do.
func fileError(path string, err error, next string) error {
	if err == nil {
		return nil
	}
	var own *measure.Error
	if errors.As(err, &own) {
		return err
	}
	var p *fs.PathError
	if errors.As(err, &p) {
		err = p.Err
	}
	code, text := measure.CodeInternal, err.Error()
	switch {
	case errors.Is(err, fs.ErrNotExist):
		code, text = measure.CodeInput, "it is not there"+next
	case errors.Is(err, fs.ErrPermission):
		code, text = measure.CodeInput, "not allowed ("+err.Error()+"); the agent runs as the user that it was reached as"
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		code, text = measure.CodeLimit, "the file system is full ("+err.Error()+"); lower amount, or make room"
	}
	return &measure.Error{Code: code, Subject: path, Text: text}
}
