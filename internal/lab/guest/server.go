package guest

import (
	"encoding/json"
	"errors"
	"io"
	"os"
	"sync"
	"time"
)

// Handler executes the requests to a guest.
type Handler interface {
	// Handle answers a request with one answer.
	Handle(op string, body json.RawMessage) (any, error)
	// Start starts a command with the three files as its standard streams. An error that is os.ErrNotExist says that
	// there is no such program.
	Start(q Command, files []*os.File) (Process, error)
}

// Process is a command that runs in the guest.
type Process interface {
	Wait() (exit, signal int)
	Kill()
}

// server is the guest's end of the channel.
type server struct {
	w writer
	h Handler

	mu      sync.Mutex
	streams map[uint32]*served
}

type served struct {
	flows [3]*flow
	proc  Process
	ended bool
	kill  bool // requested before the process started
}

// leaveTime is the time for running commands to end when a guest shuts down.
const leaveTime = 3 * time.Second

// ErrLeft is the end of Serve after leave.
var ErrLeft = errors.New("the system goes down")

// Serve answers the lab until rw fails. Once leave is closed it reports the shutdown, and returns ErrLeft when no
// command is left, or after leaveTime. A nil leave is never closed.
func Serve(rw io.ReadWriter, h Handler, leave <-chan struct{}) error {
	s := &server{w: writer{w: rw}, h: h, streams: map[uint32]*served{}}
	if err := s.w.send(kindHello, 0, 0, nil); err != nil {
		return err
	}
	stop := make(chan struct{})
	defer close(stop)
	go func() {
		t := time.NewTicker(BeatEvery)
		defer t.Stop()
		for {
			select {
			case <-stop:
				return
			case <-t.C:
				s.w.send(kindBeat, 0, 0, nil)
			}
		}
	}()
	failed := make(chan error, 1)
	go func() {
		for {
			f, err := readFrame(rw)
			if err == nil {
				err = s.take(f)
			}
			if err != nil {
				failed <- err
				return
			}
		}
	}()
	select {
	case err := <-failed:
		return err
	case <-leave:
	}
	s.w.send(kindLeave, 0, 0, nil)
	for end := time.Now().Add(leaveTime); time.Now().Before(end) && s.busy(); {
		time.Sleep(10 * time.Millisecond)
	}
	return ErrLeft
}

// busy reports whether anything runs.
func (s *server) busy() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.streams) > 0
}

func (s *server) take(f frame) error {
	if f.kind == kindRequest {
		var q Request
		if err := json.Unmarshal(f.body, &q); err != nil {
			return err
		}
		st := &served{}
		for i := range st.flows {
			st.flows[i] = newFlow(&s.w, f.stream, byte(i))
		}
		s.mu.Lock()
		s.streams[f.stream] = st
		s.mu.Unlock()
		go s.answer(f.stream, st, q)
		return nil
	}
	s.mu.Lock()
	st := s.streams[f.stream]
	s.mu.Unlock()
	if st == nil {
		return nil // it has ended
	}
	switch f.kind {
	case kindData:
		return st.flows[f.file].came(f.body)
	case kindEnd:
		st.flows[f.file].end()
	case kindCredit:
		st.flows[f.file].more(f.body)
	case kindKill:
		s.mu.Lock()
		st.kill = true
		p := st.proc
		if st.ended {
			p = nil
		}
		s.mu.Unlock()
		if p != nil {
			p.Kill()
		}
	}
	return nil
}

func (s *server) drop(id uint32) {
	s.mu.Lock()
	delete(s.streams, id)
	s.mu.Unlock()
}

func (s *server) answer(id uint32, st *served, q Request) {
	if q.Op == OpExec {
		s.exec(id, st, q.Body)
		return
	}
	defer s.drop(id)
	out, err := s.h.Handle(q.Op, q.Body)
	a := Answer{}
	if err == nil {
		a.Body, err = json.Marshal(out)
	}
	if err != nil {
		a = Answer{Error: err.Error()}
	}
	s.w.sendJSON(kindAnswer, id, a)
}

// exec starts a command with pipes as its streams.
func (s *server) exec(id uint32, st *served, body json.RawMessage) {
	refuse := func(err error) {
		s.drop(id)
		a := Answer{Error: err.Error()}
		if errors.Is(err, os.ErrNotExist) {
			a.Code = NoProgram
		}
		s.w.sendJSON(kindAnswer, id, a)
	}
	var q Command
	if err := json.Unmarshal(body, &q); err != nil {
		refuse(err)
		return
	}
	if len(q.Argv) == 0 {
		refuse(errors.New("the command is empty"))
		return
	}
	var theirs, ours [3]*os.File
	for i := range theirs {
		r, w, err := os.Pipe()
		if err != nil {
			closeFiles(theirs[:i])
			closeFiles(ours[:i])
			refuse(err)
			return
		}
		if theirs[i], ours[i] = w, r; i == 0 {
			theirs[i], ours[i] = r, w
		}
	}
	p, err := s.h.Start(q, theirs[:])
	closeFiles(theirs[:])
	if err != nil {
		closeFiles(ours[:])
		refuse(err)
		return
	}
	s.mu.Lock()
	st.proc = p
	kill := st.kill
	s.mu.Unlock()
	if kill {
		p.Kill()
	}
	s.w.sendJSON(kindAnswer, id, Answer{Started: true})
	go func() {
		st.flows[0].copyOut(ours[0])
		ours[0].Close()
	}()
	var outputs sync.WaitGroup
	for i := 1; i <= 2; i++ {
		outputs.Add(1)
		go func() {
			defer outputs.Done()
			st.flows[i].copyIn(ours[i])
			ours[i].Close()
		}()
	}
	exit, signal := p.Wait()
	s.mu.Lock()
	st.ended = true
	s.mu.Unlock()
	st.flows[0].end()
	s.w.sendJSON(kindAnswer, id, Answer{Ended: true, Exit: exit, Signal: signal})
	outputs.Wait()
	s.drop(id)
}

func closeFiles(files []*os.File) {
	for _, f := range files {
		f.Close()
	}
}
