package ceiling

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"linerate/internal/base/diag"
	"linerate/internal/record"
)

// Layout is how a volume distributes its data over several drives of one kind.
type Layout struct {
	Name   string // as in the file: raid6, mirror3
	Drives int
	Copies int  // of each byte; 1: no redundancy by copies
	Parity int  // drives of parity in each row; 0: none
	Whole  bool // a block spans all drives of its row (raidz), so each request uses all of them
}

var layoutForm = regexp.MustCompile(`^(stripe|raid0|mirror|raid10|raid1|raid5|raid6|raidz)([0-9]*)$`)

// ParseLayout reads raid0 or stripe, mirror2, mirror3 (raid1: 2 copies; raid10: a stripe of pairs), raid5, raid6, and
// raidz1 to raidz3 of a number of drives.
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
		l.Copies, least = drives, 2 // every drive has a copy
	case m[1] == "raid10":
		l.Copies, least = 2, 4
	case m[1] == "raid5" || m[1] == "raid6":
		l.Parity = int(m[1][4] - '4')
		least = l.Parity + 2
	case m[1] != "stripe" && m[1] != "raid0":
		m = nil
	}
	if m == nil {
		return Layout{}, diag.Advise(fmt.Errorf("%.40q is not a layout", name),
			"write raid0 (stripe), raid1, mirror2, mirror3, raid10, raid5, raid6 or raidz1 "+
				"to raidz3")
	}
	if drives < least || drives > 1<<16 {
		return Layout{}, fmt.Errorf("%s of %d drives: it has %d at least", name, drives, least)
	}
	if m[1] == "raid10" && drives%2 != 0 {
		return Layout{}, diag.Advise(fmt.Errorf("%s of %d drives: they are pairs", name, drives),
			"write an even number")
	}
	return l, nil
}

// Read is the ceiling of sequential reads in large requests, where each drive delivers the given rate: all drives of a
// stripe and of mirrors (every copy serves reads), and all but the parity drives of a row. Source: Patterson, Gibson,
// Katz, A Case for Redundant Arrays of Inexpensive Disks (SIGMOD 1988), large reads.
func (l Layout) Read(drive Ceiling) (Ceiling, error) {
	if l.Parity > 0 {
		return l.of(drive, float64(l.Drives-l.Parity), "drive * (drives - parity)")
	}
	return l.of(drive, float64(l.Drives), "drive * drives")
}

// Write is the ceiling of sequential writes in whole rows, which include every copy and the parity of each row. Source:
// the same, large writes.
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

// Requests returns the random small requests per second of a volume, where each drive does the given number. A read
// uses one drive. A write uses the drive of each copy; on raid5 it makes two reads (data and parity) and two writes, on
// raid6 three and three. On raidz every request uses all drives of the row. Sources: Patterson, Gibson, Katz (as
// above), small reads and writes; Chen, Lee, Gibson, Katz, Patterson, RAID: High-Performance, Reliable Secondary
// Storage (1994), of two parities; OpenZFS, Workload Tuning: a raidz has the IOPS of one drive.
func (l Layout) Requests(drive float64) (reads, writes float64) {
	if l.Whole {
		return drive, drive
	}
	return drive * float64(l.Drives), drive * float64(l.Drives) / float64(l.Accesses())
}

// Accesses returns how many drive requests a small write makes; on raidz, which has no small writes, those of its row.
func (l Layout) Accesses() int {
	switch {
	case l.Whole:
		return l.Drives
	case l.Parity > 0:
		return 2 * (1 + l.Parity)
	}
	return l.Copies
}

// The writers of a cluster that keeps copies. They determine how many copies cross the writer's network: those of a
// node whose data may be on any nodes; of a node that always keeps one copy itself; or of a host outside, which sends
// every copy.
const (
	WriterSpread  = "spread"
	WriterMember  = "member"
	WriterOutside = "outside"
)

// Copied is the ceiling of a writer whose own copy does not cross the network (member: network / (copies - 1)), or
// whose copies all do (outside: network / copies). For a member with a single copy nothing crosses: that is an error.
// Replicated is for copies on any nodes.
func Copied(network Ceiling, copies int, writer string) (Ceiling, error) {
	crossing, formula := copies, "network / copies"
	if writer == WriterMember {
		crossing, formula = copies-1, "network / (copies - 1)"
	}
	if err := allPositive(number{"the number of copies that cross the network", float64(crossing)},
		number{"the network's rate", float64(network.Rate)}); err != nil {
		return Ceiling{}, err
	}
	return made(float64(network.Rate)/float64(crossing), formula, declared("network", float64(network.Rate)),
		declared("copies", float64(copies)))
}

// ReadNear is the ceiling of one node of such a cluster while all nodes read, each from a copy of its own if it has
// one: (nodes - copies) / nodes of the bytes cross the network. If every node has a copy, nothing crosses: rate 0.
func ReadNear(network Ceiling, copies, nodes int) (Ceiling, error) {
	if err := allPositive(number{"the number of copies", float64(copies)},
		number{"the network's rate", float64(network.Rate)}); err != nil {
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

// LayoutOf returns the read and write ceilings of a layout of drives on one kind of bus, as limited by these buses.
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
