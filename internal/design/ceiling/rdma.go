package ceiling

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"linerate/internal/base/diag"
	"linerate/internal/base/unit"
	"linerate/internal/record"
)

// InfiniBandSpeed is one lane of a generation of InfiniBand.
type InfiniBandSpeed struct {
	Name       string
	Signalling unit.BitRate // of one lane
	Data       [2]int       // data bits per signalled bits
}

// InfiniBandSpeeds returns the generations from SDR to XDR (InfiniBand Architecture
// Specification volume 2; FDR10 is Mellanox'). From HDR on RS(544,514) and 256b/257b leave 16 of 17 bits.
func InfiniBandSpeeds() []InfiniBandSpeed {
	old, new, corrected := [2]int{8, 10}, [2]int{64, 66}, [2]int{16, 17}
	return []InfiniBandSpeed{
		{"SDR", 2.5e9, old}, {"DDR", 5e9, old}, {"QDR", 10e9, old},
		{"FDR10", 10.3125e9, new}, {"FDR", 14.0625e9, new}, {"EDR", 25.78125e9, new},
		{"HDR", 53.125e9, corrected}, {"NDR", 106.25e9, corrected}, {"XDR", 212.5e9, corrected},
	}
}

// Sizes in bytes of InfiniBand's headers and checks (InfiniBand Architecture
// Specification volume 1; its annexes A16 and A17 for RoCE; RFC 5040, 5041 and 5044 for iWARP).
const (
	localRoute      = 8
	baseTransport   = 12
	invariantCheck  = 4
	variantCheck    = 2
	globalRoute     = 40
	rdmaHeader      = 16                                                         // RETH, once a message
	infiniBandExtra = localRoute + baseTransport + invariantCheck + variantCheck // 26
	iwarpExtra      = 2 + 14 + 4                                                 // length, DDP and RDMAP, check
)

// InfiniBandData is the rate of a port after line coding: lane * lanes * code. DDR 4X: 20 Gb/s of signalling, 16 Gb/s
// of data.
func InfiniBandData(speed string, lanes int) (Ceiling, error) {
	s, err := infiniBand(speed, lanes)
	if err != nil {
		return Ceiling{}, err
	}
	return made(s.data(lanes), s.formula(), declared("signalling", float64(s.Signalling)),
		declared("lanes", float64(lanes)))
}

// InfiniBandVerbs is the most payload of long RC or UC messages in packets of the path MTU: data * p / (p + 26): LRH 8,
// BTH 12, ICRC 4, VCRC 2.
func InfiniBandVerbs(speed string, lanes, pathMTU int) (Ceiling, error) {
	s, err := infiniBand(speed, lanes)
	if err != nil {
		return Ceiling{}, err
	}
	if err := checkPathMTU(pathMTU); err != nil {
		return Ceiling{}, err
	}
	return made(s.data(lanes)*float64(pathMTU)/float64(pathMTU+infiniBandExtra),
		s.formula()+" * path_mtu / (path_mtu + 26)", declared("signalling", float64(s.Signalling)),
		declared("lanes", float64(lanes)), declared("path_mtu", float64(pathMTU)))
}

// InfiniBandAt is InfiniBandVerbs for a port of which only the rate is known. sysfs and data sheets give the signalling
// rate (20 Gb/s is DDR 4X) or the data rate (100 Gb/s is EDR 4X).
func InfiniBandAt(rate unit.BitRate, pathMTU int) (Ceiling, error) {
	for _, lanes := range []int{4, 1, 12, 8} {
		for _, s := range InfiniBandSpeeds() {
			for _, known := range []float64{float64(s.Signalling) * float64(lanes), s.data(lanes)} {
				if math.Abs(known-float64(rate)) <= 0.01*known {
					return InfiniBandVerbs(s.Name, lanes, pathMTU)
				}
			}
		}
	}
	return Ceiling{}, fmt.Errorf("%v is the rate of no InfiniBand port (SDR 10, DDR 20, QDR 40, FDR 56, EDR 100 Gb/s "+
		"with four lanes)", rate)
}

func (s InfiniBandSpeed) data(lanes int) float64 {
	return float64(s.Signalling) * float64(lanes) * float64(s.Data[0]) / float64(s.Data[1])
}

func (s InfiniBandSpeed) formula() string {
	return fmt.Sprintf("signalling * lanes * %d / %d", s.Data[0], s.Data[1])
}

func infiniBand(speed string, lanes int) (InfiniBandSpeed, error) {
	var names []string
	for _, s := range InfiniBandSpeeds() {
		if strings.EqualFold(s.Name, speed) {
			if lanes != 1 && lanes != 4 && lanes != 8 && lanes != 12 {
				return s, diag.Advise(fmt.Errorf("InfiniBand has no width of %d lanes", lanes)).
					Note("its specification has 1, 4, 8 and 12, and 4 is usual")
			}
			return s, nil
		}
		names = append(names, s.Name)
	}
	return InfiniBandSpeed{}, diag.Advise(fmt.Errorf("InfiniBand speed %.20q is not known here", speed)).
		Note(fmt.Sprintf("known are %s", strings.Join(names, ", ")))
}

func checkPathMTU(p int) error {
	if slices.Contains(PathMTUs, unit.Bytes(p)) {
		return nil
	}
	return diag.Advise(fmt.Errorf("path MTU %d is none of InfiniBand's: 256, 512, 1024, 2048 or 4096", p)).
		Note("ibv_devinfo shows the active one")
}

// RoCE is the framing of RDMA on an Ethernet link.
type RoCE struct {
	Version int  // 1 or 2
	PathMTU int  // 256, 512, 1024, 2048 or 4096
	VLAN    bool // one 802.1Q tag
	IPv6    bool // version 2 only
	// Message is the size of one RDMA read or write, which has 16 bytes of RETH in one packet; 0: one endless message,
	// without RETH.
	Message unit.Bytes
	Send    bool // the messages are SENDs, which have no RETH
}

// overhead returns the bytes on the wire of one packet besides its payload.
func (r RoCE) overhead() int {
	n := wireOverhead + baseTransport + invariantCheck
	switch {
	case r.Version == 1:
		n += globalRoute
	case r.IPv6:
		n += ipv6Header + udpHeader
	default:
		n += ipv4Header + udpHeader
	}
	if r.VLAN {
		n += vlanTag
	}
	return n
}

// RDMAOverEthernet is the most payload of RoCE in packets of the path MTU p:
//
//	version 2: rate * p / (p + 82)   14 + 20 IP + 8 UDP + 12 BTH + 4 ICRC + 4 + 8 + 12
//	version 1: rate * p / (p + 94)   with 40 GRH in place of IP and UDP
//
// It is 4 more with a VLAN tag, and 20 more with IPv6. With a message size m of n packets: rate * m / (m + n * 82 +
// 16).
func RDMAOverEthernet(rate unit.BitRate, r RoCE) (Ceiling, error) {
	return r.over(rate, r.overhead())
}

// RDMAThroughShaper is RDMAOverEthernet behind a Linux tbf shaper of the rate, which does not count preamble, gap and
// frame check: 24 bytes a packet less, as for TCPThroughShaper.
func RDMAThroughShaper(rate unit.BitRate, r RoCE) (Ceiling, error) {
	return r.over(rate, r.overhead()-wireOverhead+ethernetHeader)
}

// over is the ceiling where each packet takes overhead more bytes than its payload.
func (r RoCE) over(rate unit.BitRate, overhead int) (Ceiling, error) {
	if err := positive("the link's rate", float64(rate)); err != nil {
		return Ceiling{}, err
	}
	if r.Version != 1 && r.Version != 2 || r.Version == 1 && r.IPv6 {
		return Ceiling{}, fmt.Errorf("RoCE version %d with IPv6 %v is none: there are 1 (no IP) and 2 (IPv4 or IPv6)",
			r.Version, r.IPv6)
	}
	if err := checkPathMTU(r.PathMTU); err != nil {
		return Ceiling{}, err
	}
	if r.Message < 0 {
		return Ceiling{}, fmt.Errorf("a message of %d bytes cannot be sent", int64(r.Message))
	}
	p, over := float64(r.PathMTU), float64(overhead)
	in := []record.Input{declared("rate", float64(rate)), declared("path_mtu", p)}
	if r.Message == 0 {
		return made(float64(rate)*p/(p+over), "rate * path_mtu / (path_mtu + "+strconv.Itoa(overhead)+")", in...)
	}
	m, head := float64(r.Message), rdmaHeader
	if r.Send {
		head = 0
	}
	packets := float64((int64(r.Message)-1)/int64(r.PathMTU) + 1)
	return made(float64(rate)*m/(m+packets*over+float64(head)),
		"rate * message / (message + packets * "+strconv.Itoa(overhead)+" + "+strconv.Itoa(head)+")",
		append(in, declared("message", m), declared("packets", packets))...)
}

// IWARPOverEthernet is the most payload of RDMA over TCP, with one FPDU a segment:
//
//	rate * floor4(segment - 20 - markers) / wire
//
// floor4 rounds down to a multiple of 4 bytes. Markers, where both ends use them, are 4 bytes in every 512 (RFC 5044).
// segment and wire are as in TCPOverEthernet.
func IWARPOverEthernet(rate unit.BitRate, e Ethernet, markers bool) (Ceiling, error) {
	return e.iwarp(rate, markers, e.Wire(), e.wireFormula())
}

// IWARPThroughShaper is IWARPOverEthernet behind a Linux tbf shaper of the rate, which counts a packet and 14 bytes, as
// for TCPThroughShaper.
func IWARPThroughShaper(rate unit.BitRate, e Ethernet) (Ceiling, error) {
	return e.iwarp(rate, false, e.MTU+ethernetHeader, "mtu + "+strconv.Itoa(ethernetHeader))
}

// iwarp is the ceiling where a full packet takes so many bytes.
func (e Ethernet) iwarp(rate unit.BitRate, markers bool, packet int, packetFormula string) (Ceiling, error) {
	if err := e.usable(rate); err != nil {
		return Ceiling{}, err
	}
	payload, formula := e.Segment()-iwarpExtra, "rate * floor4"+strings.TrimSuffix(e.payloadFormula(), ")")+" - 20"
	if markers {
		payload -= 4 * ((e.Segment() + 511) / 512)
		formula += " - markers"
	}
	payload -= payload & 3
	if payload <= 0 {
		return Ceiling{}, diag.Advise(
			fmt.Errorf("MTU %d leaves no room for data behind the headers of TCP and iWARP", e.MTU),
			"use 1500 or more")
	}
	return made(float64(rate)*float64(payload)/float64(packet), formula+") / ("+packetFormula+")",
		declared("rate", float64(rate)), declared("mtu", float64(e.MTU)))
}

// PathMTUs are the path MTUs of RDMA in bytes (InfiniBand Architecture Specification volume 1).
var PathMTUs = []unit.Bytes{256, 512, 1024, 2048, 4096}

// headersOfRDMA is what the kernel reserves for all headers that an RDMA packet in an Ethernet frame may have: GRH 40,
// UDP 8, BTH 12, XRC 4, atomic 28, ICRC 4 (iboe_get_mtu of include/rdma/ib_addr.h).
const headersOfRDMA = 96

// PathMTUFor returns the largest path MTU of RDMA over Ethernet at an IP MTU: 1024 at 1500, 4096 at 9000; 0 where none
// fits.
func PathMTUFor(mtu int) unit.Bytes {
	best := unit.Bytes(0)
	for _, m := range PathMTUs {
		if int(m)+headersOfRDMA <= mtu {
			best = m
		}
	}
	return best
}
