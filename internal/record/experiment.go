package record

import (
	"linerate/internal/base/method"
)

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
