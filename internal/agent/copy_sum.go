package agent

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"linerate/internal/base/unit"
)

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
