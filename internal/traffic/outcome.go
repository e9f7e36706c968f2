package traffic

import (
	"linerate/internal/base/unit"
	"linerate/internal/record"
)

// Sample is one value of one connection while an experiment runs.
type Sample struct {
	Stream int     `json:"stream"` // -1: the whole end
	TimeNS int64   `json:"time_ns"`
	Metric string  `json:"metric"`
	Value  float64 `json:"value"`
	Unit   string  `json:"unit"`
}

// Outcome is what one end saw of an experiment. Stamps are on that end's clock.
type Outcome struct {
	OpenNS    int64                 `json:"open_ns"` // planned window
	CloseNS   int64                 `json:"close_ns"`
	StartNS   int64                 `json:"start_ns"` // window as cut at reads; equal to the planned one where this end receives nothing
	EndNS     int64                 `json:"end_ns"`
	Goodput   float64               `json:"goodput"` // received here, bits per second
	Streams   []StreamEnd           `json:"streams"`
	Slice     float64               `json:"slice"`            // seconds
	Series    []float64             `json:"series,omitempty"` // received here, bits per second
	CPU       CPU                   `json:"cpu"`
	Busy      []float64             `json:"busy,omitempty"`    // cores of this end's host in use in each slice, whatever for
	Retrans   []int64               `json:"retrans,omitempty"` // segments that this end sent again, by the slice in which it was noticed; nil: unknown
	Work      Work                  `json:"work,omitzero"`
	Unknown   []record.Unknown      `json:"unknown,omitempty"` // of this end's host
	Trips     int64                 `json:"trips,omitempty"`
	Histogram string                `json:"histogram,omitempty"` // as record.Latency
	Size      unit.Bytes            `json:"size"`                // of a message
	Open      *OpenLoop             `json:"open,omitempty"`      // of ping with every, at the end that asks
	Clock     *record.Clock         `json:"clock,omitempty"`     // of ping's end that asks
	PathMTU   *record.PathMTU       `json:"path_mtu,omitempty"`  // of ping over ICMP, if it was asked for
	InEffect  InEffect              `json:"in_effect,omitzero"`
	Strangers int                   `json:"strangers"` // connections refused at the data port
	Warnings  []string              `json:"warnings,omitempty"`
	FirstNS   int64                 `json:"first_ns,omitempty"` // stamp of the first byte that was received here, 0: none
	Head      []Mark                `json:"head,omitempty"`     // reads at the window's two edges, see Between
	Foot      []Mark                `json:"foot,omitempty"`
	Backlog   int64                 `json:"backlog,omitempty"`   // bytes less held at the end of the window than at its start
	Verbs     *VerbsSeen            `json:"verbs,omitempty"`     // of verbs
	Halo      *HaloSeen             `json:"halo,omitempty"`      // of halo
	Link      *LinkCount            `json:"link,omitempty"`      // of a watch beside another program; nil: no interface of this host is planned
	Drives    []record.DriveCount   `json:"drives,omitempty"`    // of such a watch: those that were asked for
	Processes []record.ProcessCount `json:"processes,omitempty"` // of such a watch, where they were asked for
}

// StreamEnd is one end of one connection.
type StreamEnd struct {
	Index     int            `json:"index"`
	Direction string         `json:"direction"`
	Active    bool           `json:"active"`
	Goodput   float64        `json:"goodput"` // received in the window, bits per second
	Sent      int64          `json:"sent"`    // bytes from the first to the last
	Received  int64          `json:"received"`
	Drained   bool           `json:"drained"` // both ends came to the end of the stream: sent here = received there
	Socket    *record.Socket `json:"socket,omitempty"`
	UDP       *Datagrams     `json:"udp,omitempty"`   // nil over TCP
	Trips     *record.Trips  `json:"trips,omitempty"` // of ping's active end
}

// setTrips puts the round trips of all connections into the outcome, and of each into its own end, if there were any.
func (o *Outcome) setTrips(tasks []*task) error {
	all := NewHistogram()
	for i, t := range tasks {
		if t.trips == nil {
			continue
		}
		all.Merge(t.trips)
		o.Streams[i].Trips = t.trips.trips()
	}
	var err error
	if o.Open, err = openOutcome(tasks); err != nil {
		return err
	}
	if o.Trips = all.Count(); o.Trips == 0 {
		return nil
	}
	text, err := all.Encode()
	if err != nil {
		return &Error{Code: CodeInternal, Subject: "ping", Text: err.Error()}
	}
	o.Histogram = text
	return nil
}
