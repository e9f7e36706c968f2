package record

import (
	"time"

	"linerate/internal/base/unit"
)

// PartsFile is a file of the user's own parts, as it was read: with the fabric's
// text it is what the plan was made of.
type PartsFile struct {
	Name string `json:"name"`
	Text string `json:"text"`
}

// Run is everything that one execution of experiments measured and concluded:
// the value that every report is made from, and the body of the manifest.
type Run struct {
	Schema      string        `json:"schema"` // linerate/run/1
	ID          string        `json:"id"`     // the four letters
	Version     string        `json:"version"`
	Arguments   []string      `json:"arguments"`
	Started     time.Time     `json:"started"`
	Ended       time.Time     `json:"ended,omitzero"`
	Complete    bool          `json:"complete"`
	Fabric      string        `json:"fabric"`      // its name
	FabricPath  string        `json:"fabric_path"` // as given on the command line
	FabricText  string        `json:"fabric_text"`
	Parts       []PartsFile   `json:"parts,omitempty"` // the user's own parts that were over the catalogue, in their order
	Variant     string        `json:"variant,omitempty"`
	Variants    []string      `json:"variants,omitempty"` // beside Variant, those measured in the same run
	Schedule    *Schedule     `json:"schedule,omitempty"`
	Chase       *Chase        `json:"chase,omitempty"` // nil: verdicts were not chased
	Plan        Picture       `json:"plan"`
	Lab         *Lab          `json:"lab,omitempty"`
	Experiments []*Experiment `json:"experiments"`
	Goals       []Goal        `json:"goals"`
	Comparisons []Comparison  `json:"comparisons,omitempty"` // of variants measured in this run
	Costs       []Cost        `json:"costs,omitempty"`       // of packets, bytes and calls, where MTU or message size vary
	Instrument  *Instrument   `json:"instrument,omitempty"`  // of the machine that ran the controller
	Evidence    *EvidenceCost `json:"evidence,omitempty"`    // what looking at the ends cost them meanwhile
	Hosts       []HostState   `json:"hosts"`
	Problems    []Problem     `json:"problems,omitempty"`
	// Findings are what linerate check says of the hosts as they were before they were measured, Unchecked what it could not look at.
	Findings  []Finding `json:"findings,omitempty"`
	Unchecked []Unknown `json:"unchecked,omitempty"`
	Warnings  []string  `json:"warnings,omitempty"`
	Notes     []Note    `json:"notes,omitempty"`
	Shortened []string  `json:"shortened,omitempty"` // "line-rate: 10 s windows shortened to 1 s"
	Sentence  string    `json:"sentence"`            // the answer in one sentence
	// KeyFindings are in what report writes as JSON, never in the run folder.
	KeyFindings []KeyFinding `json:"key_findings,omitempty"`
	Files       []File       `json:"files,omitempty"`
}

// Note is what whoever reads the figures of a run has to know of some of them, as a sentence.
type Note struct {
	About string `json:"about"` // "RDMA", "storage"
	Text  string `json:"text"`
}

// MemoryOfLab says whether memory answered an experiment of storage in a lab. There a drive is a file of the one machine that all is on: that is no
// finding about anybody's storage, and others come before it.
func (r *Run) MemoryOfLab(e *Experiment) bool {
	return r.Lab != nil && e.Verdict != nil && (e.Verdict.Limiter == "page-cache-read" || e.Verdict.Limiter == "page-cache-write")
}

// Lab says that a run was not on real hardware, and how far.
type Lab struct {
	ID         string       `json:"id"`
	Scale      float64      `json:"scale"` // 0.1: every rate is a tenth of the planned one
	Calibrated unit.BitRate `json:"calibrated"`
	Shaped     []string     `json:"shaped"`             // links whose rate a shaper holds
	Offloads   string       `json:"offloads,omitempty"` // of every card as the command line had them: on or off; empty: as the file has them
	Emulated   []string     `json:"emulated"`           // what the lab only pretends: speed, PCIe, InfiniBand carried as Ethernet
	Guests     []string     `json:"guests,omitempty"`   // hosts that are emulated machines
}

// HostState says how a host took part.
type HostState struct {
	Name     string    `json:"name"`
	Reach    string    `json:"reach"`
	OS       string    `json:"os"`
	Kernel   string    `json:"kernel"`
	CPU      string    `json:"cpu"`
	Cores    int       `json:"cores"`
	Error    string    `json:"error,omitempty"` // why it could not be used
	Unknown  []Unknown `json:"unknown,omitempty"`
	Settings []Setting `json:"settings,omitempty"`
}

// Setting is one setting asked for beside the one in effect.
type Setting struct {
	Subject string `json:"subject"`
	Want    string `json:"want"`
	Have    string `json:"have"`
}

// Experiment is one cell: a method between two ends in one direction with one
// value of every axis, and what it measured.
type Experiment struct {
	ID        string            `json:"id"` // hash of method, ends and axes
	Name      string            `json:"name"`
	SameAs    string            `json:"same_as,omitempty"` // name of an experiment further up in the file that has a cell with the same method, ends and axes; its id has no name in it, this one's has
	Method    string            `json:"method"`
	From      string            `json:"from"`
	To        string            `json:"to"`
	Ends      []End             `json:"ends"`
	Links     []string          `json:"links"`              // names of the links in between
	Direction string            `json:"direction"`          // out: from sends; in; both
	Emulated  bool              `json:"emulated,omitempty"` // a host of it is an emulated machine: the figures say what works, and nothing of speed
	Variant   string            `json:"variant,omitempty"`
	Settings  map[string]string `json:"settings"`
	InEffect  map[string]string `json:"in_effect"`
	Repeats   []Repeat          `json:"repeats"`
	Goodput   *Estimate         `json:"goodput"`               // bits per second; with direction both the sum
	Forward   *Estimate         `json:"goodput_out,omitempty"` // of direction both: from -> to
	Backward  *Estimate         `json:"goodput_in,omitempty"`
	Seconds   *Estimate         `json:"seconds,omitempty"`  // that an amount took, or an exchange of halo takes; else nil
	IOPS      *Estimate         `json:"iops"`               // requests per second
	Bytes     *Estimate         `json:"bytes_per_second"`   // of storage methods
	Figure    *Estimate         `json:"figure"`             // of method app, in its own unit
	Latency   *Latency          `json:"latency"`            // under load, if the experiment asks for a load
	Open      *OpenLoop         `json:"open,omitempty"`     // of ping with every: the open loop
	Load      *Load             `json:"load,omitempty"`     // of ping with load_streams: the load, and the path without it
	Pairs     *Pairs            `json:"pairs,omitempty"`    // among the pairs of ping, if there are several
	Clocks    []Clock           `json:"clocks,omitempty"`   // of the ends that ask
	PathMTU   *PathMTU          `json:"path_mtu,omitempty"` // of ping over ICMP
	// FigureUnit is the unit of the figure: s, bit/s, or as the file or the program calls it; empty: a plain number. FigureMatch is the pattern that it is
	// found by; empty: the program's own reader, or the time that the command took.
	FigureUnit  string `json:"figure_unit,omitempty"`
	FigureMatch string `json:"figure_match,omitempty"`
	// Acceptance is of the method of that name.
	Acceptance *Acceptance `json:"acceptance,omitempty"`
	// Proof is of the method of that name.
	Proof   *Proof    `json:"proof,omitempty"`
	Verbs   *Verbs    `json:"verbs,omitempty"` // of verbs: that of the last repeat
	Halo    *Halo     `json:"halo,omitempty"`  // of halo: that of the last repeat
	App     *App      `json:"app,omitempty"`   // of app: that of the last repeat
	Block   *Block    `json:"block,omitempty"` // of block: that of the last repeat; what failed of its workers' requests, and what was compared, is of all repeats
	Copy    *Copy     `json:"copy,omitempty"`  // of copy: that of the last repeat
	UDP     *UDP      `json:"udp,omitempty"`   // over all repeats; nil: not over UDP
	CPU     []CPU     `json:"cpu"`
	PerCPU  *PerCPU   `json:"per_processor_second,omitempty"` // median of the repeats
	SoftIRQ []Landing `json:"softirq,omitempty"`              // on top of whose work it ran
	Unknown []Unknown `json:"unknown,omitempty"`              // of the hosts' processors and counters, with the reason
	Ceiling *Chain    `json:"ceiling"`
	Verdict *Verdict  `json:"verdict"`
	// Broken is of verbs and block that failed in the middle: what was measured until then.
	Broken *Broken `json:"broken,omitempty"`
	// Chase are the experiments that were made for this one's verdict, in their order. They have Chased, and are none of the file.
	Chase    []*Experiment `json:"chase,omitempty"`
	Chased   *Chased       `json:"chased,omitempty"`
	Accounts []Account     `json:"accounts,omitempty"` // what both ends counted, held against each other, before any cause was asked
	Fairness *Fairness     `json:"fairness,omitempty"` // among all streams
	Pattern  string        `json:"pattern,omitempty"`  // pairs, incast, all-to-all; empty: one flow
	Flows    []Flow        `json:"flows,omitempty"`    // of a pattern; goodput is their sum
	Remark   string        `json:"remark,omitempty"`   // what its sweep shows at this value
	NotRun   string        `json:"not_run,omitempty"`  // why it was not measured
	Refused  bool          `json:"refused,omitempty"`  // not run, because it would have overwritten what is not linerate's
	Failed   string        `json:"failed,omitempty"`   // why it could not be measured
	Warnings []string      `json:"warnings,omitempty"`
}

// Latencies says whether an experiment's figure is a latency; else it is a goodput.
func (e *Experiment) Latencies() bool {
	return e.Method == "ping" || e.Method == MethodVerbs && e.Settings["metric"] != "goodput"
}

// End is one end of an experiment.
type End struct {
	Host      string `json:"host"`
	Port      string `json:"port"`
	Interface string `json:"interface"`
	Address   string `json:"address"`
}

// Estimate is the middle of the repeats with what they allow to say of its spread.
type Estimate struct {
	Median   float64 `json:"median"`
	Low      float64 `json:"low"`
	High     float64 `json:"high"`
	Interval string  `json:"interval"` // "range" below six repeats, "95%" from six on
	Repeats  int     `json:"repeats"`
}

// CPU is the share of one core that was in use on a host, by core and kind,
// over the steady window, median of the repeats. Core -1 is the measuring process itself.
type CPU struct {
	Host    string  `json:"host"`
	Core    int     `json:"core"`
	User    float64 `json:"user"`
	System  float64 `json:"system"`
	SoftIRQ float64 `json:"softirq"`
	IRQ     float64 `json:"irq"`
	Steal   float64 `json:"steal"`
	Idle    float64 `json:"idle"`
	// Own is the part of a core that the measuring process's threads on this host had; softirq work that ran in their
	// system calls is in it, unless the kernel accounts interrupts apart. Nil: not known, as all below; of a core.
	Own       *float64 `json:"own,omitempty"`
	Packets   *float64 `json:"packets,omitempty"`   // a second that its softirq took from its queue
	Dropped   *int64   `json:"dropped,omitempty"`   // packets for which that queue had no room
	Squeezed  *int64   `json:"squeezed,omitempty"`  // times that the softirq ended with work left
	HzBefore  *float64 `json:"hz_before,omitempty"` // clock rate at the window's start and end, Hz
	Hz        *float64 `json:"hz,omitempty"`
	BaseHz    *float64 `json:"base_hz,omitempty"`   // that it is sold with, else the highest
	Throttled *int64   `json:"throttled,omitempty"` // times that heat slowed it down
	// Threads did the work, of core -1: most first.
	Threads []Thread `json:"threads,omitempty"`
}

// Busy is the part of a core that did anything, without what a hypervisor gave to others.
func (c CPU) Busy() float64 { return c.User + c.System + c.SoftIRQ + c.IRQ }

// Repeat is one repetition.
type Repeat struct {
	Index    int       `json:"index"`
	Start    time.Time `json:"start"`           // of the steady window, controller's clock
	Seconds  float64   `json:"seconds"`         // of the steady window
	Bytes    int64     `json:"bytes,omitempty"` // of an amount: all that was received; Seconds is then from the start to the last of them
	Goodput  float64   `json:"goodput"`         // bits per second at the receivers, steady window; 0 for ping
	Forward  float64   `json:"goodput_out"`     // from -> to
	Backward float64   `json:"goodput_in"`
	Trips    int64     `json:"trips,omitempty"` // round trips of ping
	P50      float64   `json:"p50,omitempty"`
	// Open, Load and PathMTU are of ping; see the experiment's.
	Open    *OpenRepeat `json:"open,omitempty"`
	Load    *LoadRepeat `json:"load,omitempty"`
	Verbs   *Verbs      `json:"verbs,omitempty"` // of verbs
	Halo    *Halo       `json:"halo,omitempty"`  // of halo
	App     *App        `json:"app,omitempty"`   // of app
	Block   *Block      `json:"block,omitempty"` // of block
	Copy    *Copy       `json:"copy,omitempty"`  // of copy
	PathMTU *PathMTU    `json:"path_mtu,omitempty"`
	Clocks  []Clock     `json:"clocks,omitempty"`
	// Histogram is of this repeat's round trips: HdrHistogram V2, compressed, base64; nanoseconds.
	Histogram string   `json:"histogram,omitempty"`
	Streams   []Stream `json:"streams,omitempty"`
	CPU       []CPU    `json:"cpu,omitempty"`
	Foreign   float64  `json:"foreign"`          // cores busy with other work, both ends
	Stolen    float64  `json:"stolen,omitempty"` // cores that a hypervisor gave to others (steal), both ends
	Noisy     bool     `json:"noisy,omitempty"`  // other work or a hypervisor took more than a figure bears
	Warnings  []string `json:"warnings,omitempty"`
	// InEffect is how both ends did their work in this repeat: what the experiment's in_effect is made of.
	InEffect map[string]string `json:"in_effect,omitempty"`
	// Of a group: every flow in the window that all share, and how far apart their first bytes came, in seconds.
	Flows []FlowRepeat `json:"flows,omitempty"`
	Skew  float64      `json:"skew,omitempty"`
	// Series is goodput over time for the drawing: bits per second in slices of Slice seconds.
	Slice     float64   `json:"slice,omitempty"`
	SeriesOut []float64 `json:"series_out,omitempty"`
	SeriesIn  []float64 `json:"series_in,omitempty"`
	// BusyFrom and BusyTo are how many cores of the two hosts were in use in the same slices, whatever for; nil: unknown.
	BusyFrom []float64 `json:"busy_from,omitempty"`
	BusyTo   []float64 `json:"busy_to,omitempty"`
	// RetransOut and RetransIn are the segments that from and to sent again, in the slice in which it was noticed; nil: unknown.
	RetransOut []int64   `json:"retrans_out,omitempty"`
	RetransIn  []int64   `json:"retrans_in,omitempty"`
	PerCPU     *PerCPU   `json:"per_processor_second,omitempty"`
	Unknown    []Unknown `json:"unknown,omitempty"` // of the hosts' processors and counters, with the reason
}

// Stream is one connection of a repeat: what its receiver counted, and what the
// kernel said of the sender's socket over the steady window.
type Stream struct {
	Index     int     `json:"index"`
	Direction string  `json:"direction"`      // out or in
	Flow      int     `json:"flow,omitempty"` // of a group: the number of its flow
	Goodput   float64 `json:"goodput"`
	Socket    *Socket `json:"socket,omitempty"`   // of the sender
	Receiver  *Socket `json:"receiver,omitempty"` // of the receiver
	Trips     *Trips  `json:"trips,omitempty"`    // of ping
	// Sent and Received are payload from the first byte to the last, warm-up and all, at the end that sends and the one that receives: they
	// are apart by what was cut off at the end, and lost. 0: not known (older records).
	Sent     int64 `json:"sent,omitempty"`
	Received int64 `json:"received,omitempty"`
	// Packets are those that carried what was sent, the first time, of RDMA WRITE over InfiniBand or RoCE, by its path MTU; nil: not known.
	Packets *int64 `json:"packets,omitempty"`
	UDP
}

// UDP is what was counted of datagrams that were sent in the window of their sender, of one stream or of all repeats
// of an experiment. Nil pointers: it was not over UDP, or it is not known.
type UDP struct {
	Datagrams  *int64   `json:"datagrams,omitempty"`  // handed to the sender's kernel; of ping: messages asked
	Lost       *int64   `json:"lost,omitempty"`       // of these, not received before the end of the experiment; of ping: without an answer in time
	Reordered  *int64   `json:"reordered,omitempty"`  // received behind one that was sent later
	Duplicated *int64   `json:"duplicated,omitempty"` // received once more
	Jitter     *float64 `json:"jitter,omitempty"`     // RFC 3550, seconds; of an experiment: the median of its streams
	// Over the whole time, warm-up and all, from the first datagram to the end of the experiment:
	Total   *int64   `json:"total,omitempty"`   // datagrams handed to the sender's kernel; nil in older records
	Missing *int64   `json:"missing,omitempty"` // of these, what did not come into the receiving socket
	Drops   *int64   `json:"drops,omitempty"`   // what the receiving socket had no room for, in buffers as the kernel counts them
	Merged  *float64 `json:"merged,omitempty"`  // datagrams in one such buffer, mean of what was received
	Gaps    *int64   `json:"gaps,omitempty"`    // how often one or more datagrams in a row are missing, before one that came
	Scatter *float64 `json:"scatter,omitempty"` // of the datagrams from one gap to the next: variance by square of the mean; nil: fewer than 20
}

// Socket is TCP_INFO and SO_MEMINFO of one socket: counters are deltas over the
// steady window, all else the last value in it. Nil pointers are unknown.
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
	SndWnd        *int64   `json:"snd_wnd,omitempty"` // bytes, the peer's window
	RcvSpace      *int64   `json:"rcv_space,omitempty"`
	RcvWnd        *int64   `json:"rcv_wnd,omitempty"`
	WindowScale   *int64   `json:"wscale_snd,omitempty"` // shift that the peer's windows are scaled by; -1: off
	Retrans       *int64   `json:"retrans,omitempty"`    // segments in the window
	DSACKDups     *int64   `json:"dsack_dups,omitempty"`
	ReordSeen     *int64   `json:"reord_seen,omitempty"`
	SegsOut       *int64   `json:"segs_out,omitempty"`
	SegsIn        *int64   `json:"segs_in,omitempty"`
	BytesAcked    *int64   `json:"bytes_acked,omitempty"`
	PacingRate    *float64 `json:"pacing_rate,omitempty"`     // bits per second
	MaxPacingRate *float64 `json:"max_pacing_rate,omitempty"` // bits per second; nil: none
	WmemQueued    *int64   `json:"wmem_queued,omitempty"`     // bytes (skmem w)
	WmemAlloc     *int64   `json:"wmem_alloc,omitempty"`      // bytes still in the qdisc or card (skmem t)
	SndBuf        *int64   `json:"sndbuf,omitempty"`          // skmem tb
	RmemAlloc     *int64   `json:"rmem_alloc,omitempty"`      // skmem r
	RcvBuf        *int64   `json:"rcvbuf,omitempty"`          // skmem rb
	RecvQ         *int64   `json:"recv_q,omitempty"`          // bytes that the reader has not taken
	SendQ         *int64   `json:"send_q,omitempty"`
	Congestion    string   `json:"congestion,omitempty"`
}

// Goal is a goal of the file with what was measured.
type Goal struct {
	Name string `json:"name"`
	Want string `json:"want"`
	Have string `json:"have"`
	Met  *bool  `json:"met"`           // null: not known
	Why  string `json:"why,omitempty"` // why it is not known, or where it was missed
	// NotHere: it is about real parts that this lab has nothing of, so no repeat here makes it known.
	NotHere bool `json:"not_here,omitempty"`
}

// File is a file of the run folder.
type File struct {
	Name   string `json:"name"`
	Size   int64  `json:"size"`
	SHA256 string `json:"sha256"`
}

// Verdict says why a figure is what it is.
type Verdict struct {
	Sentence       string      `json:"sentence"`
	Limiter        string      `json:"limiter"`
	Component      string      `json:"component"`
	ShareOfCeiling *float64    `json:"share_of_ceiling"`
	Confidence     string      `json:"confidence"` // proved, likely; empty for unexplained and unknown
	Evidence       []Evidence  `json:"evidence"`
	Identity       *Identity   `json:"identity"`
	Candidates     []Candidate `json:"candidates"`
	NextExperiment string      `json:"next_experiment"`
	Next           *Next       `json:"next,omitempty"` // the same as a record; nil: nothing that run --chase could do by itself
	Fix            string      `json:"fix"`
	Undo           string      `json:"undo"`
	NextCeiling    string      `json:"next_ceiling"`
	Unknown        []string    `json:"unknown"`
}

// Evidence is one counter or value that speaks for a verdict.
type Evidence struct {
	Host          string   `json:"host"`
	Source        string   `json:"source"`
	Counter       string   `json:"counter"`
	Before        *float64 `json:"before"`
	After         *float64 `json:"after"`
	IdlePerSecond *float64 `json:"idle_per_second"`
	Unit          string   `json:"unit"`
	Text          string   `json:"text"` // the same in words
}

// Identity is two counts that must be equal.
type Identity struct {
	Left       string  `json:"left"`
	Right      string  `json:"right"`
	Difference float64 `json:"difference"` // share of the larger
}

// Candidate is a cause with too little evidence.
type Candidate struct {
	Limiter string `json:"limiter"`
	Text    string `json:"text"`
}
