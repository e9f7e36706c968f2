package copies

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"linerate/internal/agent/process"
	"linerate/internal/base/unit"
)

// mostSums is the most files that an answer names.
const mostSums = 1000

// Sum is the SHA-256 of a file.
type Sum struct {
	Name string `json:"name"` // from the end's folder on
	Size int64  `json:"size"`
	Sum  string `json:"sum,omitempty"`
}

// setSums fills in the number, the size and the checksum of all files.
func (p *Placed) setSums(all []Sum) {
	slices.SortFunc(all, func(a, b Sum) int { return strings.Compare(a.Name, b.Name) })
	h := sha256.New()
	p.Bytes = 0
	for _, one := range all {
		p.Bytes += unit.Bytes(one.Size)
		fmt.Fprintf(h, "%s\x00%d\x00%s\n", one.Name, one.Size, one.Sum)
	}
	p.Files, p.Sum, p.First = len(all), hex.EncodeToString(h.Sum(nil)), all[:min(len(all), mostSums)]
}

// sumOf is the size of a file and, with whole, its checksum.
func sumOf(ctx context.Context, path string, whole bool) (Sum, error) {
	f, err := os.Open(path)
	if err != nil {
		return Sum{}, fileError(path, err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return Sum{}, fileError(path, err)
	}
	out := Sum{Size: info.Size()}
	if !whole {
		return out, nil
	}
	h := sha256.New()
	if out.Size, err = io.CopyBuffer(h, stoppable{ctx, f}, make([]byte, 1<<20)); err != nil {
		if ctx.Err() != nil {
			return out, process.Stopped()
		}
		return out, fileError(path, err)
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
