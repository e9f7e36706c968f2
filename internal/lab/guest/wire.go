package guest

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"
)

// The channel between a guest's init and the lab is one byte stream of frames in each direction: a header of 10 bytes
// (kind, file, stream and length, big-endian), then the body. A stream is one request with everything that belongs to
// it; its three files are a command's standard streams.
const (
	kindRequest = 'R' // lab to guest: a request
	kindAnswer  = 'A' // guest to lab: an answer to a stream's request
	kindData    = 'D' // bytes of one file of a stream
	kindEnd     = 'E' // no more bytes of the file follow, or are wanted
	kindCredit  = 'C' // so many more bytes of the file may be sent: 4 bytes
	kindKill    = 'K' // lab to guest: end the stream's command
	kindHello   = 'H' // guest to lab: the init is ready
	kindBeat    = 'B' // both directions, without an answer
	kindLeave   = 'L' // guest to lab: it shuts down and accepts nothing new
)

const (
	headSize   = 10
	frameLimit = 4 << 20   // of a request or an answer: an environment and a command line fit
	dataLimit  = 32 << 10  // of one frame of data, so that no stream blocks others for long
	unread     = 256 << 10 // of one file: sent and not consumed yet
)

type frame struct {
	kind   byte
	file   byte
	stream uint32
	body   []byte
}

func readFrame(r io.Reader) (f frame, err error) {
	var head [headSize]byte
	if _, err := io.ReadFull(r, head[:]); err != nil {
		return f, err
	}
	f.kind, f.file, f.stream = head[0], head[1], binary.BigEndian.Uint32(head[2:])
	n := binary.BigEndian.Uint32(head[6:])
	limit := uint32(frameLimit)
	switch f.kind {
	case kindRequest, kindAnswer, kindHello:
	case kindData:
		limit = dataLimit
	case kindCredit:
		limit = 4
	case kindEnd, kindKill, kindBeat, kindLeave:
		limit = 0
	default:
		return f, fmt.Errorf("a frame of the unknown kind %q", f.kind)
	}
	if n > limit {
		return f, fmt.Errorf("a frame of kind %q with %d bytes; at most %d", f.kind, n, limit)
	}
	if f.file > 2 {
		return f, fmt.Errorf("a frame for file %d of a command, which has 0, 1 and 2", f.file)
	}
	f.body = make([]byte, n)
	if _, err := io.ReadFull(r, f.body); err != nil {
		return f, fmt.Errorf("a frame cut short: %w", err)
	}
	if f.kind == kindCredit && n != 4 {
		return f, errors.New("a credit that is not a number")
	}
	return f, nil
}

// writer writes whole frames, one at a time.
type writer struct {
	mu sync.Mutex
	w  io.Writer
}

// writeTimeout bounds a write during which the other end accepts no bytes, where the stream has deadlines.
const writeTimeout = 20 * time.Second

func (w *writer) send(kind, file byte, stream uint32, body []byte) error {
	b := make([]byte, headSize, headSize+len(body))
	b[0], b[1] = kind, file
	binary.BigEndian.PutUint32(b[2:], stream)
	binary.BigEndian.PutUint32(b[6:], uint32(len(body)))
	b = append(b, body...)
	w.mu.Lock()
	defer w.mu.Unlock()
	if d, ok := w.w.(interface{ SetWriteDeadline(time.Time) error }); ok {
		d.SetWriteDeadline(time.Now().Add(writeTimeout))
	}
	_, err := w.w.Write(b)
	return err
}

func (w *writer) sendJSON(kind byte, stream uint32, v any) error {
	b, err := json.Marshal(v)
	if err != nil {
		return err
	}
	if len(b) > frameLimit {
		return fmt.Errorf("a message of %d bytes is longer than the limit of %d", len(b), frameLimit)
	}
	return w.send(kind, 0, stream, b)
}

// Request is the body of a request.
type Request struct {
	Op   string          `json:"op"` // OpExec, or one that the guest's owner knows
	Body json.RawMessage `json:"body,omitempty"`
}

// OpExec starts a command; its body is a Command.
const OpExec = "exec"

// Command is a command for a guest. Arguments are bytes, because they need not be UTF-8.
type Command struct {
	Argv [][]byte `json:"argv"`
	Env  [][]byte `json:"env,omitempty"`
	Dir  []byte   `json:"dir,omitempty"`
}

// Answer is the body of an answer. A command gets two answers: Started, then Ended.
type Answer struct {
	Code    string          `json:"code,omitempty"`
	Error   string          `json:"error,omitempty"`
	Started bool            `json:"started,omitempty"`
	Ended   bool            `json:"ended,omitempty"`
	Exit    int             `json:"exit,omitempty"`
	Signal  int             `json:"signal,omitempty"`
	Body    json.RawMessage `json:"body,omitempty"`
}

// NoProgram is the code of an answer to a command whose program the guest does not have.
const NoProgram = "no-program"
