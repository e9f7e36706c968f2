package lab

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"sync/atomic"
	"time"

	"linerate/internal/host/connect"
	"linerate/internal/lab/guest"
)

// callTimeout bounds a request to a guest's init. It is below the connection's own, so that the better message comes
// first.
const callTimeout = 8 * time.Second

// await waits for the guest's init and turns the guest into a host of the plan. A machine for which this fails is
// ended: it would be useless, and take memory and a CPU.
func (g *guestHost) await() (err error) {
	defer func() {
		if err != nil {
			g.qemu.kill()
		}
	}()
	select {
	case <-g.channel.Hello():
	case <-g.channel.Done():
		return g.ended(g.channel)
	case <-time.After(g.bootLimit):
		return g.notBooted()
	}
	g.boot = time.Since(g.started)
	return g.setUp(g.channel, &g.state)
}

// notBooted is the error of a guest whose init did not answer in time.
func (g *guestHost) notBooted() error {
	return fmt.Errorf(
		"guest %s did not boot within %v; if this machine is busy, make fewer hosts guests or try again when it is not%s",
		g.name, g.bootLimit, g.lastWords())
}

// setUp turns a machine whose init has answered into a host of the plan. It may take as long as a boot, because modules
// are loaded under emulation.
func (g *guestHost) setUp(ch *guest.Channel, state *guestState) error {
	ctx, cancel := context.WithTimeout(context.Background(), g.bootLimit)
	defer cancel()
	err := g.why(ctx, ch, g.bootLimit,
		ch.Call(ctx, opSetup, guestSetup{Node: g.node, NICs: g.names, Share: g.share}, state))
	if reported := (goneError{}); err == nil || errors.As(err, &reported) {
		return err
	}
	return fmt.Errorf("guest %s: %w%s", g.name, err, g.lastWords())
}

// call sends a request to the guest's init.
func (g *guestHost) call(op string, in, out any) error {
	ch, err := g.line()
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), g.answerLimit)
	defer cancel()
	return g.why(ctx, ch, g.answerLimit, ch.Call(ctx, op, in, out))
}

// goneError is the error of a guest that has ended, with its last output.
type goneError struct{ error }

// why turns the error of a request into one that describes the state of the guest.
func (g *guestHost) why(ctx context.Context, ch *guest.Channel, limit time.Duration, err error) error {
	switch {
	case err == nil:
		return nil
	case ch.Err() != nil:
		return g.ended(ch)
	case ctx.Err() != nil:
		return g.silent(ch, limit)
	}
	return err
}

// silent is the error of a guest that does not answer.
func (g *guestHost) silent(ch *guest.Channel, limit time.Duration) error {
	heard := "its init is alive, though: what was asked for takes long, or hangs"
	if quiet := ch.Silent(); quiet > 3*guest.BeatEvery {
		heard = fmt.Sprintf("it has given no sign of life for %v: its kernel hangs, or this machine is far too busy",
			quiet.Round(time.Second))
	}
	return goneError{
		fmt.Errorf(
			"guest %s has stopped answering: no answer within %v; %s. If it stays so, end the lab: linerate lab down %s "+
				"(its whole console until then: %s)%s", g.name, limit, heard, filepath.Base(g.dir), g.console, g.lastWords()),
	}
}

// ended is the error of a guest whose machine has ended.
func (g *guestHost) ended(ch *guest.Channel) error {
	why := ""
	if err := ch.Err(); errors.Is(err, errReboots) {
		return goneError{fmt.Errorf("guest %s %w: what ran on it has ended", g.name, err)}
	}
	select {
	case status := <-g.qemu.end:
		g.qemu.end <- status // for the next call
		why = fmt.Sprintf(" (QEMU's exit code is %d)", status.ExitStatus())
		if status.Signaled() {
			why = fmt.Sprintf(" (QEMU was ended by signal %d)", status.Signal())
		}
	case <-time.After(time.Second):
		why = " (" + ch.Err().Error() + ")"
	}
	return goneError{fmt.Errorf("guest %s has ended%s%s", g.name, why, g.lastWords())}
}

// exec is labInit.exec for a guest: the command's streams go over the channel, and are closed when no more data
// arrives.
func (g *guestHost) exec(conn *net.UnixConn, q connect.LabRequest, files []*os.File, say func(connect.LabAnswer)) {
	fail := func(code string, err error) {
		closeFiles(files)
		say(connect.LabAnswer{Code: code, Error: err.Error()})
	}
	ch, err := g.there(say)
	if err == nil && ch.Err() != nil {
		err = g.ended(ch)
	}
	if err != nil {
		fail(connect.LabFailed, err)
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), g.answerLimit)
	defer cancel()
	in := func(over func() bool) io.Reader { return &fileReader{files[0], over} }
	out := &outputs{done: make(chan struct{})}
	r, a, err := ch.Start(ctx, guest.Command{Argv: q.Argv, Env: q.Env, Dir: q.Dir}, in, out.to(files[1]), out.to(files[2]),
		func() {
			files[1].Close()
			files[2].Close()
			close(out.done)
		})
	if err != nil {
		fail(connect.LabFailed, g.why(ctx, ch, g.answerLimit, err))
		return
	}
	if a.Error != "" {
		code := connect.LabFailed
		if a.Code == guest.NoProgram {
			code = connect.LabNoProgram
		}
		fail(code, errors.New(a.Error))
		return
	}
	started(conn, say, r.Kill)
	if a, err = g.wait(ch, r); err != nil {
		if ch.Err() == nil {
			closeFiles(files) // it is mute: no message will close them
		}
		say(connect.LabAnswer{Code: connect.LabFailed, Error: err.Error()})
		return
	}
	out.settle()
	say(connect.LabAnswer{Ended: true, Exit: a.Exit, Signal: a.Signal})
}

// outputDelay bounds the wait at the end of a command for output in transit. Processes that the command leaves behind
// may hold its output forever.
const outputDelay = time.Second

// outputs are the output streams of a command of a guest, which may arrive after its end. They must be written before
// the end is reported.
type outputs struct {
	done  chan struct{} // closed when no more data arrives
	moved atomic.Int64
}

// to returns w with its bytes counted.
func (o *outputs) to(w io.Writer) io.Writer { return countedWriter{w, &o.moved} }

type countedWriter struct {
	w     io.Writer
	moved *atomic.Int64
}

func (c countedWriter) Write(b []byte) (int, error) {
	n, err := c.w.Write(b)
	c.moved.Add(int64(n))
	return n, err
}

// settle waits for the end of the output, or until nothing has arrived for outputDelay.
func (o *outputs) settle() {
	for {
		before := o.moved.Load()
		select {
		case <-o.done:
			return
		case <-time.After(outputDelay):
			if o.moved.Load() == before {
				return
			}
		}
	}
}

// wait waits for the end of a command. A guest without a sign of life for four times the limit of an answer is
// considered dead: its kernel hangs, and QEMU would run forever.
func (g *guestHost) wait(ch *guest.Channel, r *guest.Running) (guest.Answer, error) {
	type end struct {
		a   guest.Answer
		err error
	}
	ended := make(chan end, 1)
	go func() {
		a, err := r.Wait()
		ended <- end{a, err}
	}()
	limit := 4 * g.answerLimit
	tick := time.NewTicker(g.answerLimit / 4)
	defer tick.Stop()
	for {
		select {
		case e := <-ended:
			if e.err != nil {
				e.err = g.ended(ch)
			}
			return e.a, e.err
		case <-tick.C:
			if ch.Silent() > limit {
				r.Kill()
				return guest.Answer{}, g.silent(ch, limit)
			}
		}
	}
}
