package ceiling

import (
	"fmt"
	"linerate/internal/record"
	"regexp"
	"strconv"
	"strings"
)

// Layout is how a volume puts its data on several drives of one kind.
type Layout struct {
	Name   string // as it was written: raid6, mirror3
	Drives int
	Copies int  // of each byte; 1: none but itself
	Parity int  // drives' worth of parity in each row; 0: none
	Whole  bool // a block lies on all drives of its row (raidz), so that each of its requests takes all of them
}

var layoutForm = regexp.MustCompile(`^(stripe|raid0|mirror|raid10|raid1|raid5|raid6|raidz)([0-9]*)$`)

// ParseLayout reads raid0 or stripe, mirror2, mirror3 (raid1: 2 copies; raid10: a stripe of pairs), raid5, raid6, and raidz1 to raidz3 of a number of drives.
func ParseLayout(name string, drives int) (Layout, error) {
	l := Layout{Name: name, Drives: drives, Copies: 1}
	m := layoutForm.FindStringSubmatch(strings.ToLower(name))
	n := 0
	if m != nil && m[2] != "" {
		n, _ = strconv.Atoi(m[2])
	}
	least := 1
	switch {
	case m == nil:
	case m[1] == "mirror" && (m[2] == "" || n >= 2):
		l.Copies = max(n, 2)
		least = l.Copies
	case m[1] == "raidz" && (m[2] == "" || n >= 1 && n <= 3):
		l.Parity, l.Whole = max(n, 1), true
		least = l.Parity + 1
	case m[2] != "":
		m = nil
	case m[1] == "raid1":
		l.Copies, least = drives, 2 // all of them have the same
	case m[1] == "raid10":
		l.Copies, least = 2, 4
	case m[1] == "raid5" || m[1] == "raid6":
		l.Parity = int(m[1][4] - '4')
		least = l.Parity + 2
	case m[1] != "stripe" && m[1] != "raid0":
		m = nil
	}
	if m == nil {
		return Layout{}, fmt.Errorf("%.40q is no layout; write raid0 (stripe), raid1, mirror2, mirror3, raid10, raid5, raid6 or raidz1 to raidz3", name)
	}
	if drives < least || drives > 1<<16 {
		return Layout{}, fmt.Errorf("%s of %d drives: it has %d at least", name, drives, least)
	}
	if m[1] == "raid10" && drives%2 != 0 {
		return Layout{}, fmt.Errorf("%s of %d drives: they are pairs; write an even number", name, drives)
	}
	return l, nil
}

// Read is what a volume reads one after another in large requests, where each drive gives the rate: all drives of a stripe and of mirrors (every copy answers), and all but the parity's worth of a
// row. Source: Patterson, Gibson, Katz, A Case for Redundant Arrays of Inexpensive Disks (SIGMOD 1988), large reads.
func (l Layout) Read(drive Ceiling) (Ceiling, error) {
	if l.Parity > 0 {
		return l.of(drive, float64(l.Drives-l.Parity), "drive * (drives - parity)")
	}
	return l.of(drive, float64(l.Drives), "drive * drives")
}

// Write is what it writes so, in whole rows: each copy is written, and each row's parity with it. Source: the same, large writes.
func (l Layout) Write(drive Ceiling) (Ceiling, error) {
	switch {
	case l.Parity > 0:
		return l.of(drive, float64(l.Drives-l.Parity), "drive * (drives - parity)")
	case l.Copies > 1:
		return l.of(drive, float64(l.Drives)/float64(l.Copies), "drive * drives / copies")
	}
	return l.of(drive, float64(l.Drives), "drive * drives")
}

func (l Layout) of(drive Ceiling, times float64, formula string) (Ceiling, error) {
	if err := allPositive(number{"the rate of a drive", float64(drive.Rate)}); err != nil {
		return Ceiling{}, err
	}
	inputs := []record.Input{declared("drive", float64(drive.Rate)), declared("drives", float64(l.Drives))}
	if l.Parity > 0 {
		inputs = append(inputs, declared("parity", float64(l.Parity)))
	} else if l.Copies > 1 {
		inputs = append(inputs, declared("copies", float64(l.Copies)))
	}
	return made(float64(drive.Rate)*times, formula, inputs...)
}

// Requests is how many small requests a second a volume takes at random, where each drive takes as many: a read takes one drive; a write each copy's drive, or, of raid5, two reads (data and parity)
// and two writes, of raid6 three and three; of raidz each takes all drives of the row. Sources: Patterson, Gibson, Katz (as above), small reads and writes; Chen, Lee, Gibson, Katz, Patterson, RAID:
// High-Performance, Reliable Secondary Storage (1994), of two parities; OpenZFS, Workload Tuning: a raidz has the requests of one drive.
func (l Layout) Requests(drive float64) (reads, writes float64) {
	if l.Whole {
		return drive, drive
	}
	return drive * float64(l.Drives), drive * float64(l.Drives) / float64(l.Accesses())
}

// Accesses is how many requests to drives a small write makes; of raidz, which has no small writes, those of its row.
func (l Layout) Accesses() int {
	switch {
	case l.Whole:
		return l.Drives
	case l.Parity > 0:
		return 2 * (1 + l.Parity)
	}
	return l.Copies
}

// Writers are who may write into a cluster that keeps copies, which says how many of them cross the writer's network: a node of it, whose bytes may lie on any nodes; one that always keeps a copy
// itself; a host outside, which sends each copy by itself.
const (
	WriterSpread  = "spread"
	WriterMember  = "member"
	WriterOutside = "outside"
)

// Copied is what a writer may write where its own copy does not cross the network (member: network / (copies - 1)), or every copy does (outside: network / copies). Of a single copy of a member
// nothing crosses: that is an error. See Replicated for copies that lie on any nodes.
func Copied(network Ceiling, copies int, writer string) (Ceiling, error) {
	crossing, formula := copies, "network / copies"
	if writer == WriterMember {
		crossing, formula = copies-1, "network / (copies - 1)"
	}
	if err := allPositive(number{"the number of copies that cross the network", float64(crossing)}, number{"the network's rate", float64(network.Rate)}); err != nil {
		return Ceiling{}, err
	}
	return made(float64(network.Rate)/float64(crossing), formula, declared("network", float64(network.Rate)), declared("copies", float64(copies)))
}

// ReadNear is what one node of such a cluster may read while all nodes do, each taking a copy of its own where it has one: of the bytes (nodes - copies) / nodes cross the network. Of as many copies as
// nodes none do: rate 0, which says that.
func ReadNear(network Ceiling, copies, nodes int) (Ceiling, error) {
	if err := allPositive(number{"the number of copies", float64(copies)}, number{"the network's rate", float64(network.Rate)}); err != nil {
		return Ceiling{}, err
	}
	if nodes < 2 || copies > nodes {
		return Ceiling{}, fmt.Errorf("%d copies on %d nodes: each copy is on a node of its own", copies, nodes)
	}
	if copies == nodes {
		return Ceiling{}, nil
	}
	return made(float64(network.Rate)*float64(nodes)/float64(nodes-copies), "network * nodes / (nodes - copies)",
		declared("network", float64(network.Rate)), declared("copies", float64(copies)), declared("nodes", float64(nodes)))
}

// LayoutOf is the layout of a set of drives on one kind of bus, and what it reads and writes at most through these buses.
func LayoutOf(name string, drives int, bus string) (read, write Ceiling, err error) {
	l, err := ParseLayout(name, drives)
	if err != nil {
		return
	}
	one, err := DriveInterface(bus)
	if err != nil {
		return
	}
	if read, err = l.Read(one); err == nil {
		write, err = l.Write(one)
	}
	return
}
