package ceiling

import (
	"fmt"
	"regexp"
	"strconv"

	"linerate/internal/base/diag"
	"linerate/internal/base/unit"
	"linerate/internal/record"
)

// Bytes of headers that a storage protocol adds to the data of one request on a TCP stream, in the direction of the
// data.
const (
	ISCSIHeader = 48              // basic header segment (RFC 7143), without digests
	NVMeHeader  = 24 + 24         // read: C2HData and the response (NVMe/TCP transport specification), without digests
	SMB3Header  = 4 + 64 + 16     // read: stream, SMB2 and READ response headers (MS-SMB2 2.2.20)
	SMB3Sealed  = SMB3Header + 52 // and the transform header of encryption (MS-SMB2 2.2.41)
	// read: record mark and reply (RFC 5531), READ3resok with the file's attributes (RFC 1813)
	NFS3Header = 4 + 24 + 104
)

// Framed is the payload of a storage protocol over a TCP ceiling, where every request of size bytes adds header bytes:
// tcp * size / (size + header).
func Framed(tcp Ceiling, size unit.Bytes, header int) (Ceiling, error) {
	if err := allPositive(number{"the size of a request", float64(size)},
		number{"the rate of TCP", float64(tcp.Rate)}); err != nil {
		return Ceiling{}, err
	}
	if header < 0 {
		return Ceiling{}, fmt.Errorf("a header of %d bytes is none", header)
	}
	inputs := append([]record.Input{}, tcp.Inputs...)
	return made(float64(tcp.Rate)*float64(size)/(float64(size)+float64(header)),
		tcp.Formula+" * size / (size + "+strconv.Itoa(header)+")", append(inputs, declared("size", float64(size)))...)
}

type serial struct {
	rate float64 // bits per second of one lane
	code [2]int
}

// SATA (Serial ATA specification) and SAS (INCITS SAS-1 to SAS-4) by generation.
var (
	sata = [...]serial{1: {1.5e9, [2]int{8, 10}}, 2: {3e9, [2]int{8, 10}}, 3: {6e9, [2]int{8, 10}}}
	sas  = [...]serial{
		1: {3e9, [2]int{8, 10}},
		2: {6e9, [2]int{8, 10}},
		3: {12e9, [2]int{8, 10}},
		4: {22.5e9, [2]int{128, 150}},
	}
)

var driveForm = regexp.MustCompile(`^(sata|sas)([1-9])(?:x([1-9]\d?))?$`)

// DriveInterface is the rate of a drive's bus after line coding: rate * lanes * code. bus is sata3, sas3x4 or pcie3x4
// (as PCIeRaw). Drives reach some 90 % of a SATA or SAS lane, and usually far less than their bus.
func DriveInterface(bus string) (Ceiling, error) {
	m := driveForm.FindStringSubmatch(bus)
	if m == nil {
		p, err := ParsePCIe(bus, 256)
		if err != nil {
			return Ceiling{}, diag.Advise(fmt.Errorf("%.40q is not a bus of a drive", bus),
				"write sata3, sas3x4 or pcie3x4")
		}
		return PCIeRaw(p)
	}
	generation, _ := strconv.Atoi(m[2])
	lanes := 1
	if m[3] != "" {
		lanes, _ = strconv.Atoi(m[3])
	}
	known := sas[:]
	if m[1] == "sata" {
		known = sata[:]
		if lanes != 1 {
			return Ceiling{}, diag.Advise(fmt.Errorf("%s: a SATA drive has one lane", bus),
				fmt.Sprintf("write sata%d, or sas%dx%d for a wide SAS port", generation, generation, lanes))
		}
	}
	if generation >= len(known) {
		return Ceiling{}, fmt.Errorf("%s: generations of %s go from 1 to %d", bus, m[1], len(known)-1)
	}
	s := known[generation]
	return made(s.rate*float64(lanes)*float64(s.code[0])/float64(s.code[1]),
		fmt.Sprintf("rate * lanes * %d / %d", s.code[0], s.code[1]), declared("rate", s.rate),
		declared("lanes", float64(lanes)))
}

// Replicated is the ceiling of one writing node of a cluster while all nodes write. The cluster keeps a number of
// copies of every byte on different nodes, the writer among them, spread evenly, and each node has a network of the
// rate. copies * (nodes - 1) / nodes copies of a byte cross the network, so that the ceiling is
//
//	rate * nodes / (copies * (nodes - 1))
//
// 3 copies on 4 nodes: 2.25 bytes cross the network for each written byte. All nodes together write nodes times as
// much.
func Replicated(network Ceiling, copies, nodes int) (Ceiling, error) {
	if err := allPositive(number{"the number of copies", float64(copies)},
		number{"the network's rate", float64(network.Rate)}); err != nil {
		return Ceiling{}, err
	}
	if nodes < 2 || copies > nodes {
		return Ceiling{}, diag.Advise(
			fmt.Errorf("%d copies on %d nodes: each copy is on a node of its own, and with one node "+
				"nothing is sent", copies, nodes),
			"write at least 2 nodes, and no more copies than nodes")
	}
	return made(float64(network.Rate)*float64(nodes)/(float64(copies)*float64(nodes-1)), "network * nodes / (copies * "+
		"(nodes - 1))",
		declared("network", float64(network.Rate)), declared("copies", float64(copies)), declared("nodes", float64(nodes)))
}
