package agent

import (
	"context"
	"crypto/rand"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"linerate/internal/host/connect"
	"linerate/internal/traffic"
)

// Copy is what the agent of the host that copies is asked for: to start a copy for each stream at one moment, with one tool.
type Copy struct {
	Via     string        `json:"via"`             // a name of CopyTools, or empty: the usual one of what it copies over
	Share   *Shared       `json:"share,omitempty"` // that it copies from or to; nil: a path of this host, or one behind ssh
	SSH     string        `json:"ssh,omitempty"`   // [USER@]HOST as ssh of this host has it
	Threads int           `json:"threads,omitempty"`
	Streams []CopyStream  `json:"streams"`
	AtNS    int64         `json:"at_ns"` // agent's clock
	Limit   time.Duration `json:"limit_ns"`
}

// CopyStream is one copy: the files of a folder to another.
type CopyStream struct {
	Pull  bool   `json:"pull,omitempty"` // from there to here
	Here  string `json:"here"`           // a folder of this host
	There string `json:"there"`          // the other: of a share from its root on, else a path
	Name  string `json:"name,omitempty"` // the one file; empty: as many as are said, as linerate calls them
	First int    `json:"first,omitempty"`
	Step  int    `json:"step,omitempty"` // from one number to the next
	Files int    `json:"files"`
}

// names are the files of a stream.
func (c CopyStream) names() []string {
	if c.Name != "" {
		return []string{c.Name}
	}
	out := make([]string, 0, c.Files)
	for i := range c.Files {
		out = append(out, copyFile(c.First+i*max(c.Step, 1)))
	}
	return out
}

// CopyOutcome is what became of it.
type CopyOutcome struct {
	Via     string       `json:"via"`
	Why     string       `json:"why,omitempty"`     // this tool and no other
	Command string       `json:"command,omitempty"` // as it was started, without what is secret
	BeginNS int64        `json:"begin_ns"`
	EndNS   int64        `json:"end_ns"`
	Streams []CopyEnding `json:"streams"`
	// Threads are those of the tools, most processor time first; empty: linerate copied itself, or they are not looked at on this system.
	Threads []CopyThread `json:"threads,omitempty"`
}

// CopyEnding is how one stream ended.
type CopyEnding struct {
	Seconds float64 `json:"seconds"`         // from the start of all to its end
	Exit    int     `json:"exit"`            // of the tool; 0 where linerate copies itself
	Said    string  `json:"said,omitempty"`  // the last lines of the tool
	Wrong   string  `json:"wrong,omitempty"` // why it is no copy; empty: it went well
	Code    string  `json:"code,omitempty"`  // of measure.Error, where it is wrong
}

// answerCopy handles the requests that are about copies.
func (s *server) answerCopy(ctx context.Context, f frame) (handled bool, err error) {
	switch f.Kind {
	case kindCopyEnd:
		var q CopyEnd
		if err := decode(f.Body, &q); err != nil {
			return true, err
		}
		return true, s.answerCopyEnd(ctx, f.ID, q)
	case kindShare:
		var q Share
		if err := decode(f.Body, &q); err != nil {
			return true, err
		}
		return true, s.share(ctx, f.ID, q)
	case kindCopy:
		var q Copy
		if err := decode(f.Body, &q); err != nil {
			return true, err
		}
		if err := s.mayCopy(); err != nil {
			return true, err
		}
		return true, s.copy(ctx, f.ID, q)
	}
	return false, nil
}

// check says what is wrong with a Copy.
func (q Copy) check() error {
	bad := func(subject, text string) error {
		return &traffic.Error{Code: traffic.CodeInput, Subject: subject, Text: text}
	}
	if len(q.Streams) < 1 || len(q.Streams) > MostCopyStreams {
		return bad("streams", fmt.Sprintf("%d is no number from 1 to %d", len(q.Streams), MostCopyStreams))
	}
	if q.Limit <= 0 || q.Limit > 24*time.Hour {
		return bad("time", fmt.Sprintf("%v is no limit up to 24 hours", q.Limit))
	}
	for _, x := range q.Streams {
		if !filepath.IsAbs(x.Here) || x.There == "" || x.Files < 1 || x.Files > MostCopyFiles {
			return bad("stream", fmt.Sprintf("%d files between %.80q and %.80q: that is no copy", x.Files, x.Here, x.There))
		}
	}
	return nil
}

// MostCopyStreams is how many copies at once one host makes.
const MostCopyStreams = 256

// copy makes ready what the tool needs, starts all streams at the moment, and answers when they have ended.
func (s *server) copy(ctx context.Context, id uint64, q Copy) error {
	if err := q.check(); err != nil {
		return err
	}
	tool, why, err := toolFor(q)
	if err != nil {
		return err
	}
	place, err := newAppFolder(App{Name: rand.Text()})
	if err != nil {
		return err
	}
	defer place.remove()
	out := &CopyOutcome{Via: tool.name, Why: why, Streams: make([]CopyEnding, len(q.Streams))}
	var commands [][]string
	if tool.look != nil && q.Share != nil && q.Share.Theirs {
		if err := lookAt(ctx, tool, q, place); err != nil {
			return err
		}
	}
	if tool.argv != nil {
		for i, x := range q.Streams {
			argv, err := tool.argv(copyAsk{Copy: q, CopyStream: x, number: i, private: place.dir})
			if err != nil {
				return err
			}
			commands = append(commands, argv)
		}
		out.Command = shown(commands[0])
	}
	if err := s.limits.ahead.check(q.AtNS - traffic.Now()); err != nil {
		return err
	}
	if err := s.link.send(ctx, id, kindReady, prepared{Experiment: id}); err != nil {
		return err
	}
	limited, cancel := context.WithTimeout(ctx, q.Limit)
	defer cancel()
	t := time.NewTimer(time.Duration(q.AtNS - traffic.Now()))
	select {
	case <-t.C:
	case <-ctx.Done():
		t.Stop()
		return stopped(ctx)
	}
	looking, over := context.WithCancel(limited)
	defer over()
	threads := watchTools(looking)
	out.BeginNS = traffic.Now()
	var wg sync.WaitGroup
	for i, x := range q.Streams {
		wg.Go(func() {
			e := &out.Streams[i]
			if tool.argv != nil {
				e.run(limited, tool, commands[i], place)
			} else if err := tool.own(limited, q, x); err != nil {
				e.Wrong, e.Code = err.Error(), codeOf(err)
			}
			e.Seconds = float64(traffic.Now()-out.BeginNS) / 1e9
			if limited.Err() != nil && ctx.Err() == nil {
				e.Wrong, e.Code = fmt.Sprintf("it had not ended after %v; allow it more with time", q.Limit), traffic.CodeTimeout
			}
		})
	}
	wg.Wait()
	out.EndNS = traffic.Now()
	over()
	if out.Threads = threads(); tool.argv == nil {
		out.Threads = nil // what else this agent has started is none of it
	}
	if ctx.Err() != nil {
		return stopped(ctx)
	}
	place.kill() // what a tool left behind
	return s.link.send(context.WithoutCancel(ctx), id, kindResult, out)
}

// lookTime bounds the question to the user's own server.
const lookTime = 30 * time.Second

// lookAt asks the user's own server once for the folder of the first stream: who is refused there is told, and nothing is tried for each stream and file.
func lookAt(ctx context.Context, tool copyTool, q Copy, place *appFolder) error {
	argv, err := tool.look(copyAsk{Copy: q, CopyStream: q.Streams[0], private: place.dir})
	if err != nil {
		return err
	}
	limited, cancel := context.WithTimeout(ctx, lookTime)
	defer cancel()
	var e CopyEnding
	e.run(limited, tool, argv, place)
	switch {
	case ctx.Err() != nil:
		return stopped(ctx)
	case limited.Err() != nil:
		return refusedShare(q.Share, tool.name, fmt.Sprintf("the server does not answer within %v", lookTime), traffic.CodeTimeout, e.Said)
	case e.Wrong == "", q.Share.Kind == shareHTTP && !q.Streams[0].Pull && e.Code == traffic.CodeInput: // a server of HTTP need not say what may be done
		return nil
	}
	return refusedShare(q.Share, tool.name, e.Wrong, e.Code, "")
}

// run starts a tool and waits for its end.
func (e *CopyEnding) run(ctx context.Context, tool copyTool, argv []string, place *appFolder) {
	fail := func(code, text string) { e.Wrong, e.Code = text, code }
	local, err := connect.Open(ctx, connect.Spec{Kind: connect.Local})
	if err != nil {
		fail(traffic.CodeInternal, err.Error())
		return
	}
	said := &keeper{most: mostStderr, told: make(chan struct{}, 1)}
	p, err := local.Start(ctx, connect.Command{Argv: argv, Env: append(place.env(nil), "LC_ALL=C"), Dir: place.dir, Stdout: said, Stderr: said})
	if err != nil {
		fail(codeOf(startError(argv[0], err)), startError(argv[0], err).Error())
		return
	}
	exit, err := p.Wait()
	text := said.kept().Text
	e.Exit, e.Said = exit, LastLines(text)
	switch {
	case err != nil:
		fail(traffic.CodeInternal, err.Error())
	case tool.wrong != nil:
		e.Wrong, e.Code = tool.wrong(exit, string(text))
	case exit != 0 && strings.Contains(string(text), noSpace):
		fail(traffic.CodeLimit, fullTarget)
	case exit != 0:
		fail(traffic.CodeInternal, fmt.Sprintf("it ended with exit code %d", exit))
	}
	if e.Wrong != "" && e.Said != "" {
		e.Wrong += "; its last lines: " + e.Said
	}
}

// codeOf is the code of an error.
func codeOf(err error) string {
	if e, ok := err.(*traffic.Error); ok {
		return e.Code
	}
	return traffic.CodeInternal
}

// private writes a file that only this user reads, for what a command line would show to others.
func private(dir, name, text string) (string, error) {
	path := filepath.Join(dir, name)
	return path, fileError(path, os.WriteFile(path, []byte(text), 0o600), "")
}
