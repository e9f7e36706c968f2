package record

import (
	"time"
)

// CPU is the use of one core of a host by kind, over the steady interval, as the median of the repeats. Core -1 is the
// measuring process itself.
type CPU struct {
	Host    string  `json:"host"`
	Core    int     `json:"core"`
	User    float64 `json:"user"`
	System  float64 `json:"system"`
	SoftIRQ float64 `json:"softirq"`
	IRQ     float64 `json:"irq"`
	Steal   float64 `json:"steal"`
	Idle    float64 `json:"idle"`
	// Own is the share of the core used by the measuring process's threads. It includes softirq work in their system
	// calls, unless the kernel accounts interrupts separately. Nil: not known, as for all fields below.
	Own       *float64 `json:"own,omitempty"`
	Packets   *float64 `json:"packets,omitempty"`   // per second, taken by its softirq from its backlog queue
	Dropped   *int64   `json:"dropped,omitempty"`   // packets dropped because this queue was full
	Squeezed  *int64   `json:"squeezed,omitempty"`  // times that the softirq stopped with work left
	HzBefore  *float64 `json:"hz_before,omitempty"` // clock rate at the interval's start and end, Hz
	Hz        *float64 `json:"hz,omitempty"`
	BaseHz    *float64 `json:"base_hz,omitempty"`   // nominal clock rate, else the highest
	Throttled *int64   `json:"throttled,omitempty"` // times that heat throttled it
	// Threads are the threads of core -1, the busiest first.
	Threads []Thread `json:"threads,omitempty"`
}

// Busy is the share of time in which the core did any work, without steal.
func (c CPU) Busy() float64 { return c.User + c.System + c.SoftIRQ + c.IRQ }

// Repeat is one repetition.
type Repeat struct {
	Index      int       `json:"index"`
	Start      time.Time `json:"start"`           // of the steady interval, on the controller's clock
	Seconds    float64   `json:"seconds"`         // of the steady interval; of an amount, from the start to the last byte
	Bytes      int64     `json:"bytes,omitempty"` // of an amount: all that was received
	Goodput    float64   `json:"goodput"`         // bits per second at the receivers, steady interval; 0 for ping
	Forward    float64   `json:"goodput_out"`     // From -> To
	Backward   float64   `json:"goodput_in"`
	RTTSamples int64     `json:"trips,omitempty"` // round trips of ping
	P50        float64   `json:"p50,omitempty"`
	// The fields of the experiment with the same names are computed from these.
	Open    *OpenRepeat `json:"open,omitempty"`
	Load    *LoadRepeat `json:"load,omitempty"`
	Verbs   *Verbs      `json:"rdma,omitempty"`
	Halo    *Halo       `json:"halo,omitempty"`
	App     *App        `json:"command,omitempty"`
	Block   *Block      `json:"storage,omitempty"`
	Copy    *Copy       `json:"copy,omitempty"`
	PathMTU *PathMTU    `json:"path_mtu,omitempty"`
	Clocks  []Clock     `json:"clocks,omitempty"`
	// Histogram is that of the round trips: HdrHistogram V2, compressed, base64; nanoseconds.
	Histogram      string   `json:"histogram,omitempty"`
	Streams        []Stream `json:"streams,omitempty"`
	CPU            []CPU    `json:"cpu,omitempty"`
	OtherProcesses float64  `json:"foreign"`          // cores in use by other processes, both ends
	Steal          float64  `json:"stolen,omitempty"` // cores that a hypervisor gave to other guests, both ends
	Noisy          bool     `json:"noisy,omitempty"`  // the figure is unreliable because of other processes or steal
	Warnings       []string `json:"warnings,omitempty"`
	// InEffect has the settings in effect at both ends in this repeat. The experiment's InEffect is made of it.
	InEffect map[string]string `json:"in_effect,omitempty"`
	// Flows are the flows of a group in the interval that all share. Skew is the time from the earliest to the latest
	// first byte, in seconds.
	Flows []FlowRepeat `json:"flows,omitempty"`
	Skew  float64      `json:"skew,omitempty"`
	// SeriesOut and SeriesIn are goodput over time for the chart: bits per second in slices of Slice seconds.
	Slice     float64   `json:"slice,omitempty"`
	SeriesOut []float64 `json:"series_out,omitempty"`
	SeriesIn  []float64 `json:"series_in,omitempty"`
	// BusyFrom and BusyTo are the cores in use on the two hosts in the same slices, by any process; nil: unknown.
	BusyFrom []float64 `json:"busy_from,omitempty"`
	BusyTo   []float64 `json:"busy_to,omitempty"`
	// RetransOut and RetransIn are the segments that from and to retransmitted, in the slice in which it was noticed; nil:
	// unknown.
	RetransOut []int64   `json:"retrans_out,omitempty"`
	RetransIn  []int64   `json:"retrans_in,omitempty"`
	PerCPU     *PerCPU   `json:"per_processor_second,omitempty"`
	Unknown    []Unknown `json:"unknown,omitempty"` // about the hosts' CPUs and counters, with the reason
}

// Stream is one connection of a repeat: the receiver's count, and the kernel's figures of the sender's socket over the
// steady interval.
type Stream struct {
	Index      int         `json:"index"`
	Direction  string      `json:"direction"`      // out or in
	Flow       int         `json:"flow,omitempty"` // in a group: the number of its flow
	Goodput    float64     `json:"goodput"`
	Socket     *Socket     `json:"socket,omitempty"`   // of the sender
	Receiver   *Socket     `json:"receiver,omitempty"` // of the receiver
	RTTSamples *RTTSamples `json:"trips,omitempty"`    // of ping
	// Sent and Received are the payload at the two ends, from the first byte to the last, warm-up included. They differ by
	// what was in flight at the end and by losses. 0: not known (older records).
	Sent     int64 `json:"sent,omitempty"`
	Received int64 `json:"received,omitempty"`
	// Packets is the number of packets of RDMA WRITE over InfiniBand or RoCE, computed from the path MTU, without
	// retransmits; nil: not known.
	Packets *int64 `json:"packets,omitempty"`
	UDP
}

// UDP counts the datagrams that a sender sent in its interval, for one stream or for all repeats of an experiment. Nil
// fields are not known.
type UDP struct {
	Datagrams *int64 `json:"datagrams,omitempty"` // passed to the sender's kernel; of ping: requests
	// Lost are the Datagrams that did not arrive before the end of the experiment; of ping: that were not answered in
	// time.
	Lost       *int64   `json:"lost,omitempty"`
	Reordered  *int64   `json:"reordered,omitempty"`  // received after one that was sent later
	Duplicated *int64   `json:"duplicated,omitempty"` // received a second time
	Jitter     *float64 `json:"jitter,omitempty"`     // RFC 3550, seconds; of an experiment: median over its streams
	// The fields below cover the whole time, warm-up included, from the first datagram to the end of the experiment.
	Total   *int64   `json:"total,omitempty"`   // datagrams handed to the sender's kernel; nil in older records
	Missing *int64   `json:"missing,omitempty"` // of these, not delivered to the receiving socket
	Drops   *int64   `json:"drops,omitempty"`   // by a full receiving socket, in buffers as the kernel counts them
	Merged  *float64 `json:"merged,omitempty"`  // mean number of datagrams in one such buffer
	// Gaps is the number of runs of missing datagrams that end with a received one.
	Gaps *int64 `json:"gaps,omitempty"`
	// Scatter is the squared coefficient of variation of the distance between gaps, in datagrams; nil: fewer than 20.
	Scatter *float64 `json:"scatter,omitempty"`
}

// Socket is TCP_INFO and SO_MEMINFO of one socket. Counters are the growth over the steady interval, everything else is
// the last value in it. Nil is unknown.
type Socket struct {
	Local, Remote string   `json:"-"`
	BusySeconds   *float64 `json:"busy,omitempty"`
	RwndLimited   *float64 `json:"rwnd_limited,omitempty"`   // seconds of BusySeconds
	SndbufLimited *float64 `json:"sndbuf_limited,omitempty"` // seconds of BusySeconds
	AppLimited    *bool    `json:"app_limited,omitempty"`
	RTT           *float64 `json:"rtt,omitempty"`     // seconds
	MinRTT        *float64 `json:"min_rtt,omitempty"` // seconds
	Cwnd          *int64   `json:"cwnd,omitempty"`    // segments
	MSS           *int64   `json:"mss,omitempty"`
	AdvMSS        *int64   `json:"advmss,omitempty"`
	PathMTU       *int64   `json:"pmtu,omitempty"`
	Unacked       *int64   `json:"unacked,omitempty"` // segments
	NotSent       *int64   `json:"notsent,omitempty"` // bytes
	SndWnd        *int64   `json:"snd_wnd,omitempty"` // bytes, the peer's receive window
	RcvSpace      *int64   `json:"rcv_space,omitempty"`
	RcvWnd        *int64   `json:"rcv_wnd,omitempty"`
	WindowScale   *int64   `json:"wscale_snd,omitempty"` // shift of the peer's receive window; -1: off
	Retrans       *int64   `json:"retrans,omitempty"`    // segments in the interval
	DSACKDups     *int64   `json:"dsack_dups,omitempty"`
	ReordSeen     *int64   `json:"reord_seen,omitempty"`
	SegsOut       *int64   `json:"segs_out,omitempty"`
	SegsIn        *int64   `json:"segs_in,omitempty"`
	BytesAcked    *int64   `json:"bytes_acked,omitempty"`
	PacingRate    *float64 `json:"pacing_rate,omitempty"`     // bits per second
	MaxPacingRate *float64 `json:"max_pacing_rate,omitempty"` // bits per second; nil: none
	WmemQueued    *int64   `json:"wmem_queued,omitempty"`     // bytes (skmem w)
	WmemAlloc     *int64   `json:"wmem_alloc,omitempty"`      // bytes still in the qdisc or NIC (skmem t)
	SndBuf        *int64   `json:"sndbuf,omitempty"`          // skmem tb
	RmemAlloc     *int64   `json:"rmem_alloc,omitempty"`      // skmem r
	RcvBuf        *int64   `json:"rcvbuf,omitempty"`          // skmem rb
	RecvQ         *int64   `json:"recv_q,omitempty"`          // bytes that the program has not read
	SendQ         *int64   `json:"send_q,omitempty"`
	Congestion    string   `json:"congestion,omitempty"`
}

// Sample is one reading of one metric: a row of samples.parquet.
type Sample struct {
	Experiment string  `json:"experiment"` // id of the experiment
	Repeat     int     `json:"repeat"`     // from 0; -1: of no repeat (idle evidence)
	End        string  `json:"end"`        // host that was read
	Stream     int     `json:"stream"`     // connection, from 0; -1: of the host as a whole
	TimeNS     int64   `json:"time_ns"`    // controller's clock, nanoseconds since 1970 UTC
	Metric     string  `json:"metric"`     // "goodput", "rtt", "cpu.3.softirq", ...
	Value      float64 `json:"value"`      // in Unit; never NaN or Inf
	Unit       string  `json:"unit"`       // "bit/s", "s", "B", "1" for a share, "count"
}
