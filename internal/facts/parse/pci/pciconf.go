package pci

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"linerate/internal/base/lazyregexp"
	"linerate/internal/base/unit"
	"linerate/internal/facts"
	"linerate/internal/facts/parse"
)

var (
	pciconfHead = lazyregexp.New(`^([a-z][a-z0-9_]*?)(\d+)@pci(\d+):(\d+):(\d+):(\d+):\s+class=0x([0-9a-f]{6})\s+(.*)$`)
	pciconfID   = lazyregexp.New(`(?:chip=0x([0-9a-f]{4})([0-9a-f]{4}))|(?:vendor=0x([0-9a-f]{4}) device=0x([0-9a-f]{4}))`)
	pciconfCap  = lazyregexp.New(`= PCI-Express \d+ (.*?) max data (\d+)\((\d+)\)`)
	pciconfLink = lazyregexp.New(`\blink x(\d+)\(x(\d+)\)(?: speed ([0-9.]+)\(([0-9.]+)\))?`)
	pciconfAER  = lazyregexp.New(`= AER \d+ (\d+) fatal (\d+) non-fatal (\d+) corrected`)
	pciconfBus  = lazyregexp.New(`^\s+bus range\s+= (\d+)-\d+`) // of -B; no snapshot has it
	pciconfText = lazyregexp.New(`^\s+(vendor|device)\s+= '(.*)'$`)
)

// parsePciconf reads "pciconf -lvc" of FreeBSD, whose links are "link x4(x8) speed 5.0(8.0)": the current values, and
// the possible ones in brackets. Releases before 10 print no speed. Format: pciconf(8) and usr.sbin/pciconf/cap.c.
func parsePciconf(text []byte) ([]facts.PCIDevice, error) {
	var out []facts.PCIDevice
	var d *facts.PCIDevice
	vendor, errors := "", ""
	ranges := map[string]int{} // the bus behind a bridge, by the bridge's address
	for line := range strings.Lines(string(text)) {
		line = strings.TrimRight(line, "\r\n")
		if m := pciconfHead.FindStringSubmatch(line); m != nil {
			address, ok := FreeBSDAddress(m[3:7])
			if !ok {
				d = nil
				continue
			}
			out = append(out, facts.PCIDevice{Address: address, Class: m[7], From: "pciconf -lvc"})
			d, vendor, errors = &out[len(out)-1], "", ""
			if d.Driver = m[1] + m[2]; m[1] == "none" {
				d.Driver, d.NoDriver = "", true
			}
			d.HeadLine = strings.Join(strings.Fields(line), " ")
			if id := pciconfID.FindStringSubmatch(m[8]); id != nil {
				d.Vendor, d.Device = cmp.Or(id[2], id[3]), cmp.Or(id[1], id[4])
			}
			continue
		}
		if d == nil {
			continue
		}
		if m := pciconfText.FindStringSubmatch(line); m != nil {
			if m[1] == "vendor" {
				vendor = m[2]
			}
			d.Name = strings.TrimSpace(vendor + " " + map[bool]string{true: m[2]}[m[1] == "device"])
			continue
		}
		if m := pciconfCap.FindStringSubmatch(line); m != nil {
			for _, kind := range []string{"root port", "upstream port", "downstream port", "endpoint"} {
				if strings.HasSuffix(m[1], kind) {
					d.Kind = strings.ToUpper(kind[:1]) + kind[1:]
					if i := strings.IndexByte(d.Kind, ' '); i > 0 {
						d.Kind = d.Kind[:i+1] + "Port"
					}
				}
			}
			now, err1 := strconv.Atoi(m[2])
			can, err2 := strconv.Atoi(m[3])
			if err1 == nil && err2 == nil && now > 0 && can > 0 {
				d.Payload, d.MaxPayload, d.PayloadLine = unit.Known(now), unit.Known(can), strings.Join(strings.Fields(line), " ")
			}
		}
		if m := pciconfLink.FindStringSubmatch(line); m != nil {
			d.Width, d.MaxWidth = lanes(m[1]), lanes(m[2])
			if m[3] != "" {
				d.Speed, d.MaxSpeed = gigatransfers(m[3]+"GT/s"), gigatransfers(m[4]+"GT/s")
			}
			d.LinkLine = strings.Join(strings.Fields(line), " ")
		}
		if m := pciconfBus.FindStringSubmatch(line); m != nil {
			ranges[d.Address], _ = strconv.Atoi(m[1])
		}
		errors = pciconfError(d, line, errors)
		if m := pciconfAER.FindStringSubmatch(line); m != nil {
			d.Fatal = m[1] != "0"
			d.Corrected = nil
			if n, err := strconv.Atoi(m[3]); err == nil {
				for i := range min(n, 8) {
					d.Corrected = append(d.Corrected, fmt.Sprintf("kind %d",
						i+1)) // without -e pciconf counts the kinds without names
				}
			}
			d.ErrorLine = strings.Join(strings.Fields(line), " ")
		}
	}
	if len(out) == 0 {
		return nil, parse.ToolError(text)
	}
	busesByOrder(out, ranges)
	return out, nil
}

// FreeBSDAddress returns a bus address in Linux' form, of domain, bus, device and function.
func FreeBSDAddress(parts []string) (string, bool) {
	var at [4]int
	for i := range at {
		n, err := strconv.Atoi(parts[i])
		if err != nil || n > []int{0xffff, 255, 31, 255}[i] {
			return "", false
		}
		at[i] = n
	}
	return fmt.Sprintf("%04x:%02x:%02x.%d", at[0], at[1], at[2], at[3]&7), true
}

// pciconfKinds are corrected errors, from the names of "pciconf -le" to those of facts.
var pciconfKinds = map[string]string{"Receiver Error": "RxErr", "Bad TLP": "BadTLP", "Bad DLLP": "BadDLLP",
	"REPLAY_NUM Rollover": "Rollover", "Replay Timer Timeout": "Timeout", "Advisory Non-Fatal Error": "AdvNonFatalErr",
	"Corrected Internal Error": "CorrIntErr", "Header Log Overflow": "HeaderOF"}

var pciconfErrors = lazyregexp.New(`^ +(PCI errors|PCI-e errors|Fatal|Non-fatal|Corrected) = (.*)$`)

// pciconfError reads the lines of -e, of which the first of a list names it: "    Corrected = Bad TLP", then the rest
// of the list. Format: usr.sbin/pciconf/err.c; no snapshot exists.
func pciconfError(d *facts.PCIDevice, line, list string) string {
	name := strings.TrimSpace(line)
	if m := pciconfErrors.FindStringSubmatch(line); m != nil {
		list, name = m[1], m[2]
		if list == "Corrected" {
			d.Corrected = nil // until then the kinds were only counted
		}
	} else if !strings.HasPrefix(line, strings.Repeat(" ", 17)) || strings.Contains(line, " = ") {
		return ""
	}
	switch {
	case list == "Corrected" && pciconfKinds[name] != "":
		d.Corrected = append(d.Corrected, pciconfKinds[name])
		d.ErrorLine = strings.TrimSpace(d.ErrorLine)
	case list == "Fatal":
		d.Fatal = true
	}
	return list
}

// busesByOrder finds the bridge above each bus, which pciconf does not print. Firmware numbers buses in depth-first
// order: a bridge's bus, then those below it, then the next bridge's. The result counts if both ends of the link have
// the same width and speed, as the ends of a link do; else the only bridge that has them, or none. With -B, ranges has
// the bus behind each bridge.
func busesByOrder(devices []facts.PCIDevice, ranges map[string]int) {
	domain := func(d facts.PCIDevice) string { return d.Address[:4] }
	bus := func(d facts.PCIDevice) int {
		n, _ := strconv.ParseInt(d.Address[5:7], 16, 32)
		return int(n)
	}
	bridges := map[string][]int{} // of a bus, by address
	used := map[string]int{}      // a device of each bus
	for i, d := range devices {
		key := d.Address[:7]
		if strings.HasPrefix(d.Class, "0604") {
			bridges[key] = append(bridges[key], i)
		}
		if _, ok := used[key]; !ok || d.Width.IsKnown() && !devices[used[key]].Width.IsKnown() {
			used[key] = i
		}
	}
	leads := map[string]int{} // a bus to the bridge above it
	// A machine has one or more roots per socket: a bus that no earlier walk reached begins the next one.
	for _, key := range slices.Sorted(maps.Keys(bridges)) {
		if _, reached := leads[key]; reached {
			continue
		}
		leads[key] = 0
		first := bus(devices[bridges[key][0]])
		next := first + 1
		var walk func(on int)
		walk = func(on int) {
			list := bridges[fmt.Sprintf("%s:%02x", key[:4], on)]
			slices.SortFunc(list, func(a, b int) int { return cmp.Compare(devices[a].Address, devices[b].Address) })
			for _, b := range list {
				if next > 255 {
					return
				}
				below := next
				next++
				leads[fmt.Sprintf("%s:%02x", key[:4], below)] = b + 1
				walk(below)
			}
		}
		walk(first)
	}
	same := func(a, b facts.PCIDevice) bool {
		if a.Kind == "Upstream Port" && b.Kind == "Downstream Port" {
			return true // the inside of a switch is not a link, and each end prints that of its own side
		}
		return a.Width.IsKnown() && a.Width.Or(0) == b.Width.Or(-1) && a.Speed.Or(0) == b.Speed.Or(0)
	}
	taken := map[int]bool{}
	above := map[string]int{}
	for b, d := range devices {
		if n, ok := ranges[d.Address]; ok {
			above[fmt.Sprintf("%s:%02x", domain(d), n)], taken[b] = b+1, true
		}
	}
	for key, i := range used {
		if above[key] > 0 {
			continue
		}
		if b := leads[key]; b > 0 && same(devices[b-1], devices[i]) {
			above[key], taken[b-1] = b, true
		}
	}
	// The rest by width and speed: if as many bridges as buses have them, they match in their order.
	type link struct {
		domain string
		width  int
		speed  float64
	}
	of := func(d facts.PCIDevice) link { return link{domain(d), d.Width.Or(0), d.Speed.Or(0)} }
	open, free := map[link][]string{}, map[link][]int{}
	for _, key := range slices.Sorted(maps.Keys(used)) {
		if d := devices[used[key]]; above[key] == 0 && d.Width.IsKnown() && bus(d) > 0 {
			open[of(d)] = append(open[of(d)], key)
		}
	}
	for b, d := range devices {
		if strings.HasPrefix(d.Class, "0604") && !taken[b] && d.Width.IsKnown() && d.Kind != "Upstream Port" {
			free[of(d)] = append(free[of(d)], b)
		}
	}
	for l, keys := range open {
		list := free[l]
		slices.SortFunc(list, func(a, b int) int { return cmp.Compare(devices[a].Address, devices[b].Address) })
		for i, key := range keys {
			if len(list) == len(keys) && bus(devices[list[i]]) < bus(devices[used[key]]) {
				above[key] = list[i] + 1
			}
		}
	}
	for i := range devices {
		if b := above[devices[i].Address[:7]]; b > 0 && b-1 != i {
			devices[i].Above = devices[b-1].Address
		}
	}
}
