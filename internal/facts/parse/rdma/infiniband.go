package rdma

import (
	"fmt"
	"net/netip"
	"strconv"
	"strings"

	"linerate/internal/base/unit"
	"linerate/internal/facts"
	"linerate/internal/facts/parse"
)

// InfiniBandSources are the devices of /sys/class/infiniband and their files, as single files or, in snapshots, as
// lines of "grep -r .".
func InfiniBandSources() []parse.Source {
	return append([]parse.Source{
		parse.Parsed("ls /sys/class/infiniband", parse.ParseNames, putRDMANames),
		{Name: "grep -r . /sys/class/infiniband/*", Read: readInfiniband},
		From("grep -r . /sys/class/infiniband", readInfiniband).KeptAs("sys class infiniband",
			`(?m)^/sys/class/infiniband/[^/:]+/\w+`),
	}, infinibandFiles()...)
}

// infinibandFiles are the files of /sys/class/infiniband/NAME.
// Format: https://docs.kernel.org/admin-guide/abi-stable.html (sysfs-class-infiniband).
func infinibandFiles() []parse.Source {
	attribute := func(name string, read func(f *parse.Builder, args []string, value string) error) parse.Source {
		return parse.Source{Name: name, Read: func(f *parse.Builder, args []string, text []byte) error {
			value, err := parse.ParseValue(text)
			if err != nil {
				return err
			}
			return read(f, args, value)
		}}
	}
	const port = "sys/class/infiniband/*/ports/*/"
	return []parse.Source{attribute("sys/class/infiniband/*/*", readRDMADevice).OrElse(missingRDMADevice),
		attribute(port+"*", readRDMAPort).OrElse(missingRDMAPort), attribute(port+"gids/*", readGID),
		attribute(port+"gid_attrs/*/*", readGIDAttribute).OrElse(missingGIDAttribute),
		attribute(port+"counters/*", readRDMACounter(func(p *facts.RDMAPort) *map[string]uint64 { return &p.Counters })),
		attribute(port+"hw_counters/*", readRDMACounter(func(p *facts.RDMAPort) *map[string]uint64 { return &p.HWCounters })),
		attribute("sys/class/infiniband/*/tc/*/traffic_class", readTrafficClass)}
}

// readInfiniband reads "grep -r . /sys/class/infiniband/NAME": each line is the path of a file, a colon and a line of
// it. It ignores files without facts; a file that cannot be read is unknown under its own name.
func readInfiniband(f *parse.Builder, _ []string, text []byte) error {
	table := infinibandFiles()
	seen := false
	for line := range strings.Lines(string(text)) {
		path, value, ok := strings.Cut(strings.TrimSpace(line), ":")
		path, device := strings.CutPrefix(path, "/sys/class/infiniband/")
		if !ok || !device {
			continue
		}
		seen = true
		path = "sys/class/infiniband/" + path
		for _, s := range table {
			if args, ok := parse.Match(s.Name, path); ok {
				if strings.TrimSpace(value) == "" { // an attribute that the driver leaves empty
					if s.Missing != nil {
						s.Missing(f, args, "it is empty")
					}
					continue
				}
				f.Line = line
				if err := s.Read(f, args, []byte(value)); err != nil {
					f.Unknown = append(f.Unknown, facts.Unknown{Subject: path, Reason: facts.OneLine(err.Error())})
				}
			}
		}
	}
	f.Line = ""
	if !seen {
		return parse.ToolError(text)
	}
	return nil
}

func putRDMANames(f *parse.Builder, _ []string, names []string) {
	if f.RDMA == nil {
		f.RDMA = []facts.RDMADevice{}
	}
	for _, name := range names {
		rdma(f, name)
	}
}

// deviceAttribute returns the fact of a device's attribute; nil if there is none.
func deviceAttribute(d *facts.RDMADevice, name string) *unit.Opt[string] {
	switch name {
	case "node_type":
		return &d.NodeType
	case "node_guid":
		return &d.NodeGUID
	case "fw_ver":
		return &d.Firmware
	case "hca_type":
		return &d.Model
	case "board_id":
		return &d.Board
	}
	return nil
}

func readRDMADevice(f *parse.Builder, args []string, value string) error {
	if at := deviceAttribute(rdma(f, args[0]), args[1]); at != nil {
		*at = unit.Known(afterNumber(value))
	}
	return nil
}

func missingRDMADevice(f *parse.Builder, args []string, why string) {
	if at := deviceAttribute(rdma(f, args[0]), args[1]); at != nil {
		parse.Missing(at, why)
	}
}

// portOf finds the port of the first two stars of a name.
func portOf(f *parse.Builder, args []string) (*facts.RDMAPort, error) {
	n, err := strconv.ParseUint(args[1], 10, 8)
	if err != nil || n == 0 {
		return nil, fmt.Errorf("%.40q is not a port of an RDMA device; they are counted from 1 to 255", args[1])
	}
	return portOfDevice(rdma(f, args[0]), int(n)), nil
}

// portAttribute returns the fact of a port's attribute; nil if there is none.
func portAttribute(p *facts.RDMAPort, name string) *unit.Opt[string] {
	switch name {
	case "state":
		return &p.State
	case "phys_state":
		return &p.PhysState
	case "link_layer":
		return &p.LinkLayer
	}
	return nil
}

func readRDMAPort(f *parse.Builder, args []string, value string) error {
	p, err := portOf(f, args)
	if err != nil {
		return err
	}
	switch at := portAttribute(p, args[2]); {
	case args[2] == "rate":
		setRate(p, value)
		says(p, "rate", f.ProofOf(value))
	case args[2] == "sm_lid":
		if n, err := strconv.ParseUint(value, 0, 32); err == nil {
			p.SMLid = unit.Known(int(n))
			says(p, "sm", f.ProofOf(value))
		}
	case at != nil:
		*at = unit.Known(afterNumber(value))
		says(p, args[2], f.ProofOf(value))
	}
	return nil
}

// setRate stores the rate of sysfs, with lanes and generation.
func setRate(p *facts.RDMAPort, value string) {
	p.Rate, p.Width = infinibandRate(value)
	if w, ok := p.Width.Get(); ok {
		lanes, generation, _ := strings.Cut(w, " ")
		if n, err := strconv.Atoi(strings.TrimRight(lanes, "Xx")); err == nil && n > 0 && n <= 16 {
			p.Lanes = unit.Known(n)
		}
		if facts.LaneRate(generation) > 0 {
			p.Lane = generation
		}
	}
}

func missingRDMAPort(f *parse.Builder, args []string, why string) {
	p, err := portOf(f, args)
	if err != nil {
		return
	}
	if at := portAttribute(p, args[2]); at != nil {
		parse.Missing(at, why)
	} else if args[2] == "rate" {
		parse.Missing(&p.Rate, why)
		parse.Missing(&p.Width, why)
	}
}

// afterNumber returns the word of "4: ACTIVE".
func afterNumber(value string) string {
	if n, word, ok := strings.Cut(value, ": "); ok {
		if _, err := strconv.Atoi(n); err == nil {
			return strings.TrimSpace(word)
		}
	}
	return value
}

// infinibandRate reads "400 Gb/sec (4X NDR)".
func infinibandRate(value string) (rate unit.Opt[unit.BitRate], width unit.Opt[string]) {
	number, rest, _ := strings.Cut(value, " ")
	gigabits, err := strconv.ParseFloat(number, 64)
	if err != nil || !(gigabits > 0 && gigabits < 1e6) || !strings.HasPrefix(rest, "Gb/sec") {
		why := "the port names no rate (it says " + strconv.Quote(value) + "); the link may be down"
		return unit.Unknown[unit.BitRate](why), unit.Unknown[string](why)
	}
	width = unit.Unknown[string]("the rate does not name it")
	if _, w, ok := strings.Cut(rest, "("); ok {
		width = unit.Known(strings.TrimSuffix(strings.TrimSpace(w), ")"))
	}
	return unit.Known(unit.BitRate(gigabits * 1e9)), width
}

// maxGIDs is the largest number of entries in a table of GIDs; those of drivers have some hundreds.
const maxGIDs = 4096

func gidOf(f *parse.Builder, args []string, index string) (*facts.GID, error) {
	p, err := portOf(f, args)
	if err != nil {
		return nil, err
	}
	n, err := strconv.ParseUint(index, 10, 32)
	if err != nil || n >= maxGIDs {
		return nil, fmt.Errorf("%.40q is not an index of a GID", index)
	}
	return gidOfPort(p, int(n)), nil
}

func readGID(f *parse.Builder, args []string, value string) error {
	a, err := netip.ParseAddr(value)
	if err != nil || !a.Is6() || a.Zone() != "" {
		return fmt.Errorf("%.60q is not a GID", value)
	}
	g, err := gidOf(f, args, args[2])
	if err != nil {
		return err
	}
	g.GID = a
	if p, err := portOf(f, args); err == nil && !a.IsUnspecified() {
		says(p, "gid "+args[2], f.ProofOf(value))
	}
	return nil
}

func readGIDAttribute(f *parse.Builder, args []string, value string) error {
	g, err := gidOf(f, args, args[3])
	if err != nil {
		return err
	}
	switch args[2] {
	case "types":
		g.Type = unit.Known(value)
	case "ndevs":
		g.Interface = unit.Known(value)
	}
	return nil
}

func missingGIDAttribute(f *parse.Builder, args []string, why string) {
	g, err := gidOf(f, args, args[3])
	if err != nil {
		return
	}
	switch args[2] {
	case "types":
		parse.Missing(&g.Type, why)
	case "ndevs":
		parse.Missing(&g.Interface, why)
	}
}

// readRDMACounter reads a counter of a port. "N/A (no PMA)" means that the device does not have it, and lifespan is not
// a counter but the time for which the driver keeps them.
func readRDMACounter(of func(*facts.RDMAPort) *map[string]uint64) func(*parse.Builder, []string, string) error {
	return func(f *parse.Builder, args []string, value string) error {
		if strings.HasPrefix(value, "N/A") || args[2] == "lifespan" {
			return nil
		}
		n, err := parse.ParseCounter([]byte(value))
		if err != nil {
			return err
		}
		p, err := portOf(f, args)
		if err != nil {
			return err
		}
		counters := of(p)
		if *counters == nil {
			*counters = map[string]uint64{}
		}
		(*counters)[args[2]] = n
		says(p, args[2], f.ProofOf(value))
		return nil
	}
}
