package parse

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"linerate/internal/base/lazyregexp"
	"linerate/internal/base/unit"
	"linerate/internal/facts"
	"linerate/internal/facts/parse"
)

var (
	bsdStat     = lazyregexp.New(`^\s+(\d+) (.+)$`)
	inBracketsS = lazyregexp.New(` \([^)]*\)`)
)

// bsdStats are the counters to keep, by the protocol and the text of netstat -s without brackets, under Linux' names.
var bsdStats = map[string]string{"tcp: packets sent": "Tcp.OutSegs", "tcp: packets received": "Tcp.InSegs",
	"tcp: data packets retransmitted": "Tcp.RetransSegs", "tcp: discarded for bad checksums": "Tcp.InCsumErrors",
	"tcp: retransmit timeouts": "TcpExt.TCPTimeouts", "tcp: out-of-order packets": "TcpExt.TCPOFOQueue",
	"tcp: listen queue overflows": "TcpExt.ListenOverflows", "udp: datagrams received": "Udp.InDatagrams",
	"udp: dropped due to full socket buffers": "Udp.RcvbufErrors", "ip: fragments dropped": "Ip.ReasmFails",
	"ip: fragments received": "Ip.ReasmReqds"}

// parseNetstatS reads "netstat -s" of FreeBSD: one paragraph per protocol, one counter per line. Format:
// https://man.freebsd.org/netstat(1) and usr.bin/netstat/inet.c; no complete snapshot exists.
//
//	tcp:
//		226578 packets sent
//			40440 data packets (7010117 bytes) retransmitted
func parseNetstatS(text []byte) (map[string]uint64, error) {
	out := map[string]uint64{}
	protocol := ""
	for line := range strings.Lines(string(text)) {
		line = strings.TrimRight(line, "\r\n ")
		if line != "" && line[0] != '\t' && line[0] != ' ' && strings.HasSuffix(line, ":") {
			protocol = line
			continue
		}
		m := bsdStat.FindStringSubmatch(line)
		if m == nil || protocol == "" {
			continue
		}
		words := inBracketsS.ReplaceAllString(m[2], "")
		for _, w := range []string{words, strings.TrimSuffix(words, "s"), words + "s"} { // one packet, two packets
			if name, ok := bsdStats[protocol+" "+w]; ok {
				if n, err := strconv.ParseUint(m[1], 10, 64); err == nil {
					out[name] = n
				}
				break
			}
		}
	}
	if len(out) == 0 {
		return nil, parse.ToolError(text)
	}
	return out, nil
}

var bsdDenied = lazyregexp.New(`^((?:\d+/)*\d+) requests for (mbufs|jumbo clusters) denied`)

// readNetstatM reads "netstat -m" of FreeBSD: failed memory requests of the kernel. Format: usr.bin/netstat/mbuf.c; no
// snapshot exists.
//
//	0/0/0 requests for mbufs denied (mbufs/clusters/mbuf+clusters)
func readNetstatM(f *parse.Builder, _ []string, text []byte) error {
	found := false
	for line := range strings.Lines(string(text)) {
		m := bsdDenied.FindStringSubmatch(strings.TrimSpace(line))
		if m == nil {
			continue
		}
		found = true
		sum := uint64(0)
		for n := range strings.SplitSeq(m[1], "/") {
			v, err := strconv.ParseUint(n, 10, 62)
			if err != nil {
				return fmt.Errorf("%.40q is not a count", n)
			}
			sum += v
		}
		f.Counted(facts.NoBuffer, "", sum, unit.Unknown[uint64]("netstat -m does not print how many were given"), line)
	}
	if !found {
		return parse.ToolError(text)
	}
	return nil
}

// readVmstatZ reads "vmstat -z" of FreeBSD: the memory zones for packets, and their failures. Format:
// https://man.freebsd.org/vmstat(8); with a snapshot.
//
//	ITEM                   SIZE  LIMIT     USED     FREE      REQ FAIL SLEEP
//	mbuf_packet:            256, 26137965,    8190,    1424,    9121,   0,   0
func readVmstatZ(f *parse.Builder, _ []string, text []byte) error {
	var names []string
	for line := range strings.Lines(string(text)) {
		if words := strings.Fields(line); len(words) > 5 && words[0] == "ITEM" {
			names = words[1:]
			continue
		}
		zone, rest, ok := strings.Cut(line, ":")
		if !ok || !strings.HasPrefix(zone, "mbuf") || names == nil {
			continue
		}
		values := strings.FieldsFunc(rest, func(r rune) bool {
			return r == ',' || r == ' ' || r == '\t' || r == '\n' ||
				r == '\r'
		})
		requests, failed := slices.Index(names, "REQ"), slices.Index(names, "FAIL")
		if requests < 0 || failed < 0 || len(values) <= max(requests, failed) {
			continue
		}
		asked, err1 := strconv.ParseUint(values[requests], 10, 62)
		none, err2 := strconv.ParseUint(values[failed], 10, 62)
		if err1 == nil && err2 == nil {
			f.Counted(facts.NoBuffer, "", none, unit.Known(asked), line)
		}
	}
	if names == nil {
		return parse.ToolError(text)
	}
	return nil
}

// readNetstatQ reads "netstat -Q" of FreeBSD: the queues of the network threads, by CPU. Format:
// usr.bin/netstat/netisr.c; no snapshot exists.
//
//	WSID CPU   Name     Len WMark   Disp'd  HDisp'd   QDrops   Queued  Handled
//	   0   0   ip         0     6     1236        0        0     1352     2588
func readNetstatQ(f *parse.Builder, _ []string, text []byte) error {
	head := false
	for line := range strings.Lines(string(text)) {
		words := strings.Fields(line)
		if len(words) > 9 && words[0] == "WSID" {
			head = true
			continue
		}
		if !head || len(words) < 8 {
			continue
		}
		drops, err1 := strconv.ParseUint(words[len(words)-3], 10, 62)
		handled, err2 := strconv.ParseUint(words[len(words)-1], 10, 62)
		if err1 == nil && err2 == nil {
			f.Counted(facts.BacklogDrops, "", drops, unit.Known(handled), line)
		}
	}
	if !head {
		return parse.ToolError(text)
	}
	return nil
}

// parseKldstat reads "kldstat" (without -v): the loaded modules of FreeBSD's kernel, without those built into it.
// Format: https://man.freebsd.org/kldstat(8); with a snapshot.
//
//	Id Refs Address                Size Name
//	 2    1 0xffffffff8214e000   620f30 zfs.ko
func parseKldstat(text []byte) ([]facts.Module, error) {
	list := []facts.Module{}
	head := false
	for line := range strings.Lines(string(text)) {
		words := strings.Fields(line)
		if len(words) == 5 && words[0] == "Id" {
			head = true
			continue
		}
		if !head || len(words) != 5 || !strings.HasSuffix(words[4], ".ko") {
			continue
		}
		refs, err1 := strconv.Atoi(words[1])
		size, err2 := strconv.ParseInt(strings.TrimPrefix(words[3], "0x"), 16, 62)
		if err1 != nil || err2 != nil {
			return nil, fmt.Errorf("module %.40s: %.20q users, %.20q bytes", words[4], words[1], words[3])
		}
		list = append(list, facts.Module{Name: strings.TrimSuffix(words[4], ".ko"), Size: unit.Bytes(size),
			Users: unit.Known(refs), Version: unit.Unknown[string]("kldstat has no versions")})
	}
	if !head {
		return nil, parse.ToolError(text)
	}
	return list, nil
}

var (
	bsdInterrupt = lazyregexp.New(`^(?:irq(\d+): )?(\S.*?)\s+(\d+)\s+(\d+)$`)
	bsdQueue     = lazyregexp.New(`^([a-z][a-z0-9_]*?\d+):(?:que ?|rxq|rx ?|rq|q|chan)(\d+)$`)
)

// parseVmstatI reads "vmstat -i" (-a) of FreeBSD: interrupts since boot, without the CPUs that served them. Format:
// https://man.freebsd.org/vmstat(8); with a snapshot.
//
//	interrupt                          total       rate
//	irq273: igb1:que 0                  1291          1
func parseVmstatI(text []byte) (*facts.Interrupts, error) {
	in := &facts.Interrupts{}
	head := false
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "interrupt ") && strings.HasSuffix(line, " rate") {
			head = true
			continue
		}
		m := bsdInterrupt.FindStringSubmatch(line)
		if !head || m == nil || m[1] == "" {
			continue
		}
		number, err1 := strconv.Atoi(m[1])
		total, err2 := strconv.ParseUint(m[3], 10, 64)
		if err1 != nil || err2 != nil {
			continue
		}
		i := facts.Interrupt{Number: number, Name: m[2], Total: total}
		if q := bsdQueue.FindStringSubmatch(m[2]); q != nil {
			i.Device = q[1]
		}
		in.Lines = append(in.Lines, i)
	}
	if !head {
		return nil, parse.ToolError(text)
	}
	return in, nil
}

// putVmstatI stores the number of receive queues of each interface. It stores no Interrupts, because the CPUs are
// unknown.
func putVmstatI(f *parse.Builder, _ []string, in *facts.Interrupts) {
	queues := map[string]int{}
	for _, i := range in.Lines {
		if i.Device != "" {
			queues[i.Device]++
		}
	}
	f.Later(func() {
		for name, n := range queues {
			if nic := f.NIC(name); nic != nil && !nic.Queues.IsKnown() {
				nic.Queues = unit.Known(n)
			}
		}
	})
}
