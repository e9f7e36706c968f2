package paste

import (
	"slices"
	"strings"
	"sync"

	"linerate/internal/base/lazyregexp"
)

// Format is a program whose output is recognised.
type Format struct {
	Name string
	// Reader is the name of its parser in package claims; empty: its values are not read.
	Reader string
	// Instead is what to do where there is no parser; empty: nothing better than --value.
	Instead string

	command *lazyregexp.Regexp // the name of the program in a command line
	head    *lazyregexp.Regexp // a line with which an output begins
	line    *lazyregexp.Regexp // any other line that only this program prints
	more    *lazyregexp.Regexp // lines that belong to an output that has begun; nil: none
	result  *lazyregexp.Regexp // a line of the result: a head behind it begins another output
	object  *lazyregexp.Regexp // what only its JSON or XML contains; nil: it prints neither
}

// IsRead reports whether linerate reads the values of an output.
func (f *Format) IsRead() bool { return f.Reader != "" }

// program matches a program's name in a command line.
func program(names string) *lazyregexp.Regexp {
	return lazyregexp.New(`(?i)(?:^|[\s/\\;|&])(?:` + names + `)(?:\.exe)?(?:[\s;|&]|$)`)
}

// Formats returns the table of formats. The first that matches a line counts.
var Formats = sync.OnceValue(func() []*Format {
	return []*Format{
		{
			Name:    "iperf3 --json-stream",
			Instead: "run iperf3 with -J instead of --json-stream",
			object:  lazyregexp.New(`^\{\s*"event"\s*:`),
		},
		{
			Name: "iperf3", Reader: "iperf3",
			command: program(`iperf3`),
			head: lazyregexp.New(`^(?:Connecting to host \S+, port \d+|Accepted connection from |iperf 3\.\d|` +
				`\[ *\d+\](?:\[[TR]X-[CS]\])? local \S+ port \d+ connected to )`),
			line: lazyregexp.New(`\[ *(?:\d+|SUM)\](?:\[[TR]X-[CS]\])?\s+\d+\.\d\d-\d+\.\d\d\s+sec\s|` +
				`^\[ ID\](?:\[Role\])? Interval\s+Transfer\s+(?:Bitrate|Bandwidth)|^iperf3: |^iperf Done\.|` +
				`^Control connection MSS \d|^\s*TCP MSS: \d|^Starting Test: protocol|^Test Complete\. Summary|` +
				`^CPU Utilization: (?:local|remote)/|^Server listening on \d+|^(?:snd|rcv)_tcp_congestion `),
			more:   lazyregexp.New(`^(?:- ){5}|^\s*Time: |^\s*Cookie: |^\[ ID\]|^Reverse mode|^warning: |^Linux |^Darwin |^FreeBSD `),
			result: lazyregexp.New(`\b(?:sender|receiver)\s*$`),
			object: lazyregexp.New(`"(?:intervals|sum_received|sum_sent|test_start)"\s*:`),
		},
		{
			Name:    "iperf2",
			Instead: "measure with iperf3, whose output linerate reads",
			command: program(`iperf|iperf2`),
			head:    lazyregexp.New(`^(?:Client connecting to \S+, (?:TCP|UDP) port|Server listening on (?:TCP|UDP) port)`),
			line: lazyregexp.New(`^\[ *\d+\] local \S+ port \d+ connected with |` +
				`^\[ *(?:\d+|SUM)\]\s+\d+\.\d(?:\d\d\d)?-\s?\d+\.\d(?:\d\d\d)?\s+sec\s|^TCP window size: `),
			more: lazyregexp.New(`^\[ ID\]|^\[ *\d+\]`),
		},
		{
			Name: "fio", Reader: "fio",
			command: program(`fio`),
			head:    lazyregexp.New(`^\S.*: \(g=\d+\): rw=`),
			line: lazyregexp.New(`^fio-\d+\.\d|^Starting \d+ (?:process|thread)|^Run status group \d|` +
				`^\s*(?:read|write|trim)\s*: (?:io=|IOPS=)|^\S.*: \(groupid=\d+, jobs=\d+\): err=|` +
				`^\s*(?:READ|WRITE|TRIM): (?:bw|io)=`),
			more: lazyregexp.New(`^\s+(?:slat|clat|lat|bw|iops|cpu|IO depths|submit|complete|issued|latency)\b|^\s+\||` +
				`^Disk stats|^Jobs: \d|^\s+\w+: ios=|^\.\.\.$`),
			result: lazyregexp.New(`^Run status group|: \(groupid=\d+, jobs=`),
			object: lazyregexp.New(`"fio version"\s*:`),
		},
		{
			Name: "perftest", Reader: "perftest",
			command: program(`(?:ib|raw_ethernet)_\w*(?:bw|lat)`),
			head: lazyregexp.New(`^\s*(?:RDMA_)?(?:Write|Read|Send|Atomic|FetchAndAdd|CMP_and_SWAP|Raw Ethernet|Ethernet)` +
				`[\w ]*(?:BW|Latency) Test\s*$`),
			line: lazyregexp.New(`^\s*#bytes\s+#iterations\s|` +
				`^\s*(?:Dual-port|Number of qps|Connection type|TX depth|PCIe relax order|CQ Moderation|Link type)\s*:|` +
				`^ (?:local|remote) address: LID |^\* Waiting for client to connect`),
			more: lazyregexp.New(`^\s*\d+\s+\d+(?:\s+[\d.]+){2,}\s*$|^ (?:GID|Mtu|GID index|Max inline data|rdma_cm QPs|` +
				`Data ex\. method|ibv_wr\* API|RX depth|Mr[a-z]* )|^\s*(?:Conflicting CPU|Warning)`),
			result: lazyregexp.New(`^\s*\d+\s+\d+(?:\s+[\d.]+){2,}\s*$`),
			object: lazyregexp.New(`\btest_info"?\s*:`),
		},
		{
			Name: "diskspd", Reader: "diskspd",
			command: program(`diskspd`),
			head:    lazyregexp.New(`^Command Line: `),
			line: lazyregexp.New(`^Results for timespan \d|^Input parameters:|^(?:Total|Read|Write) IO\s*$|` +
				`^\s*thread \|\s+bytes\s+\|\s+I/Os|^\s*total:\s+\d+ \||^\s*%-ile \|`),
			more: lazyregexp.New(`^\s*\d+ ?\|\s*\d|^\s*avg\. ?\||^\s*(?:CPU|Core|Group|Socket)\b.*\||^actual test time|^thread count|` +
				`^proc count|^Score:|^System information|^\s+(?:min|max|\d+th|\d-nines) \||^\s+\S`),
			result: lazyregexp.New(`^\s*total:`),
			object: lazyregexp.New(`<Results>[\s\S]*<(?:System|Profile|TimeSpan)\b`),
		},
		{
			Name: "ntttcp", Reader: "ntttcp",
			command: program(`ntttcp`),
			head:    lazyregexp.New(`^Copyright Version \d|^NTTTCP for Linux `),
			line: lazyregexp.New(`^#####  Totals:  #####|^\s*Bytes\(MEG\)\s+realtime\(s\)|^Thread\s+Time\(s\)\s+Throughput|` +
				`^Packets Sent\s+Packets Received|^DPCs\(count/s\)|^Throughput\(Buffers/s\)|` +
				`^\d\d:\d\d:\d\d (?:INFO|DBG|WARN|ERR) ?: `),
			more:   lazyregexp.New(`^\s*\d[\d.\s]*$|^Network activity|^[=\s]+$|^(?:WARNING|WARN): `),
			result: lazyregexp.New(`Totals:`),
			object: lazyregexp.New(`<ntttcp[sr]\b`),
		},
		{
			Name: "crystaldiskmark", Reader: "crystaldiskmark",
			command: program(`crystaldiskmark|diskmark\d*`),
			head:    lazyregexp.New(`^\s*CrystalDiskMark \d`),
			line: lazyregexp.New(`^\s*(?:SEQ|RND|Sequential|Random)\s+[\d.]+\s*[KM]i?B\s*\(Q=|` +
				`^\s*(?:Sequential|Random) (?:Read|Write)\b.*: +[\d.]+ [KMG]i?B/s|^\* MB/s = [\d,]+ bytes?/s|` +
				`Crystal Dew World`),
			more: lazyregexp.New(`^\s*(?:Profile|Test|Mode|Time|Date|OS|Comment|Measure|Disk)\s*:|^\s*\[(?:Read|Write|Mix)|` +
				`^\* KB = `),
			result: lazyregexp.New(`: +[\d.]+ [KMG]i?B/s`),
		},
		{
			Name:    "qperf",
			command: program(`qperf`),
			line:    lazyregexp.New(`^(?:tcp|udp|sctp|rds|sdp|rc|uc|ud|xrc)_(?:\w+_)?(?:bw|lat|mr):$`),
			more:    lazyregexp.New(`^\s+\w+\s+=\s`),
		},
		{
			Name:    "sockperf",
			Instead: "linerate measure latency HOST measures the same, with the cause",
			command: program(`sockperf`),
			line:    lazyregexp.New(`^sockperf: `),
		},
		{
			Name:    "netperf",
			Instead: "measure with iperf3, whose output linerate reads",
			command: program(`netperf`),
			head:    lazyregexp.New(`^(?:MIGRATED )?(?:TCP|UDP|SCTP)[ _](?:STREAM|MAERTS|RR|CRR|SENDFILE|REQUEST)\b`),
			line:    lazyregexp.New(`^Recv\s+Send\s+Send\s*$|^Socket\s+Message\s+Elapsed`),
			more:    lazyregexp.New(`^(?:Socket Socket|Size   |bytes  |Send   Recv|Local|Remote|Throughput|Elapsed)|^\s*\d+(?:\s+[\d.]+){1,}\s*$`),
		},
		{
			Name:    "nccl-tests",
			Instead: "measure the links below it: linerate measure rdma HOST",
			command: program(`(?:all_reduce|all_gather|alltoall|broadcast|reduce|reduce_scatter|sendrecv|gather|scatter|hypercube)_perf`),
			head:    lazyregexp.New(`^# nThread \d+ nGpus \d+`),
			line:    lazyregexp.New(`^#\s+size\s+count\s+(?:\(elements\)\s+)?type|^# Avg bus bandwidth|^# Out of bounds values`),
			more:    lazyregexp.New(`^#|^\s*\d+\s+\d+\s+(?:float|half|double|u?int|bfloat)\w*\s`),
		},
		{
			Name:    "OSU micro-benchmarks",
			command: program(`osu_\w+`),
			head:    lazyregexp.New(`^# OSU MPI`),
			line:    lazyregexp.New(`^# Size\s+(?:Bandwidth|Latency|Bi-Bandwidth)`),
			more:    lazyregexp.New(`^#|^\d+\s+[\d.]+\s*$`),
		},
		{
			Name:    "dd",
			Instead: "dd shows one request at a time through the page cache; measure with fio",
			command: program(`dd`),
			line:    lazyregexp.New(`^\d+ bytes\b.* (?:copied|transferred)|^\d+\+\d+ (?:records|blocks) (?:in|out)`),
		},
		{
			Name:    "hdparm",
			command: program(`hdparm`),
			line:    lazyregexp.New(`^\s*Timing (?:cached|buffered disk|O_DIRECT\b.*) reads:`),
		},
		{
			Name:    "ping",
			Instead: "linerate measure latency HOST measures round trips, with their spread",
			command: program(`ping6?`),
			head:    lazyregexp.New(`^PING \S+`),
			line:    lazyregexp.New(`^\d+ bytes from \S+ ?.*: icmp_seq=\d|^(?:rtt|round-trip) min/avg/max|^--- \S+ ping statistics`),
			more:    lazyregexp.New(`^\d+ packets transmitted|^ping: |^From `),
		},
	}
})

// Named returns the format of a name, in any case; nil: there is none.
func Named(name string) *Format {
	at := slices.IndexFunc(Formats(), func(f *Format) bool { return strings.EqualFold(f.Name, name) })
	if at < 0 {
		return nil
	}
	return Formats()[at]
}

// ReadNames returns the names of the formats whose values linerate reads.
func ReadNames() (out []string) {
	for _, f := range Formats() {
		if f.IsRead() {
			out = append(out, f.Name)
		}
	}
	return out
}

// isHead, isLine and isMore report whether a line is of the format.
func (f *Format) isHead(line string) bool   { return matches(f.head, line) }
func (f *Format) isLine(line string) bool   { return matches(f.line, line) }
func (f *Format) isMore(line string) bool   { return matches(f.more, line) }
func (f *Format) isResult(line string) bool { return matches(f.result, line) }

func matches(r *lazyregexp.Regexp, text string) bool { return r != nil && r.MatchString(text) }

// ofCommand returns the format of a command line; nil: there is none.
func ofCommand(command string) *Format {
	for _, f := range Formats() {
		if matches(f.command, command) {
			return f
		}
	}
	return nil
}

// ofLine returns the format whose output begins with the line (head), or that has the line; nil: none.
func ofLine(line string) (f *Format, head bool) {
	for _, f := range Formats() {
		if f.isHead(line) {
			return f, true
		}
	}
	for _, f := range Formats() {
		if f.isLine(line) {
			return f, false
		}
	}
	return nil, false
}

// ofObject returns the format of a JSON or XML text; nil: none.
func ofObject(text string) *Format {
	for _, f := range Formats() {
		if matches(f.object, text) {
			return f
		}
	}
	return nil
}
