package agent

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"

	"linerate/internal/traffic"
)

// Kinds of frames.
const (
	kindHello   = "hello"
	kindBeat    = "beat"
	kindClock   = "clock"
	kindFacts   = "facts"
	kindProbe   = "probe"
	kindNeeds   = "needs" // what a run wants of the host, beside the capture
	kindProgram = "program"
	kindPrepare = "prepare"
	kindJoin    = "join"
	kindStart   = "start"
	kindStop    = "stop"
	kindBye     = "bye"
	kindReady   = "ready"
	kindSample  = "sample"
	kindResult  = "result"
	kindWarning = "warning"
	kindError   = "error"

	kindApp      = "app"      // run a command, or watch the host while another host's runs
	kindLaunch   = "launch"   // to the controller: mpirun wants a daemon on another host
	kindSpawn    = "spawn"    // start that daemon
	kindLaunched = "launched" // how it ended, to the agent that asked
	kindFinish   = "finish"   // end a command or a watch, and tell its outcome
	// Storage: prepare and answer twice, begin, end; to the controller: all that was asked for is answered.
	kindBlock, kindBlockStart, kindBlockEnd, kindHome = "block", "block-start", "block-end", "home"
	kindServe                                         = "serve" // make a file and give it out
	// Protocols of storage: which there are, give out, attach.
	kindStorage, kindGive, kindAttach = "storage", "give", "attach"
	// Copies: an end, a folder that is given out, the copying itself.
	kindCopyEnd, kindShare, kindCopy = "copy-end", "share", "copy"
)

// frame is one message of the protocol.
type frame struct {
	ID   uint64          `json:"id"`
	Kind string          `json:"kind"`
	Body json.RawMessage `json:"body,omitempty"`
}

const lengthSize = 4

// readFrame reads one frame. io.EOF means that the other end closed between two frames. The length is held against
// the limit before anything is allocated.
func readFrame(r io.Reader) (frame, error) {
	var head [lengthSize]byte
	if _, err := io.ReadFull(r, head[:]); err != nil {
		if errors.Is(err, io.ErrUnexpectedEOF) {
			return frame{}, fmt.Errorf("the other end closed in the middle of a frame: %w", err)
		}
		return frame{}, err
	}
	n := binary.BigEndian.Uint32(head[:])
	if err := limits().frame.check(int64(n)); err != nil {
		if looksLikeText(head[:]) {
			return frame{}, fmt.Errorf("the other end does not speak the agent's protocol, it wrote %q; a login script that prints may be the cause", head[:])
		}
		return frame{}, err
	}
	b := make([]byte, n)
	if _, err := io.ReadFull(r, b); err != nil {
		return frame{}, fmt.Errorf("the other end closed in the middle of a frame: %w", io.ErrUnexpectedEOF)
	}
	return parseFrame(b)
}

// parseFrame decodes the JSON object of a frame.
func parseFrame(b []byte) (frame, error) {
	var f frame
	if err := decode(b, &f); err != nil {
		return frame{}, fmt.Errorf("frame: %w", err)
	}
	if f.Kind == "" {
		return frame{}, errors.New("frame: it has no kind")
	}
	return f, nil
}

// encodeFrame is the bytes of a frame. Its body is encoded once: of samples there are many.
func encodeFrame(id uint64, kind string, body any) ([]byte, error) {
	var raw []byte
	var err error
	switch body := body.(type) {
	case nil:
	case samples:
		raw = body.append(nil)
	default:
		if raw, err = json.Marshal(body); err != nil {
			return nil, fmt.Errorf("%s: %w", kind, err)
		}
	}
	b := make([]byte, lengthSize, lengthSize+len(raw)+64)
	b = strconv.AppendUint(append(b, `{"id":`...), id, 10)
	b = appendText(append(b, `,"kind":`...), kind)
	if raw != nil {
		b = append(append(b, `,"body":`...), raw...)
	}
	b = append(b, '}')
	if err := limits().frame.check(int64(len(b) - lengthSize)); err != nil {
		return nil, fmt.Errorf("%s: %w", kind, err)
	}
	binary.BigEndian.PutUint32(b, uint32(len(b)-lengthSize))
	return b, nil
}

// decode decodes one JSON value of a known type; unknown keys and anything after it are refused.
func decode(b []byte, into any) error {
	d := json.NewDecoder(bytes.NewReader(b))
	d.DisallowUnknownFields()
	if err := d.Decode(into); err != nil {
		return &traffic.Error{Code: traffic.CodeInput, Text: "bad JSON: " + err.Error()}
	}
	if _, err := d.Token(); err != io.EOF {
		return &traffic.Error{Code: traffic.CodeInput, Text: "bad JSON: there is something after its end"}
	}
	return nil
}

func looksLikeText(b []byte) bool {
	for _, c := range b {
		if c != '\n' && c != '\r' && c != '\t' && (c < ' ' || c > '~') {
			return false
		}
	}
	return true
}
