// Package copies copies files between the drives of two hosts with the tools that people use: the ends, which are
// folders with files, the shares that one host serves to the other, and the copying itself.
package copies

import (
	"context"
	"crypto/rand"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"linerate/internal/agent/process"
	"linerate/internal/base/failure"
	"linerate/internal/traffic"
)

// Copy asks the agent of the host that copies to start a copy for each stream at one moment, with one tool.
type Copy struct {
	Via string `json:"via"` // a name of Tools, or empty: the usual one of what it copies over
	// Share is what it copies from or to; nil: a path of this host, or one behind ssh.
	Share   *Shared       `json:"share,omitempty"`
	SSH     string        `json:"ssh,omitempty"` // [USER@]HOST as ssh of this host has it
	Threads int           `json:"threads,omitempty"`
	Streams []Stream      `json:"streams"`
	AtNS    int64         `json:"at_ns"` // agent's clock
	Limit   time.Duration `json:"limit_ns"`
}

// Stream is one copy: the files of a folder to another.
type Stream struct {
	Pull  bool   `json:"pull,omitempty"` // from There to Here
	Here  string `json:"here"`           // a folder of this host
	There string `json:"there"`          // the other: of a share from its root on, else a path
	Name  string `json:"name,omitempty"` // the one file; empty: files that linerate has named
	First int    `json:"first,omitempty"`
	Step  int    `json:"step,omitempty"` // from one number to the next
	Files int    `json:"files"`
}

// names are the files of a stream.
func (s Stream) names() []string {
	if s.Name != "" {
		return []string{s.Name}
	}
	out := make([]string, s.Files)
	for i := range out {
		out[i] = fileName(s.First + i*max(s.Step, 1))
	}
	return out
}

// Outcome is how a Copy ended.
type Outcome struct {
	Via     string   `json:"via"`
	Why     string   `json:"why,omitempty"`     // this tool and no other
	Command string   `json:"command,omitempty"` // as it was started, without what is secret
	BeginNS int64    `json:"begin_ns"`
	EndNS   int64    `json:"end_ns"`
	Streams []Ending `json:"streams"`
	// Threads are those of the tools, most CPU time first; empty: linerate copied itself, or this system does not show
	// them.
	Threads []Thread `json:"threads,omitempty"`
}

// Ending is how one stream ended.
type Ending struct {
	Seconds float64 `json:"seconds"`         // from the start of all to its end
	Exit    int     `json:"exit"`            // of the tool; 0 where linerate copies itself
	Said    string  `json:"said,omitempty"`  // the last lines of the tool
	Wrong   string  `json:"wrong,omitempty"` // why it is not a copy; empty: it is
	Code    string  `json:"code,omitempty"`  // of failure.Error, where it is not a copy
}

// fail marks a stream as not copied.
func (e *Ending) fail(code, text string) { e.Code, e.Wrong = code, text }

// MostStreams is how many copies at once one host makes.
const MostStreams = 256

func (q Copy) check() error {
	if len(q.Streams) < 1 || len(q.Streams) > MostStreams {
		return failure.Errorf(failure.CodeInput, "streams", "%d is not a number from 1 to %d", len(q.Streams), MostStreams)
	}
	if q.Limit <= 0 || q.Limit > 24*time.Hour {
		return failure.Errorf(failure.CodeInput, "time", "%v is not a limit up to 24 hours", q.Limit)
	}
	for _, x := range q.Streams {
		if !filepath.IsAbs(x.Here) || x.There == "" || x.Files < 1 || x.Files > mostFiles {
			return failure.Errorf(failure.CodeInput, "copy", "%d files between %.80q and %.80q: that is not a copy", x.Files,
				x.Here, x.There)
		}
	}
	return nil
}

// Run prepares what the tool needs, calls ready, starts all streams at the moment of q, and returns when they have
// ended.
func Run(ctx context.Context, q Copy, ready func() error) (*Outcome, error) {
	if err := q.check(); err != nil {
		return nil, err
	}
	with, why, err := toolFor(q)
	if err != nil {
		return nil, err
	}
	place, err := process.NewFolder(rand.Text())
	if err != nil {
		return nil, err
	}
	defer place.Remove()
	out := &Outcome{Via: with.name, Why: why, Streams: make([]Ending, len(q.Streams))}
	if with.look != nil && q.Share != nil && q.Share.Theirs {
		if err := lookAt(ctx, with, q, place); err != nil {
			return nil, err
		}
	}
	var commands [][]string
	if with.argv != nil {
		for i, x := range q.Streams {
			argv, err := with.argv(task{Copy: q, Stream: x, number: i, private: place.Dir})
			if err != nil {
				return nil, err
			}
			commands = append(commands, argv)
		}
		out.Command = shown(commands[0])
	}
	if err := ready(); err != nil {
		return nil, err
	}
	limited, cancel := context.WithTimeout(ctx, q.Limit)
	defer cancel()
	select {
	case <-time.After(time.Duration(q.AtNS - traffic.Now())):
	case <-ctx.Done():
		return nil, process.Stopped()
	}
	looking, over := context.WithCancel(limited)
	defer over()
	threads := watchTools(looking)
	out.BeginNS = traffic.Now()
	var wg sync.WaitGroup
	for i, x := range q.Streams {
		wg.Go(func() {
			e := &out.Streams[i]
			if with.argv != nil {
				e.run(limited, with, commands[i], place)
			} else if err := with.own(limited, q, x); err != nil {
				e.fail(codeOf(err), err.Error())
			}
			e.Seconds = float64(traffic.Now()-out.BeginNS) / 1e9
			if limited.Err() != nil && ctx.Err() == nil {
				e.fail(failure.CodeTimeout, fmt.Sprintf("it had not ended after %v; allow it more with time", q.Limit))
			}
		})
	}
	wg.Wait()
	out.EndNS = traffic.Now()
	over()
	if out.Threads = threads(); with.argv == nil {
		out.Threads = nil // they are those of other processes of this agent
	}
	if ctx.Err() != nil {
		return nil, process.Stopped()
	}
	place.Kill() // what a tool has left running
	return out, nil
}

// lookLimit is how long the user's own server may take to answer.
const lookLimit = 30 * time.Second

// lookAt asks the user's own server once for the folder of the first stream. Where the server refuses, nothing is tried
// for each stream and file.
func lookAt(ctx context.Context, with tool, q Copy, place *process.Folder) error {
	argv, err := with.look(task{Copy: q, Stream: q.Streams[0], private: place.Dir})
	if err != nil {
		return err
	}
	limited, cancel := context.WithTimeout(ctx, lookLimit)
	defer cancel()
	var e Ending
	e.run(limited, with, argv, place)
	refused := func(code, why string) error {
		return &failure.Error{Code: code, Subject: fmt.Sprintf("%s at %s", with.name, q.Share.At), Text: why}
	}
	switch {
	case ctx.Err() != nil:
		return process.Stopped()
	case limited.Err() != nil:
		why := fmt.Sprintf("the server does not answer within %v", lookLimit)
		if e.Said != "" {
			why += "; its last lines: " + e.Said
		}
		return refused(failure.CodeTimeout, why)
	case e.Wrong == "":
		return nil
	case e.Code == failure.CodeInput && q.Share.Kind == HTTP && !q.Streams[0].Pull:
		return nil // a server of HTTP need not answer which methods it allows
	case e.Code == failure.CodeInput:
		e.Wrong += "; the share has to begin at the path of its drive, and its user to be allowed into that folder"
	case e.Code == failure.CodeRefused:
		e.Wrong += "; look at USER@ of the share and at login: env:NAME"
	}
	return refused(e.Code, e.Wrong)
}

// run starts a tool and waits for its end.
func (e *Ending) run(ctx context.Context, with tool, argv []string, place *process.Folder) {
	out := process.NewOutput(process.MostErrors)
	p, err := place.Start(ctx, argv, []string{"LC_ALL=C"}, out, out)
	if err != nil {
		e.fail(codeOf(err), err.Error())
		return
	}
	e.Exit, err = p.Wait()
	text := string(out.Kept().Text)
	e.Said = out.LastLines()
	switch {
	case err != nil:
		e.fail(failure.CodeInternal, err.Error())
	case with.wrong != nil:
		e.Wrong, e.Code = with.wrong(e.Exit, text)
	case e.Exit != 0 && strings.Contains(text, noSpace):
		e.fail(failure.CodeLimit, fullTarget)
	case e.Exit != 0:
		e.fail(failure.CodeInternal, fmt.Sprintf("it ended with exit code %d", e.Exit))
	}
	if e.Wrong != "" && e.Said != "" {
		e.Wrong += "; its last lines: " + e.Said
	}
}

// codeOf is the code of an error.
func codeOf(err error) string {
	if e, ok := err.(*failure.Error); ok {
		return e.Code
	}
	return failure.CodeInternal
}

// private writes a file that only this user can read, for what other users would see on a command line.
func private(dir, name, text string) (string, error) {
	path := filepath.Join(dir, name)
	return path, fileError(path, os.WriteFile(path, []byte(text), 0o600))
}
