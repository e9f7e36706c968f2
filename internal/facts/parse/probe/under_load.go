package probe

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"linerate/internal/facts"
	"linerate/internal/facts/parse"
	"linerate/internal/facts/parse/pci"
	"linerate/internal/facts/snapshot"
)

// BusSource is the source of UnderLoad's text, without the address.
const BusSource = "probe pcie "

// loaded returns the links between an interface and the CPU from a snapshot under load. f has the adapter's position;
// during may be of the level Counters.
func loaded(f, during *facts.Facts, nic, load string) (links []facts.BusUnderLoad, missing []string) {
	n := f.NIC(nic)
	if n == nil || n.PCI == "" {
		return nil, nil
	}
	for _, hop := range f.PCIeHops(n.PCI) {
		address := hop.Down.Address
		d := during.PCIAt(address)
		if d == nil {
			missing = append(missing, address)
			continue
		}
		now, ok := d.Now()
		if !ok || now.Speed == 0 {
			missing = append(missing, address)
			continue
		}
		line := fmt.Sprintf("link %s GT/s x%d, under %s", strconv.FormatFloat(now.Speed, 'f', -1, 64), now.Width,
			facts.OneLine(load))
		links = append(links, facts.BusUnderLoad{Address: address, Link: now, Load: load,
			Proof: facts.Proof{Source: BusSource + address, Line: line}})
	}
	return links, missing
}

// TakeUnderLoad adds the links between an interface and the CPU from a snapshot under load.
func TakeUnderLoad(f *facts.Facts, during *facts.Facts, nic, load string) {
	links, _ := loaded(f, during, nic, load)
	f.Probes.Bus = append(f.Probes.Bus, links...)
}

// UnderLoad returns the same as sources that follow a snapshot, with reasons for links that could not be read.
func UnderLoad(f, during *facts.Facts, nic, load string) []byte {
	var a snapshot.Archive
	links, missing := loaded(f, during, nic, load)
	for _, b := range links {
		a.Files = append(a.Files, snapshot.File{Name: b.Source, Data: []byte(b.Line + "\n")})
	}
	for _, address := range missing {
		a.Files = append(a.Files, snapshot.File{Name: BusSource + address,
			Data: []byte(NotTried + "the host did not say it under load\n")})
	}
	return a.Behind()
}

// NotUnderLoad returns the text after a snapshot if an interface's links could not be loaded.
func NotUnderLoad(f *facts.Facts, nic, why string) []byte {
	var a snapshot.Archive
	if n := f.NIC(nic); n != nil && n.PCI != "" {
		for _, hop := range f.PCIeHops(n.PCI) {
			a.Files = append(a.Files, snapshot.File{Name: BusSource + hop.Down.Address,
				Data: []byte(NotTried + facts.OneLine(why) + "\n")})
		}
	}
	return a.Behind()
}

// readUnderLoad reads the output of UnderLoad: "link 8 GT/s x8, under 4 streams of TCP both ways with pc: 9.41 Gb/s".
func readUnderLoad(f *parse.Builder, args []string, text []byte) error {
	line, _, _ := strings.Cut(strings.TrimSpace(string(text)), "\n")
	if why, ok := strings.CutPrefix(line, NotTried); ok {
		return errors.New(facts.OneLine(why))
	}
	link, load, ok := strings.Cut(line, ", under ")
	words := strings.Fields(link)
	if !ok || len(words) != 4 || words[0] != "link" || words[2] != "GT/s" || !pci.Address.MatchString(args[0]) {
		return parse.ToolError(text)
	}
	speed, err1 := strconv.ParseFloat(words[1], 64)
	width, err2 := strconv.Atoi(strings.TrimPrefix(words[3], "x"))
	if err1 != nil || err2 != nil || !(speed > 0 && speed < 1000) || width < 1 || width > 64 {
		return parse.ToolError(text)
	}
	f.Probes.Bus = append(f.Probes.Bus, facts.BusUnderLoad{Address: args[0],
		Link: facts.PCIeLink{Speed: speed, Width: width}, Load: load, Proof: f.Proof(line)})
	return nil
}
