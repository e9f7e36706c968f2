package agent

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"

	"linerate/internal/base/failure"
)

// Kinds of frames.
const (
	kindHello   = "hello"
	kindBeat    = "beat"
	kindClock   = "clock"
	kindFacts   = "facts"
	kindProbe   = "probe"
	kindNeeds   = "needs" // what a run needs of the host, in addition to the snapshot
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

	kindApp      = "app"      // run a command, or watch the host while another host's command runs
	kindLaunch   = "launch"   // to the controller: mpirun starts a daemon on another host
	kindSpawn    = "spawn"    // start that daemon
	kindLaunched = "launched" // how it ended, to the agent that has sent the launch
	kindFinish   = "finish"   // end a command or a watch, which sends its outcome

	kindBlock      = "block" // prepare a job of storage; answered when it is ready, and with its outcome
	kindBlockStart = "block-start"
	kindBlockEnd   = "block-end"
	kindHome       = "home"    // to the controller: all requests of the job are answered
	kindServe      = "serve"   // make a file and export it over NVMe/TCP
	kindStorage    = "storage" // the ways of a storage protocol
	kindGive       = "give"    // export storage
	kindAttach     = "attach"

	kindCopyEnd = "copy-end" // an end of a copy
	kindShare   = "share"    // share an end's folder
	kindCopy    = "copy"
)

// frame is one message of the protocol.
type frame struct {
	ID   uint64          `json:"id"`
	Kind string          `json:"kind"`
	Body json.RawMessage `json:"body,omitempty"`
}

const lengthSize = 4

// readFrame reads one frame. io.EOF means that the other end closed between two frames. The length is compared with the
// limit before anything is allocated.
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
			return frame{}, fmt.Errorf("the other end does not speak the agent's protocol, it wrote %q; a login script that "+
				"prints may be the cause", head[:])
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

// encodeFrame is the bytes of a frame. Its body is encoded only once, as there are many samples.
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

// decode decodes one JSON value of a known type. It refuses unknown keys and anything after the value.
func decode(b []byte, into any) error {
	d := json.NewDecoder(bytes.NewReader(b))
	d.DisallowUnknownFields()
	if err := d.Decode(into); err != nil {
		return failure.Errorf(failure.CodeInput, "", "bad JSON: %v", err)
	}
	if _, err := d.Token(); err != io.EOF {
		return &failure.Error{Code: failure.CodeInput, Text: "bad JSON: there is something after its end"}
	}
	return nil
}

func looksLikeText(b []byte) bool {
	return !slices.ContainsFunc(b, func(c byte) bool {
		return c != '\n' && c != '\r' && c != '\t' && (c < ' ' || c > '~')
	})
}
