package pci

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"

	"linerate/internal/base/lazyregexp"
	"linerate/internal/base/unit"
	"linerate/internal/facts"
	"linerate/internal/facts/parse"
)

var (
	lspciHead  = lazyregexp.New(`^\s?(?:([0-9a-fA-F]{4,8}):)?([0-9a-fA-F]{2}:[0-9a-fA-F]{2}\.[0-7])\s+(.*)$`)
	lspciClass = lazyregexp.New(`^(.*?)(?: \[([0-9a-f]{4})\])?: (.*)$`)
	lspciIDs   = lazyregexp.New(`\[([0-9a-f]{4}):([0-9a-f]{4})\]`)
	lspciBus   = lazyregexp.New(`primary=([0-9a-f]{2}), secondary=([0-9a-f]{2})`)
	lspciLink  = lazyregexp.New(`Speed ([0-9.]+GT/s|[Uu]nknown)[^,]*, Width (x\d+)`)
	lspciBytes = lazyregexp.New(`MaxPayload (\d+) bytes`)
	lspciFlag  = lazyregexp.New(`(\w+)([+-])(?:\s|$)`)
)

// lspciClasses are the numbers of the classes that facts distinguish, for outputs without numbers.
var lspciClasses = map[string]string{"PCI bridge": "0604", "Host bridge": "0600", "Ethernet controller": "0200",
	"Network controller": "0280", "Infiniband controller": "0207", "Fibre Channel": "0c04",
	"VGA compatible controller": "0300", "3D controller": "0302", "Non-Volatile memory controller": "0108",
	"Serial Attached SCSI controller": "0107", "RAID bus controller": "0104", "SATA controller": "0106"}

// parseLspci reads "lspci" with any of -v, -vv, -vvv, -n, -nn, -D, -x: a device after its address, with its properties
// indented below. A part of an output from the capabilities on is a device without an address. Format: lspci(8) and the
// source of pciutils; a link is "LnkCap: Port #0, Speed 8GT/s, Width x8, ..".
func parseLspci(text []byte) ([]facts.PCIDevice, error) {
	var out []facts.PCIDevice
	var d *facts.PCIDevice
	buses := map[string]string{} // secondary bus to the bridge, with the domain
	section := ""
	for line := range strings.Lines(string(text)) {
		line = strings.TrimRight(line, "\r\n")
		if m := lspciHead.FindStringSubmatch(line); m != nil && !strings.HasPrefix(line, "\t") {
			domain := cmp.Or(m[1], "0000")
			out = append(out, facts.PCIDevice{Address: strings.ToLower(domain + ":" + m[2]), From: "lspci"})
			d = &out[len(out)-1]
			named(d, m[3])
			section = ""
			continue
		}
		trimmed := strings.TrimSpace(line)
		if trimmed == "" {
			continue
		}
		if d == nil {
			if !strings.HasPrefix(trimmed, "Capabilities:") && !strings.HasPrefix(trimmed, "LnkCap:") &&
				!strings.HasPrefix(trimmed, "DevCap:") {
				continue
			}
			out = append(out, facts.PCIDevice{From: "lspci"})
			d = &out[len(out)-1]
		}
		key, rest, ok := strings.Cut(trimmed, ":")
		if ok && !strings.Contains(key, " ") {
			section = key
		}
		switch {
		case strings.Contains(trimmed, "Unknown header type 7f"):
			d.Gone = true
		case key == "Bus":
			if m := lspciBus.FindStringSubmatch(rest); m != nil && d.Address != "" {
				buses[d.Address[:strings.IndexByte(d.Address, ':')]+":"+m[2]] = d.Address
			}
		case key == "Capabilities" && strings.Contains(rest, "Express"):
			for _, kind := range []string{"Root Port", "Upstream Port", "Downstream Port", "Endpoint", "PCI-Express to PCI",
				"PCI to PCI-Express"} {
				if strings.Contains(rest, kind) {
					d.Kind = kind
				}
			}
		case key == "LnkCap":
			d.MaxSpeed, d.MaxWidth = lspciSpeed(rest)
		case key == "LnkSta":
			d.Speed, d.Width = lspciSpeed(rest)
			d.LinkLine = strings.Join(strings.Fields(trimmed), " ")
		case key == "CESta":
			for _, f := range lspciFlag.FindAllStringSubmatch(rest, -1) {
				if f[2] == "+" {
					d.Corrected = append(d.Corrected, f[1])
				}
			}
			d.ErrorLine = strings.Join(strings.Fields(trimmed), " ")
		case key == "NUMA node":
			if n, err := strconv.Atoi(strings.TrimSpace(rest)); err == nil {
				d.NUMA = unit.Known(n)
			}
		case key == "Kernel driver in use":
			d.Driver = strings.TrimSpace(rest)
		}
		if m := lspciBytes.FindStringSubmatch(trimmed); m != nil {
			n, err := strconv.Atoi(m[1])
			switch {
			case err != nil || n <= 0:
			case section == "DevCap" && key == "DevCap":
				d.MaxPayload = unit.Known(n)
			case section == "DevCtl":
				d.Payload = unit.Known(n)
			}
		}
	}
	for i := range out {
		if a := out[i].Address; a != "" {
			if up := buses[a[:strings.LastIndexByte(a, ':')]]; up != a {
				out[i].Above = up
			}
		}
	}
	if len(out) == 0 {
		return nil, parse.ToolError(text)
	}
	return out, nil
}

// named reads the words after the address: "Ethernet controller [0200]: Mellanox .. [15b3:1017] (rev 02)".
func named(d *facts.PCIDevice, text string) {
	m := lspciClass.FindStringSubmatch(text)
	if m == nil {
		d.Name = text
		return
	}
	d.Class, d.Name = m[2], m[3]
	if d.Class == "" {
		d.Class = lspciClasses[m[1]]
	}
	if len(m[1]) == 4 && d.Class == "" && strings.Trim(m[1], "0123456789abcdef") == "" { // lspci -n
		d.Class = m[1]
	}
	if ids := lspciIDs.FindStringSubmatch(m[3]); ids != nil {
		d.Vendor, d.Device = ids[1], ids[2]
	}
	d.Name, _, _ = strings.Cut(d.Name, " (rev ")
	d.Name, _, _ = strings.Cut(d.Name, " (prog-if ")
	d.Name = strings.TrimSpace(d.Name)
}

func lspciSpeed(s string) (unit.Opt[float64], unit.Opt[int]) {
	m := lspciLink.FindStringSubmatch(s)
	if m == nil {
		return unit.Unknown[float64]("lspci says " + strconv.Quote(facts.OneLine(s))),
			unit.Unknown[int]("lspci says " + strconv.Quote(facts.OneLine(s)))
	}
	return gigatransfers(m[1]), lanes(m[2])
}

// putPCI adds the facts of lspci or pciconf to the known devices. sysfs, which is the kernel's own, takes precedence.
func putPCI(f *parse.Builder, _ []string, devices []facts.PCIDevice) {
	if f.PCI == nil {
		f.PCI = []facts.PCIDevice{}
	}
	at := map[string]int{}
	for i := range f.PCI {
		at[f.PCI[i].Address] = i
	}
	for _, d := range devices {
		if d.Address == "" {
			d.Address = fmt.Sprintf("device %d", len(f.PCI)+1)
		}
		n, ok := at[d.Address]
		if !ok {
			at[d.Address] = len(f.PCI)
			f.PCI = append(f.PCI, d)
			continue
		}
		old := f.PCI[n]
		if old.Speed.IsKnown() {
			d.Speed, d.MaxSpeed, d.Width, d.MaxWidth, d.From = old.Speed, old.MaxSpeed, old.Width, old.MaxWidth, old.From
		}
		if old.Above != "" {
			d.Above = old.Above
		}
		if old.Class != "" {
			d.Class = old.Class
		}
		if !d.NUMA.IsKnown() {
			d.NUMA = old.NUMA
		}
		f.PCI[n] = d
	}
}
