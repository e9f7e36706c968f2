package connect

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/netip"
	"time"
)

// A lab is one process, its init, which serves a Unix socket in the lab's own folder. Each message is a frame:
// 4 bytes big-endian length, then one JSON object. The first frame of a connection is a LabRequest; for exec, the
// three standard streams of the command travel with its first byte as SCM_RIGHTS.

// LabFrameLimit is the largest frame in bytes: a command line and an environment fit into it (Linux allows 2 MiB of
// both).
const LabFrameLimit = 4 << 20

// LabSchema names the form of a lab's state file.
const LabSchema = "linerate/lab/1"

// The names of the files in a lab's folder.
const (
	LabStateFile  = "state.json"
	LabSocketFile = "socket"
)

// LabProcess identifies a process even if its process id is used again.
type LabProcess struct {
	PID   int    `json:"pid"`
	Start uint64 `json:"start"` // field 22 of /proc/PID/stat: clock ticks since boot
}

// LabState is a lab's state file: FOLDER/ID/state.json. It is written before anything else of the lab exists.
type LabState struct {
	Schema     string          `json:"schema"`
	ID         string          `json:"id"`
	Fabric     string          `json:"fabric"`
	Token      string          `json:"token"` // required in the first request
	Boot       string          `json:"boot"`  // /proc/sys/kernel/random/boot_id
	Created    time.Time       `json:"created"`
	Detached   bool            `json:"detached"` // stays until down; otherwise it ends with its controller
	Ready      bool            `json:"ready"`
	Init       LabProcess      `json:"init"`
	Controller LabProcess      `json:"controller"`
	Hosts      []string        `json:"hosts"`
	Guests     []string        `json:"guests,omitempty"` // the hosts that are guests
	Info       json.RawMessage `json:"info,omitempty"`   // lab.Info
}

// LabRequest is the first frame on a connection to a lab's init. Arguments are bytes, because they need not be UTF-8.
type LabRequest struct {
	Token  string     `json:"token"`
	Op     string     `json:"op"` // exec, status, down, mtu, reboot, volume
	Host   string     `json:"host,omitempty"`
	Argv   [][]byte   `json:"argv,omitempty"`
	Env    [][]byte   `json:"env,omitempty"`   // the whole environment
	Dir    []byte     `json:"dir,omitempty"`   // the working directory, "/" if it does not exist
	Links  []string   `json:"links,omitempty"` // of mtu: names of the plan's links
	MTU    int        `json:"mtu,omitempty"`
	Volume *LabVolume `json:"volume,omitempty"`
}

// LabVolume is a volume over several hosts for a lab to make.
type LabVolume struct {
	Name   string            `json:"name"`
	Nodes  []LabVolumeNode   `json:"nodes"`  // with the bricks
	NextTo map[string]string `json:"beside"` // hosts that share the mount of a node: virtual machines on it
	Room   int64             `json:"room"`   // bytes that each node has for bricks, in memory
}

// LabVolumeNode is a host with bricks.
type LabVolumeNode struct {
	Host    string     `json:"host"`
	Address netip.Addr `json:"address"` // for the other nodes
}

// LabKill is the only frame that follows a request: it ends the command of an exec.
type LabKill struct {
	Kill bool `json:"kill"`
}

// The codes of a LabAnswer's error.
const (
	LabNoProgram = "no-program"
	LabNoHost    = "no-host"
	LabDenied    = "denied"
	LabFailed    = "failed"
)

// LabAnswer is an answer of a lab's init. An exec gets two answers: Started, then Ended.
type LabAnswer struct {
	Code    string   `json:"code,omitempty"`
	Error   string   `json:"error,omitempty"`
	Started bool     `json:"started,omitempty"`
	Ended   bool     `json:"ended,omitempty"`
	Exit    int      `json:"exit,omitempty"`
	Signal  int      `json:"signal,omitempty"` // the command died by it
	Hosts   []string `json:"hosts,omitempty"`
	// Switches are names of switches, in which commands run as in hosts.
	Switches []string `json:"switches,omitempty"`
	// Waiting is the reason why the answer takes long. Another answer follows.
	Waiting string          `json:"waiting,omitempty"`
	Body    json.RawMessage `json:"body,omitempty"` // of reboot
}

// WriteLabFrame writes one frame.
func WriteLabFrame(w io.Writer, v any) error {
	frame, err := labFrame(v)
	if err != nil {
		return err
	}
	_, err = w.Write(frame)
	return err
}

func labFrame(v any) ([]byte, error) {
	body, err := json.Marshal(v)
	if err != nil {
		return nil, err
	}
	if len(body) > LabFrameLimit {
		return nil, fmt.Errorf(
			"a message of %d bytes is longer than the lab's limit of %d: shorten the arguments or the environment", len(body),
			LabFrameLimit)
	}
	return append(binary.BigEndian.AppendUint32(make([]byte, 0, len(body)+4), uint32(len(body))), body...), nil
}

// ReadLabFrame reads one frame into v. Unknown keys, further values and frames above LabFrameLimit are errors; the
// end of the stream between frames is io.EOF.
func ReadLabFrame(r io.Reader, v any) error {
	var head [4]byte
	if _, err := io.ReadFull(r, head[:]); err != nil {
		return err
	}
	return ReadLabBody(r, head, v)
}

// ReadLabBody reads the rest of a frame whose length has been read already.
func ReadLabBody(r io.Reader, head [4]byte, v any) error {
	n := binary.BigEndian.Uint32(head[:])
	if n > LabFrameLimit {
		return fmt.Errorf("a frame of %d bytes is longer than the lab's limit of %d", n, LabFrameLimit)
	}
	// The buffer grows with the data, so that a length alone costs no memory.
	var body bytes.Buffer
	if _, err := io.CopyN(&body, r, int64(n)); err != nil {
		if errors.Is(err, io.EOF) {
			err = io.ErrUnexpectedEOF
		}
		return err
	}
	d := json.NewDecoder(&body)
	d.DisallowUnknownFields()
	if err := d.Decode(v); err != nil {
		return fmt.Errorf("frame: %w", err)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return errors.New("frame: more than one value")
	}
	return nil
}
