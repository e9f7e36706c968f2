package guest

import (
	"encoding/binary"
	"errors"
	"io"
	"sync"
)

// flow is one file of a stream, as seen from one end: the credit for sending, or the received data that is not consumed
// yet. The credit bounds unread data, so that a slow reader blocks only its own command.
type flow struct {
	w      *writer
	stream uint32
	file   byte

	mu     sync.Mutex
	moved  *sync.Cond
	credit int // that may be sent
	queue  [][]byte
	queued int
	ended  bool // no more data will arrive, or may be sent
}

func newFlow(w *writer, stream uint32, file byte) *flow {
	f := &flow{w: w, stream: stream, file: file, credit: unread}
	f.moved = sync.NewCond(&f.mu)
	return f
}

var errTooMuch = errors.New("the other end sent more of a file than it may")

// came receives a frame of data.
func (f *flow) came(b []byte) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.ended {
		return nil // it is no longer wanted
	}
	if f.queued += len(b); f.queued > unread {
		return errTooMuch
	}
	f.queue = append(f.queue, b)
	f.moved.Broadcast()
	return nil
}

// more adds credit.
func (f *flow) more(b []byte) {
	f.mu.Lock()
	f.credit = min(f.credit+int(binary.BigEndian.Uint32(b)&(1<<30-1)), unread)
	f.moved.Broadcast()
	f.mu.Unlock()
}

// end wakes waiting calls. Received data is still delivered.
func (f *flow) end() {
	f.mu.Lock()
	f.ended = true
	f.moved.Broadcast()
	f.mu.Unlock()
}

func (f *flow) over() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.ended
}

// copyOut writes received data to w until its end. If the writer fails, it stops the other end.
func (f *flow) copyOut(w io.Writer) {
	for {
		f.mu.Lock()
		for len(f.queue) == 0 && !f.ended {
			f.moved.Wait()
		}
		if len(f.queue) == 0 {
			f.mu.Unlock()
			return
		}
		b := f.queue[0]
		f.queue = f.queue[1:]
		f.queued -= len(b)
		f.mu.Unlock()
		if _, err := w.Write(b); err != nil {
			f.mu.Lock()
			f.ended, f.queue = true, nil
			f.mu.Unlock()
			f.w.send(kindEnd, f.file, f.stream, nil)
			return
		}
		if f.w.send(kindCredit, f.file, f.stream, binary.BigEndian.AppendUint32(nil, uint32(len(b)))) != nil {
			return
		}
	}
}

// copyIn sends the data of r until its end, or until the other end stops it.
func (f *flow) copyIn(r io.Reader) {
	buf := make([]byte, dataLimit)
	for {
		f.mu.Lock()
		for f.credit == 0 && !f.ended {
			f.moved.Wait()
		}
		room, ended := min(f.credit, len(buf)), f.ended
		f.mu.Unlock()
		if ended {
			return
		}
		n, err := r.Read(buf[:room])
		if n > 0 {
			f.mu.Lock()
			f.credit -= n
			f.mu.Unlock()
			if f.w.send(kindData, f.file, f.stream, buf[:n]) != nil {
				return
			}
		}
		if err != nil {
			f.w.send(kindEnd, f.file, f.stream, nil)
			return
		}
	}
}
