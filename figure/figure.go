package figure

import (
	"errors"
	"strings"

	"linerate/unit"
)

// Figure is one result of a tool, as its output says it.
type Figure struct {
	Tool      string         `json:"tool"`                // "iperf3"
	Version   string         `json:"version,omitempty"`   // empty: the output does not say
	Transport string         `json:"transport,omitempty"` // tcp or udp; empty: the output does not say
	Rate      unit.BitRate   `json:"bits_per_second"`     // of payload, all streams together, as received where the output says that
	Streams   []unit.BitRate `json:"streams,omitempty"`   // each by itself
	Seconds   float64        `json:"seconds,omitempty"`
	Line      string         `json:"line"` // in which the rate stands
	// Retransmits are segments that were sent again.
	Retransmits unit.Opt[int64] `json:"retransmits"`
	// SenderCPU and ReceiverCPU are what the tool's processes used, in cores.
	SenderCPU   unit.Opt[float64] `json:"sender_cores"`
	ReceiverCPU unit.Opt[float64] `json:"receiver_cores"`
	// OneThread says whether the tool has one thread for all of its streams.
	OneThread unit.Opt[bool] `json:"one_thread"`
}

// reader is a tool whose output is known.
type reader struct {
	tool string
	read func(text string) (Figure, error)
}

// readers are the tools, by the flag that names each.
var readers = []reader{
	{"iperf3", readIPerf3},
}

// Tools are those whose outputs are read.
func Tools() (out []string) {
	for _, r := range readers {
		out = append(out, r.tool)
	}
	return out
}

// most is the longest output that is read, in bytes.
const most = 16 << 20

// Read reads the output of a tool. An error says what the text lacks.
func Read(tool string, text []byte) (Figure, error) {
	if len(text) > most {
		return Figure{}, errors.New("it is longer than 16 MiB; keep the output of one measurement")
	}
	for _, r := range readers {
		if r.tool == tool {
			f, err := r.read(strings.ToValidUTF8(string(text), "?"))
			f.Tool = tool
			return f, err
		}
	}
	return Figure{}, errors.New(tool + " is no tool whose output is read; those are " + strings.Join(Tools(), ", "))
}
