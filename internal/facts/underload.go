package facts

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// BusUnderLoad is what the PCI Express link of a device ran at while traffic went over it: at rest a link may be slower, to save power.
type BusUnderLoad struct {
	Address string
	Link    PCIeLink
	Load    string // what the traffic was: "4 streams of TCP both ways with pc: 9.41 Gb/s"
	Proof
}

// UnderLoad is the fastest that the link of a device was read at under load: one that rose once can.
func (p *Probes) UnderLoad(address string) (best BusUnderLoad, ok bool) {
	for _, b := range p.Bus {
		if b.Address == address && (!ok || b.Link.Rate() > best.Link.Rate()) {
			best, ok = b, true
		}
	}
	return best, ok
}

// busProbe is the source that UnderLoad's text stands in, without the address.
const busProbe = "probe pcie "

// under is what a capture that was taken under load says of the links between an interface and the processor. f knows where the
// card is; during may be of the level of counters.
func under(f, during *Facts, nic, load string) (links []BusUnderLoad, missing []string) {
	n := f.NIC(nic)
	if n == nil || n.PCI == "" {
		return nil, nil
	}
	for _, hop := range f.PCIeHops(n.PCI) {
		address := hop.Down.Address
		d := during.pci(address)
		if d == nil {
			missing = append(missing, address)
			continue
		}
		now, ok := d.Now()
		if !ok || now.Speed == 0 {
			missing = append(missing, address)
			continue
		}
		line := fmt.Sprintf("link %s GT/s x%d, under %s", strconv.FormatFloat(now.Speed, 'f', -1, 64), now.Width, oneLine(load))
		links = append(links, BusUnderLoad{address, now, load, Proof{busProbe + address, line}})
	}
	return links, missing
}

// TakeUnderLoad adds what a capture that was taken under load says of the links between an interface and the processor.
func (f *Facts) TakeUnderLoad(during *Facts, nic, load string) {
	links, _ := under(f, during, nic, load)
	f.Probes.Bus = append(f.Probes.Bus, links...)
}

// UnderLoad is the same as sources that stand behind a capture; what could not be read is there with the reason.
func UnderLoad(f, during *Facts, nic, load string) []byte {
	var a archive
	links, missing := under(f, during, nic, load)
	for _, b := range links {
		a.Files = append(a.Files, file{b.Source, []byte(b.Line + "\n")})
	}
	for _, address := range missing {
		a.Files = append(a.Files, file{busProbe + address, []byte(notTried + "the host did not say it under load\n")})
	}
	return a.behind()
}

// NotUnderLoad is what stands behind a capture where the links of an interface could not be loaded.
func NotUnderLoad(f *Facts, nic, why string) []byte {
	var a archive
	if n := f.NIC(nic); n != nil && n.PCI != "" {
		for _, hop := range f.PCIeHops(n.PCI) {
			a.Files = append(a.Files, file{busProbe + hop.Down.Address, []byte(notTried + oneLine(why) + "\n")})
		}
	}
	return a.behind()
}

// readUnderLoad reads what UnderLoad writes: "link 8 GT/s x8, under 4 streams of TCP both ways with pc: 9.41 Gb/s".
func readUnderLoad(f *Facts, args []string, text []byte) error {
	line, _, _ := strings.Cut(strings.TrimSpace(string(text)), "\n")
	if why, ok := strings.CutPrefix(line, notTried); ok {
		return errors.New(oneLine(why))
	}
	link, load, ok := strings.Cut(line, ", under ")
	words := strings.Fields(link)
	if !ok || len(words) != 4 || words[0] != "link" || words[2] != "GT/s" || !pciAddress.MatchString(args[0]) {
		return toolError(text)
	}
	speed, err1 := strconv.ParseFloat(words[1], 64)
	width, err2 := strconv.Atoi(strings.TrimPrefix(words[3], "x"))
	if err1 != nil || err2 != nil || !(speed > 0 && speed < 1000) || width < 1 || width > 64 {
		return toolError(text)
	}
	f.Probes.Bus = append(f.Probes.Bus, BusUnderLoad{args[0], PCIeLink{speed, width}, load, f.proof(line)})
	return nil
}
