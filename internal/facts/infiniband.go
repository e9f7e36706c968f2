package facts

import (
	"fmt"
	"net/netip"
	"strconv"
	"strings"

	"linerate/internal/base/unit"
)

// infinibandSources are the devices of /sys/class/infiniband and their files, each for
// itself or as lines of "grep -r .", in which form linerate captures them.
func infinibandSources() []source {
	return append([]source{
		parsed("ls /sys/class/infiniband", parseNames, putRDMANames),
		{name: "grep -r . /sys/class/infiniband/*", read: readInfiniband},
		from("grep -r . /sys/class/infiniband", readInfiniband).keptAs("sys class infiniband", `(?m)^/sys/class/infiniband/[^/:]+/\w+`),
	}, infinibandFiles()...)
}

// infinibandFiles are the files of /sys/class/infiniband/NAME.
// Format: https://docs.kernel.org/admin-guide/abi-stable.html (sysfs-class-infiniband).
func infinibandFiles() []source {
	attribute := func(name string, read func(f *Facts, args []string, value string) error) source {
		return source{name: name, read: func(f *Facts, args []string, text []byte) error {
			value, err := parseValue(text)
			if err != nil {
				return err
			}
			return read(f, args, value)
		}}
	}
	const port = "sys/class/infiniband/*/ports/*/"
	return []source{
		attribute("sys/class/infiniband/*/*", readRDMADevice).orElse(missingRDMADevice),
		attribute(port+"*", readRDMAPort).orElse(missingRDMAPort),
		attribute(port+"gids/*", readGID),
		attribute(port+"gid_attrs/*/*", readGIDAttribute).orElse(missingGIDAttribute),
		attribute(port+"counters/*", readRDMACounter(func(p *RDMAPort) *map[string]uint64 { return &p.Counters })),
		attribute(port+"hw_counters/*", readRDMACounter(func(p *RDMAPort) *map[string]uint64 { return &p.HWCounters })),
		attribute("sys/class/infiniband/*/tc/*/traffic_class", readTrafficClass),
	}
}

// readInfiniband reads the output of "grep -r . /sys/class/infiniband/NAME": each
// line is the path of a file, a colon and a line of it. Files that are of no use here
// are left out; one that cannot be read is unknown by its own name.
func readInfiniband(f *Facts, _ []string, text []byte) error {
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
			if args, ok := match(s.name, path); ok {
				if strings.TrimSpace(value) == "" { // an attribute that the driver leaves empty
					if s.missing != nil {
						s.missing(f, args, "it is empty")
					}
					continue
				}
				f.line = line
				if err := s.read(f, args, []byte(value)); err != nil {
					f.Unknown = append(f.Unknown, Unknown{path, oneLine(err.Error())})
				}
			}
		}
	}
	f.line = ""
	if !seen {
		return toolError(text)
	}
	return nil
}

// proofOf is the line that is being read, or, of a file of one value, the value.
func (f *Facts) proofOf(value string) Proof {
	if f.line != "" {
		value = f.line
	}
	return f.proof(value)
}

// parseNames reads a list of names, one a line, as "ls" prints it to a file.
func parseNames(text []byte) ([]string, error) {
	names := []string{}
	for line := range strings.Lines(string(text)) {
		name := strings.TrimSpace(line)
		if name == "" {
			continue
		}
		if strings.ContainsAny(name, " \t/:\x00") {
			return nil, toolError(text)
		}
		names = append(names, name)
	}
	return names, nil
}

func putRDMANames(f *Facts, _ []string, names []string) {
	if f.RDMA == nil {
		f.RDMA = []RDMADevice{}
	}
	for _, name := range names {
		f.rdma(name)
	}
}

// deviceAttribute is where an attribute of a device goes; nil if it is of no use here.
func deviceAttribute(d *RDMADevice, name string) *unit.Opt[string] {
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

func readRDMADevice(f *Facts, args []string, value string) error {
	if at := deviceAttribute(f.rdma(args[0]), args[1]); at != nil {
		*at = known(afterNumber(value))
	}
	return nil
}

func missingRDMADevice(f *Facts, args []string, why string) {
	if at := deviceAttribute(f.rdma(args[0]), args[1]); at != nil {
		set(at, why)
	}
}

// portOf finds the port that the first two stars of a name stand for.
func portOf(f *Facts, args []string) (*RDMAPort, error) {
	n, err := strconv.ParseUint(args[1], 10, 8)
	if err != nil || n == 0 {
		return nil, fmt.Errorf("%.40q is no port of an RDMA device; they are counted from 1 to 255", args[1])
	}
	return f.rdma(args[0]).port(int(n)), nil
}

// portAttribute is where a word of a port goes; nil if it is none.
func portAttribute(p *RDMAPort, name string) *unit.Opt[string] {
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

func readRDMAPort(f *Facts, args []string, value string) error {
	p, err := portOf(f, args)
	if err != nil {
		return err
	}
	switch at := portAttribute(p, args[2]); {
	case args[2] == "rate":
		p.setRate(value)
		p.says("rate", f.proofOf(value))
	case args[2] == "sm_lid":
		if n, err := strconv.ParseUint(value, 0, 32); err == nil {
			p.SMLid = known(int(n))
			p.says("sm", f.proofOf(value))
		}
	case at != nil:
		*at = known(afterNumber(value))
		p.says(args[2], f.proofOf(value))
	}
	return nil
}

// setRate reads the rate of sysfs, with lanes and generation.
func (p *RDMAPort) setRate(value string) {
	p.Rate, p.Width = infinibandRate(value)
	if w, ok := p.Width.Get(); ok {
		lanes, generation, _ := strings.Cut(w, " ")
		if n, err := strconv.Atoi(strings.TrimRight(lanes, "Xx")); err == nil && n > 0 && n <= 16 {
			p.Lanes = known(n)
		}
		if _, ok := laneRate(generation); ok {
			p.Lane = generation
		}
	}
}

func missingRDMAPort(f *Facts, args []string, why string) {
	p, err := portOf(f, args)
	if err != nil {
		return
	}
	if at := portAttribute(p, args[2]); at != nil {
		set(at, why)
	} else if args[2] == "rate" {
		set(&p.Rate, why)
		set(&p.Width, why)
	}
}

// afterNumber is the word of "4: ACTIVE".
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
		width = known(strings.TrimSuffix(strings.TrimSpace(w), ")"))
	}
	return known(unit.BitRate(gigabits * 1e9)), width
}

// maxGIDs bounds what is read of a table of GIDs; those of drivers have some hundreds.
const maxGIDs = 4096

func gidOf(f *Facts, args []string, index string) (*GID, error) {
	p, err := portOf(f, args)
	if err != nil {
		return nil, err
	}
	n, err := strconv.ParseUint(index, 10, 32)
	if err != nil || n >= maxGIDs {
		return nil, fmt.Errorf("%.40q is no index of a GID", index)
	}
	return p.gid(int(n)), nil
}

func readGID(f *Facts, args []string, value string) error {
	a, err := netip.ParseAddr(value)
	if err != nil || !a.Is6() || a.Zone() != "" {
		return fmt.Errorf("%.60q is no GID", value)
	}
	g, err := gidOf(f, args, args[2])
	if err != nil {
		return err
	}
	g.GID = a
	if p, err := portOf(f, args); err == nil && !a.IsUnspecified() {
		p.says("gid "+args[2], f.proofOf(value))
	}
	return nil
}

func readGIDAttribute(f *Facts, args []string, value string) error {
	g, err := gidOf(f, args, args[3])
	if err != nil {
		return err
	}
	switch args[2] {
	case "types":
		g.Type = known(value)
	case "ndevs":
		g.Interface = known(value)
	}
	return nil
}

func missingGIDAttribute(f *Facts, args []string, why string) {
	g, err := gidOf(f, args, args[3])
	if err != nil {
		return
	}
	switch args[2] {
	case "types":
		set(&g.Type, why)
	case "ndevs":
		set(&g.Interface, why)
	}
}

// readRDMACounter reads a counter of a port. "N/A (no PMA)" is one that this device
// does not have, and lifespan is no counter but how long the driver keeps them.
func readRDMACounter(of func(*RDMAPort) *map[string]uint64) func(*Facts, []string, string) error {
	return func(f *Facts, args []string, value string) error {
		if strings.HasPrefix(value, "N/A") || args[2] == "lifespan" {
			return nil
		}
		n, err := parseCounter([]byte(value))
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
		p.says(args[2], f.proofOf(value))
		return nil
	}
}
