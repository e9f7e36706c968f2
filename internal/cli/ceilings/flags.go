package ceilings

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"linerate/internal/base/diag"
	"linerate/internal/base/method"
	"linerate/internal/base/unit"
	"linerate/internal/base/xslices"
	"linerate/internal/cli"
	"linerate/internal/design/ceiling"
	"linerate/internal/design/fabric"
	"linerate/internal/inspect/path"
)

// Flags describe links, drives and PCIe slots without a fabric file.
type Flags struct {
	rate, variant, direction, pcie, interval, rtt, loss, drive, io, latency, perPacket, perByte, layout, writer string
	transports                                                                                                  []string
	mtu, pathMTU, payload, depth, copies, nodes, drives                                                         int
	ipv6, vlan, noTS, markers, reading, AsJSON                                                                  bool
	// the flags on the command line
	Given []string
}

// Define adds the flags.
func (f *Flags) Define(flags *pflag.FlagSet) {
	names := xslices.Map(path.Transports(), func(t path.Transport) string { return t.Name })
	flags.StringVar(&f.rate, "link", "",
		"the link's rate, such as 40G; of InfiniBand SDR to XDR, four lanes or as in FDRx1")
	flags.StringSliceVar(&f.transports, "transport", []string{"tcp"}, strings.Join(names, ", "))
	flags.StringVar(&f.direction, "direction", "out", "out, or both at once")
	flags.IntVar(&f.mtu, "mtu", 1500, "the IP MTU in bytes")
	flags.BoolVar(&f.ipv6, "ipv6", false, "IPv6 instead of IPv4")
	flags.BoolVar(&f.vlan, "vlan", false, "with a VLAN tag")
	flags.BoolVar(&f.noTS, "no-timestamps", false, "without TCP timestamps (Windows by default)")
	flags.IntVar(&f.pathMTU, "path-mtu", 0, "of RDMA: 256 to 4096 bytes (RoCE: by default what the MTU allows)")
	flags.BoolVar(&f.markers, "markers", false, "iWARP with markers in its stream")
	flags.StringVar(&f.io, "io", "", "bytes of a request or message, such as 128KiB")
	flags.StringVar(&f.pcie, "pcie", "", "the NIC's bus as it came up, such as 3.0x8")
	flags.IntVar(&f.payload, "payload", 256, "its MaxPayload in bytes")
	flags.StringVar(&f.drive, "drive", "", "a drive's bus: sata3, sas3x4, pcie3x4; or its own rate, such as 3GB/s")
	flags.StringVar(&f.layout, "layout", "",
		"of several such drives: raid0, raid1, mirror3, raid10, raid5, raid6, raidz2 (with --drives)")
	flags.IntVar(&f.drives, "drives", 0, "how many there are")
	flags.IntVar(&f.depth, "depth", 0, "requests under way at once (with --latency and --io)")
	flags.StringVar(&f.latency, "latency", "", "time of a request, such as 100us")
	flags.StringVar(&f.perPacket, "per-packet", "", "time of one core a packet, such as 593ns")
	flags.StringVar(&f.perByte, "per-byte", "", "time of one core a byte, such as 0.26ns")
	flags.StringVar(&f.interval, "window", "", "of one TCP connection, such as 64KiB (with --rtt)")
	flags.StringVar(&f.rtt, "rtt", "", "round trip time, such as 0.1ms")
	flags.StringVar(&f.loss, "loss", "", "share of packets lost, such as 0.1% (with --rtt)")
	flags.IntVar(&f.copies, "replicas", 0, "copies that a cluster keeps of each byte written (with --nodes)")
	flags.IntVar(&f.nodes, "nodes", 0, "nodes of that cluster")
	flags.StringVar(&f.writer, "writer", "spread",
		"who writes into it: spread (a node; copies are on any), member (one is its own) or outside (a host that sends "+
			"all of them)")
	flags.BoolVar(&f.reading, "reading", false,
		"of a layout or a cluster: what is read, a node's own copy first, in place of what is written")
	flags.StringVar(&f.variant, "variant", "", "merge a variant into the file; several with +")
	flags.BoolVar(&f.AsJSON, "json", false, "print one JSON object")
}

// OnlyWithout refuses all flags but some, where a file or a run determines their values.
func (f *Flags) OnlyWithout(says string, wrong *cli.Errors, but ...string) {
	for _, name := range f.Given {
		if !slices.Contains(but, name) {
			wrong.Add(fmt.Errorf("--%s: %s", name, says))
		}
	}
}

// IsGiven reports whether any of the flags is used.
func (f *Flags) IsGiven(name string) bool { return slices.Contains(f.Given, name) }

var infiniBandRate = regexp.MustCompile(`(?i)^(SDR|DDR|QDR|FDR10|FDR|EDR|HDR|NDR|XDR)(?:x(\d{1,2}))?$`)

// asked turns the flags into the query and its transports. It reports all errors together.
func (f *Flags) asked(wrong *cli.Errors) (path.Asked, []path.Transport) {
	a := path.Asked{Frame: ceiling.Ethernet{MTU: f.mtu, IPv6: f.ipv6, VLAN: f.vlan, Timestamps: !f.noTS},
		PathMTU: f.pathMTU, Markers: f.markers, PCIe: f.pcie, Drive: f.drive, Depth: f.depth, Copies: f.copies,
		Nodes: f.nodes, Layout: f.layout, Drives: f.drives, Writer: f.writer, Reading: f.reading, WithoutLink: f.rate == ""}
	if f.IsGiven("payload") {
		a.Payload = f.payload
	}
	switch f.direction {
	case "out":
	case "both":
		a.Both = true
	default:
		wrong.Add(fmt.Errorf("--direction %s: write out or both", f.direction))
	}
	if !slices.Contains([]string{ceiling.WriterSpread, ceiling.WriterMember, ceiling.WriterOutside}, f.writer) {
		wrong.Add(fmt.Errorf("--writer %s: write spread, member or outside", f.writer))
	}
	if f.reading && f.IsGiven("writer") {
		wrong.Add(cli.Advise(errors.New("--reading with --writer: it is asked what is read"),
			"omit one of them"))
	}
	transports := f.chosen(&a, wrong)
	f.numbers(&a, wrong)
	f.together(&a, wrong)
	f.unused(transports, wrong)
	return a, transports
}

// chosen reads the rate and the transports.
func (f *Flags) chosen(a *path.Asked, wrong *cli.Errors) []path.Transport {
	names := f.transports
	m := infiniBandRate.FindStringSubmatch(f.rate)
	switch {
	case m != nil:
		a.InfiniBand, a.Lanes = m[1], 4
		if m[2] != "" {
			a.Lanes, _ = strconv.Atoi(m[2])
		}
		if !f.IsGiven("transport") {
			names = []string{"ib"}
		}
	case f.rate != "":
		rate, err := unit.ParseBitRate(f.rate)
		if err != nil {
			wrong.Add(cli.Advise(fmt.Errorf("--link: %w", err),
				"or SDR, DDR, QDR, FDR10, FDR, EDR, HDR, NDR or XDR for InfiniBand"))
		} else if rate <= 0 {
			wrong.Add(cli.Advise(fmt.Errorf("--link %s: a link carries more than nothing", f.rate),
				"write the link's rate, such as 40G"))
		}
		a.Rate = max(rate, 1)
	case f.IsGiven("transport"):
		wrong.Add(&cli.Advice{ID: diag.LinkUnknown, Text: "--transport needs the speed of the link",
			Help: []string{"add --link 40G"}})
		a.Rate = 1
	case f.pcie == "" && f.drive == "" && f.depth == 0 && f.interval == "" && f.loss == "" &&
		f.perPacket == "" && f.perByte == "":
		wrong.Add(&cli.Advice{ID: diag.ArgumentMissing, Text: "missing FABRIC.yaml or --link RATE",
			Help: []string{"linerate ceiling --link 40G --mtu 9000"}})
		return nil
	default:
		// A query about a bus has no link, so no headers are subtracted.
		return []path.Transport{{}}
	}
	known := path.Transports()
	var out []path.Transport
	for _, name := range names {
		i := slices.IndexFunc(known, func(t path.Transport) bool { return t.Name == name })
		if i < 0 {
			all := xslices.Map(known, func(t path.Transport) string { return t.Name })
			wrong.Add(unknownTransport(name, all))
			continue
		}
		if (name == "ib") != (m != nil) {
			wrong.Add(
				fmt.Errorf("--transport %s does not go with --link %s: ib has the rates SDR to XDR, all others one such as 40G",
					name, f.rate))
			continue
		}
		out = append(out, known[i])
	}
	return out
}

// numbers reads values with units.
func (f *Flags) numbers(a *path.Asked, wrong *cli.Errors) {
	sizes := []struct {
		flag, text string
		to         *unit.Bytes
	}{{"io", f.io, &a.IO}, {"window", f.interval, &a.Interval}}
	for _, x := range sizes {
		if x.text == "" {
			continue
		}
		v, err := unit.ParseBytes(x.text)
		if err == nil && v <= 0 {
			err = cli.Advise(fmt.Errorf("%s: nothing cannot be carried", x.text),
				"write a size such as 64KiB")
		}
		if err != nil {
			wrong.Add(fmt.Errorf("--%s: %w", x.flag, err))
		}
		*x.to = v
	}
	times := []struct {
		flag, text string
		to         *time.Duration
	}{{"rtt", f.rtt, &a.RTT}, {"latency", f.latency, &a.Latency}, {"per-packet", f.perPacket, &a.PerPacket}}
	for _, x := range times {
		if x.text == "" {
			continue
		}
		v, err := unit.ParseDuration(x.text)
		if err == nil && v <= 0 {
			err = fmt.Errorf("%s: a time is above 0 and at least 1ns", x.text)
		}
		if err != nil {
			wrong.Add(fmt.Errorf("--%s: %w", x.flag, err))
		}
		*x.to = v
	}
	if f.perByte != "" {
		v, err := perByte(f.perByte)
		if err != nil {
			wrong.Add(fmt.Errorf("--per-byte: %w", err))
		}
		a.PerByte = v
	}
	if f.loss != "" {
		v, err := unit.ParsePercent(f.loss)
		if err == nil && (v <= 0 || v >= 1) {
			err = fmt.Errorf("%s: a loss that bounds a connection is above 0 and below 100 %%", f.loss)
		}
		if err != nil {
			wrong.Add(fmt.Errorf("--loss: %w", err))
		}
		a.Loss = v
	}
}

// perByte reads a time per byte, mostly a fraction of a nanosecond, in seconds.
func perByte(s string) (float64, error) {
	for suffix, k := range map[string]float64{"ns": 1e-9, "ps": 1e-12} {
		if v, err := strconv.ParseFloat(strings.TrimSpace(strings.TrimSuffix(s, suffix)),
			64); err == nil && strings.HasSuffix(s, suffix) && v > 0 && v < 1e9 {
			return v * k, nil
		}
	}
	return 0, cli.Advise(fmt.Errorf("%q is not a time a byte", s), "write it as 0.26ns or 260ps")
}

// together reports flags that need each other.
func (f *Flags) together(a *path.Asked, wrong *cli.Errors) {
	for _, x := range []struct {
		flag  string
		needs []string
		why   string
	}{
		{"window", []string{"rtt"}, "a window is sent once in a round trip"},
		{"loss", []string{"rtt"}, "a connection recovers by round trips"},
		{"depth", []string{"latency", "io"}, "requests under way, their size and their time make a rate"},
		{"latency", []string{"depth", "io"}, "requests under way, their size and their time make a rate"},
		{"per-packet", []string{"per-byte"}, "a core works on packets and on bytes"},
		{"per-byte", []string{"per-packet"}, "a core works on packets and on bytes"},
		{"replicas", []string{"nodes", "link"}, "copies are spread over nodes and cross their network"},
		{"nodes", []string{"replicas"}, "nodes are those of a cluster that keeps copies"},
		{"payload", []string{"pcie"}, "MaxPayload is the bus's"},
		{"layout", []string{"drive", "drives"}, "drives of one kind are joined"},
		{"drives", []string{"layout"}, "how they are joined says what they carry together"},
		{"writer", []string{"replicas"}, "it writes copies into a cluster"},
	} {
		for _, other := range x.needs {
			if f.IsGiven(x.flag) && !f.IsGiven(other) {
				wrong.Add(fmt.Errorf("--%s without --%s: %s", x.flag, other, x.why))
			}
		}
	}
	if f.IsGiven("depth") && f.depth < 1 {
		wrong.Add(fmt.Errorf("--depth %d: at least one request is under way", f.depth))
	}
	if f.IsGiven("payload") && f.payload < 1 {
		wrong.Add(fmt.Errorf("--payload %d: MaxPayload is 128, 256, 512, 1024, 2048 or 4096", f.payload))
	}
	if f.IsGiven("path-mtu") && f.pathMTU < 1 {
		wrong.Add(fmt.Errorf("--path-mtu %d: RDMA has 256, 512, 1024, 2048 and 4096", f.pathMTU))
	}
	if f.reading && !f.IsGiven("replicas") && !f.IsGiven("layout") {
		wrong.Add(errors.New("--reading without --replicas or --layout: it is of a cluster or of several drives"))
	}
	if f.IsGiven("replicas") && f.copies < 1 {
		wrong.Add(fmt.Errorf("--replicas %d: at least one is kept", f.copies))
	}
}

// unused reports flags that change nothing for any of the transports.
func (f *Flags) unused(transports []path.Transport, wrong *cli.Errors) {
	if len(transports) == 0 {
		return
	}
	uses := []string{"link", "transport", "json", "pcie", "payload", "drive", "depth", "latency", "rtt", "replicas",
		"nodes",
		"writer", "reading", "layout", "drives"}
	whom := "what has no --link"
	if f.rate == "" {
		uses = append(uses, "io", "window", "loss", "per-packet", "per-byte", "mtu", "ipv6", "no-timestamps", "direction")
	} else {
		var names []string
		for _, t := range transports {
			names, uses = append(names, t.Name), append(uses, t.Uses...)
		}
		whom = strings.Join(names, ", ")
	}
	if f.IsGiven("depth") {
		uses = append(uses, "io")
	}
	for _, name := range f.Given {
		if !slices.Contains(uses, name) {
			wrong.Add(cli.Advise(fmt.Errorf("--%s changes nothing for %s", name, whom),
				"omit it"))
		}
	}
}

func transportTitle(name string) string {
	for _, t := range path.Transports() {
		if t.Name == name {
			return t.Title
		}
	}
	return "Without a link"
}

// unknownTransport is the error of a transport that has no formula. rdma is a family of four.
func unknownTransport(name string, all []string) error {
	a := &cli.Advice{ID: diag.FlagValue, Text: fmt.Sprintf("--transport: unknown value %q", name),
		Note: []string{"transports: " + strings.Join(all, ", ")}}
	switch meant := method.MeantValue("transport", name); {
	case name == "rdma":
		a.Help = []string{"write rocev2, rocev1, ib or iwarp"}
	case slices.Contains(all, meant):
		a.Help = []string{"write --transport " + meant}
	default:
		if near := fabric.Nearest(name, all); near != "" {
			a.Help = []string{"did you mean " + near + "?"}
		}
	}
	return a
}
