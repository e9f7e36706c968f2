package record

import (
	"slices"
	"strings"
	"time"

	"linerate/internal/base/method"
	"linerate/internal/base/unit"
)

// PartsFile is the text of a file with the user's own parts. Together with the fabric's text it is enough to make the
// plan again.
type PartsFile struct {
	Name string `json:"name"`
	Text string `json:"text"`
}

// Run has everything that one execution of experiments measured and concluded. Every report is made from it, and it is
// the body of the manifest.
type Run struct {
	Schema      string        `json:"schema"` // linerate/run/2
	ID          string        `json:"id"`     // four letters
	Version     string        `json:"version"`
	Arguments   []string      `json:"arguments"`
	Started     time.Time     `json:"started"`
	Ended       time.Time     `json:"ended,omitzero"`
	Complete    bool          `json:"complete"`
	Fabric      string        `json:"fabric"`      // its name
	FabricPath  string        `json:"fabric_path"` // as given on the command line
	FabricText  string        `json:"fabric_text"`
	Parts       []PartsFile   `json:"parts,omitempty"` // the user's own parts, later files override earlier ones
	Variant     string        `json:"variant,omitempty"`
	Variants    []string      `json:"variants,omitempty"` // measured in the same run, besides Variant
	Schedule    *Schedule     `json:"schedule,omitempty"`
	FollowUp    *FollowUp     `json:"follow_up,omitempty"` // nil: verdicts were not followed up
	Plan        Picture       `json:"plan"`
	Lab         *Lab          `json:"lab,omitempty"`
	Experiments []*Experiment `json:"experiments"`
	Goals       []Goal        `json:"goals"`
	Comparisons []Comparison  `json:"comparisons,omitempty"` // of variants measured in this run
	Costs       []Cost        `json:"costs,omitempty"`       // where MTU or message size varies
	Instrument  *Instrument   `json:"instrument,omitempty"`  // of the machine that ran the controller
	Evidence    *EvidenceCost `json:"evidence,omitempty"`    // CPU time of the snapshots
	Hosts       []HostState   `json:"hosts"`
	Problems    []Problem     `json:"problems,omitempty"`
	// Findings are the results of linerate check on the hosts before the measurement. Unchecked is what it could not
	// check.
	Findings  []Finding `json:"findings,omitempty"`
	Unchecked []Unknown `json:"unchecked,omitempty"`
	Warnings  []string  `json:"warnings,omitempty"`
	Notes     []Note    `json:"notes,omitempty"`
	Shortened []string  `json:"shortened,omitempty"` // "line-rate: 10 s intervals shortened to 1 s"
	Sentence  string    `json:"sentence"`            // the answer in one sentence
	// SlowNode is the host that all slow paths have in common; nil: there is none.
	SlowNode *SlowNode `json:"slow_node,omitempty"`
	// Highlights are in the JSON of report, never in the run folder.
	Highlights []Highlight `json:"key_findings,omitempty"`
	Files      []File      `json:"files,omitempty"`
}

// Note is a sentence about some figures of a run that every reader must know.
type Note struct {
	About string `json:"about"` // "RDMA", "storage"
	Text  string `json:"text"`
}

// MemoryOfLab reports whether memory, and not a drive, served a storage experiment in a lab. A lab's drive is a file on
// its machine, so this is expected and not a finding.
func (r *Run) MemoryOfLab(e *Experiment) bool {
	return r.Lab != nil && e.Verdict != nil &&
		(e.Verdict.Limiter == LimiterPageCacheRead || e.Verdict.Limiter == LimiterPageCacheWrite)
}

// LabStorage reports whether an experiment of storage or copies in a lab says nothing of what the run is about: a lab's
// drives are files of one machine. Its figure leads no report. One whose cause was found counts if nothing else shows
// the network.
func (r *Run) LabStorage(e *Experiment) bool {
	if r.MemoryOfLab(e) {
		return true
	}
	if r.Lab == nil || e.Verdict == nil || e.Copy == nil && e.Block == nil {
		return false
	}
	switch e.Verdict.Limiter {
	case LimiterUnexplained, LimiterUnknown, "":
		return true
	}
	return slices.ContainsFunc(r.Experiments, func(x *Experiment) bool {
		return x.Copy == nil && x.Block == nil && x.Verdict != nil && x.Failed == "" && len(x.Repeats) > 0
	})
}

// Lab describes the lab of a run that was not on real hardware.
type Lab struct {
	ID         string       `json:"id"`
	Scale      float64      `json:"scale"` // 0.1: every rate is a tenth of the planned one
	Calibrated unit.BitRate `json:"calibrated"`
	Shaped     []string     `json:"shaped"` // links with a shaper that enforces their rate
	// Offloads is on or off for every NIC, from the command line; empty: as in the file.
	Offloads string `json:"offloads,omitempty"`
	// Emulated is what the lab only imitates: speed, PCIe, InfiniBand carried as Ethernet.
	Emulated []string `json:"emulated"`
	Guests   []string `json:"guests,omitempty"` // hosts that are emulated machines
}

// HostState is the part of a host in a run.
type HostState struct {
	Name       string    `json:"name"`
	Connection string    `json:"connect"`
	OS         string    `json:"os"`
	Kernel     string    `json:"kernel"`
	CPU        string    `json:"cpu"`
	Cores      int       `json:"cores"`
	Error      string    `json:"error,omitempty"` // why it could not be used
	Unknown    []Unknown `json:"unknown,omitempty"`
	Settings   []Setting `json:"settings,omitempty"`
}

// Setting is a setting as requested and as in effect.
type Setting struct {
	Subject string `json:"subject"`
	Want    string `json:"want"`
	Have    string `json:"have"`
}

// Experiment is one combination of parameters: a method between two ends in one direction, and what it measured.
type Experiment struct {
	ID   string `json:"id"` // hash of method, ends and parameters
	Name string `json:"name"`
	// SameAs is the name of an earlier experiment of the file with the same method, ends and parameters. Only the id of
	// this one includes the name.
	SameAs    string   `json:"same_as,omitempty"`
	Method    string   `json:"method"`
	From      string   `json:"from"`
	To        string   `json:"to"`
	Ends      []End    `json:"ends"`
	Links     []string `json:"links"`     // names of the links on the path
	Direction string   `json:"direction"` // out: From sends; in; both
	// Emulated reports whether a host is an emulated machine. The figures then show function, not speed.
	Emulated bool              `json:"emulated,omitempty"`
	Variant  string            `json:"variant,omitempty"`
	Settings map[string]string `json:"settings"`
	InEffect map[string]string `json:"in_effect"`
	Repeats  []Repeat          `json:"repeats"`
	Goodput  *Estimate         `json:"goodput"`               // bits per second; in direction both the sum
	Forward  *Estimate         `json:"goodput_out,omitempty"` // in direction both: From -> To
	Backward *Estimate         `json:"goodput_in,omitempty"`
	Seconds  *Estimate         `json:"seconds,omitempty"`  // to move an amount, or for a halo exchange; else nil
	IOPS     *Estimate         `json:"iops"`               // requests per second
	Bytes    *Estimate         `json:"bytes_per_second"`   // of storage methods
	Figure   *Estimate         `json:"figure"`             // of method command, in its own unit
	Latency  *Latency          `json:"latency"`            // under load, if the experiment has one
	Open     *OpenLoop         `json:"open,omitempty"`     // of ping with every
	Load     *Load             `json:"load,omitempty"`     // of ping with load_streams: with the load, and without it
	Pairs    *Pairs            `json:"pairs,omitempty"`    // among several pairs of ping
	Clocks   []Clock           `json:"clocks,omitempty"`   // of the ends that time round trips
	PathMTU  *PathMTU          `json:"path_mtu,omitempty"` // of ping over ICMP
	// FigureUnit is s, bit/s, or the unit that the file or the program gives; empty: a plain number. FigureMatch is the
	// pattern that finds the figure; empty: linerate knows the program's output, or the figure is the command's time.
	FigureUnit  string `json:"figure_unit,omitempty"`
	FigureMatch string `json:"figure_match,omitempty"`
	// The methods' own results. They are of the last repeat, but Block has the failed requests and compared blocks of all
	// repeats.
	Acceptance *Acceptance `json:"acceptance,omitempty"`
	Proof      *Proof      `json:"lossless,omitempty"`
	Verbs      *Verbs      `json:"rdma,omitempty"`
	Halo       *Halo       `json:"halo,omitempty"`
	App        *App        `json:"command,omitempty"`
	Block      *Block      `json:"storage,omitempty"`
	Copy       *Copy       `json:"copy,omitempty"`
	UDP        *UDP        `json:"udp,omitempty"` // over all repeats; nil: not over UDP
	CPU        []CPU       `json:"cpu"`
	PerCPU     *PerCPU     `json:"per_processor_second,omitempty"` // median of the repeats
	SoftIRQ    []Placement `json:"softirq,omitempty"`
	Unknown    []Unknown   `json:"unknown,omitempty"` // about the hosts' CPUs and counters, with the reason
	Ceiling    *Chain      `json:"ceiling"`
	Verdict    *Verdict    `json:"verdict"`
	// Broken is what rdma or storage had measured before it failed.
	Broken *Broken `json:"broken,omitempty"`
	// FollowUp are the experiments that followed up this one's verdict, in order. They have FollowedUp set, and are not in
	// the file.
	FollowUp   []*Experiment `json:"follow_up,omitempty"`
	FollowedUp *FollowedUp   `json:"followed_up,omitempty"`
	// Accounts are the cross-checks of both ends' counters.
	Accounts []Account `json:"accounts,omitempty"`
	Fairness *Fairness `json:"fairness,omitempty"` // among all streams
	Pattern  string    `json:"traffic,omitempty"`  // pairs, incast, all-to-all; empty: one flow
	Flows    []Flow    `json:"flows,omitempty"`    // of a pattern; goodput is their sum
	Remark   string    `json:"remark,omitempty"`   // what the sweep shows at this value
	NotRun   string    `json:"not_run,omitempty"`  // why it was not measured
	Refused  bool      `json:"refused,omitempty"`  // not run, because it would have overwritten foreign data
	Failed   string    `json:"failed,omitempty"`   // why it could not be measured
	Warnings []string  `json:"warnings,omitempty"`
}

// Latencies reports whether an experiment's figure is a latency, not a goodput.
func (e *Experiment) Latencies() bool {
	return method.Named(e.Method).RoundTrips || method.Named(e.Method).UsesRDMA && e.Settings["metric"] != "goodput"
}

// End is one end of an experiment.
type End struct {
	Host      string `json:"host"`
	Port      string `json:"port"`
	Interface string `json:"interface"`
	Address   string `json:"address"`
}

// Estimate is the median of the repeats, with its confidence interval or their range.
type Estimate struct {
	Median   float64 `json:"median"`
	Low      float64 `json:"low"`
	High     float64 `json:"high"`
	Interval string  `json:"interval"` // "range" below six repeats, "95%" from six on
	Repeats  int     `json:"repeats"`
}

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

// Goal is a goal of the fabric file and the measured value.
type Goal struct {
	Name string `json:"name"`
	Want string `json:"want"`
	Have string `json:"have"`
	Met  *bool  `json:"met"`           // null: not known
	Why  string `json:"why,omitempty"` // why it is not known, or where it was missed
	// NotHere reports whether the goal is about real parts, so that no repeat in this lab can check it.
	NotHere bool `json:"not_here,omitempty"`
}

// File is a file of the run folder.
type File struct {
	Name   string `json:"name"`
	Size   int64  `json:"size"`
	SHA256 string `json:"sha256"`
}

// Verdict is the reason for a figure: its bottleneck, with the evidence.
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
	// Next is NextExperiment in a form that a follow-up can run; nil: a follow-up cannot do it by itself.
	Next        *Next    `json:"next,omitempty"`
	Fix         string   `json:"fix"`
	Undo        string   `json:"undo"`
	NextCeiling string   `json:"next_ceiling"`
	Unknown     []string `json:"unknown"`
	// RuledOut are parts of the path that do not limit, by counters that were read.
	RuledOut []RuledOut `json:"ruled_out,omitempty"`
	// Expected is the predicted goodput after the fix; empty: it cannot be predicted.
	Expected []Expected `json:"expected,omitempty"`
}

// RuledOut is a possible cause that the counters exclude.
type RuledOut struct {
	What string `json:"what"` // an id: loss, drops, cable, pcie, cpu, mtu and others
	Host string `json:"host,omitempty"`
	Text string `json:"text"` // in words, with its figure: "loss (0 retransmits)"
}

// Expected is the predicted goodput of an experiment after the fix of its verdict, or of one that differs from it only
// in the number of streams.
type Expected struct {
	Change  Change `json:"change"` // what the fix changes
	Streams int    `json:"streams"`
	Band
}

// Evidence is one counter or value that supports a verdict.
type Evidence struct {
	Host          string   `json:"host"`
	Source        string   `json:"source"`
	Counter       string   `json:"counter"`
	Before        *float64 `json:"before"`
	After         *float64 `json:"after"`
	IdlePerSecond *float64 `json:"idle_per_second"`
	Unit          string   `json:"unit"`
	Text          string   `json:"text"` // the same as a sentence
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

// Limiters are the ids of causes that several packages use.
const (
	LimiterAboveCeiling   = "above-ceiling"
	LimiterAppLimited     = "app-limited"
	LimiterLink           = "link"
	LimiterLocalShaper    = "local-shaper"
	LimiterOneConnection  = "one-connection"
	LimiterPageCacheRead  = "page-cache-read"
	LimiterPageCacheWrite = "page-cache-write"
	// LimiterUnexplained is the limiter of a verdict where no cause has enough evidence.
	LimiterUnexplained = "unexplained"
	// LimiterUnknown is the limiter of a verdict without a known ceiling.
	LimiterUnknown = "unknown"
)

// Unknown is a fact that could not be read, with the reason.
type Unknown struct {
	Subject string `json:"subject"`
	Reason  string `json:"reason"`
}

// UnknownOf is what of several hosts could not be read, for the same reason.
func UnknownOf(hosts []string, what, reason string) Unknown {
	return Unknown{Subject: strings.Join(hosts, comma) + hostEnd + what, Reason: reason}
}

// Of reports whether it is of a host, alone or with others.
func (u Unknown) Of(host string) bool {
	hosts, _, ok := strings.Cut(u.Subject, hostEnd)
	return ok && slices.Contains(strings.Split(hosts, comma), host)
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
