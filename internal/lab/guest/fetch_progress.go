package guest

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"os"
	"strconv"
	"strings"
	"time"
)

// get runs apt-get in the folder of packages and reports its progress.
func (f *fetcher) get(ctx context.Context, args ...string) error {
	r, w, err := os.Pipe()
	if err != nil {
		return err
	}
	defer r.Close()
	cmd := f.apt(ctx, "apt-get", append([]string{"-o", "APT::Status-Fd=3"}, args...)...)
	var out bytes.Buffer
	defer ownGroup(cmd)()
	cmd.Dir, cmd.Stdout, cmd.Stderr, cmd.ExtraFiles = f.debs(), &out, &out, []*os.File{w}
	err = cmd.Start()
	w.Close()
	if err == nil {
		f.follow(r)
		err = cmd.Wait()
	}
	if err != nil {
		return fetchError(ctx, err, out.String())
	}
	return nil
}

// follow reads what apt says of its progress (README.progress-reporting of apt): "dlstatus:FILE:PERCENT:TEXT".
func (f *fetcher) follow(r io.Reader) {
	every := pacer{}
	for in := bufio.NewScanner(r); in.Scan(); {
		words := strings.SplitN(in.Text(), ":", 4)
		if len(words) < 4 || words[0] != "dlstatus" {
			continue
		}
		if p, err := strconv.ParseFloat(words[2], 64); err == nil && p > 0 && every.now() {
			f.say("fetched %.0f %%", p)
		}
	}
	io.Copy(io.Discard, r) // a line that is too long must not block apt
}

// pacer limits the rate of progress messages.
type pacer struct{ last time.Time }

const progressEvery = 5 * time.Second

// now reports whether it is time for a message. The first one is sent after a while.
func (p *pacer) now() bool {
	switch {
	case p.last.IsZero():
		p.last = time.Now()
		return false
	case time.Since(p.last) < progressEvery:
		return false
	}
	p.last = time.Now()
	return true
}
