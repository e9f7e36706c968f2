package facts

import (
	"slices"
	"strconv"
	"strings"

	"linerate/internal/base/lazyregexp"
)

// RDMASystem is how a kernel shares its RDMA devices between network namespaces.
type RDMASystem struct {
	Mode string // "shared": each namespace has all of them; "exclusive": a device is in one
	Proof
}

// RDMAResources is how much of an RDMA device is in use at this moment. The kernel has some itself on every port.
type RDMAResources struct {
	Device string
	Counts map[string]int // "pd", "cq", "qp", "cm_id", "mr", "ctx" (programs that have it open), "srq"
	Proof
}

// CardFirmware is the firmware of a card, against the newest that a tool has at hand.
type CardFirmware struct {
	Device             string // "/dev/mst/mt4117_pciconf0", "0000:01:00.0"; empty: not known
	Type, PSID         string // "ConnectX4LX", "MT_2420110034"
	Current, Available string // empty: not known, or nothing at hand that fits
	Status             Proof  // "Status: Update required"
	Proof                     // of the versions
}

var (
	systemLine   = lazyregexp.New(`^\s*netns (shared|exclusive)\b`)
	systemJSON   = lazyregexp.New(`"netns"\s*:\s*"(shared|exclusive)"`)
	resourceLine = lazyregexp.New(`^(?:\d+: )?([A-Za-z][\w.-]*):? ((?:\w+ \d+ ?)+)$`)
)

// rdmaSystemSources are those of rdma's other objects, and of NVIDIA's tool for firmware.
func rdmaSystemSources() []source {
	return []source{
		from("rdma system", readRDMASystem).keptAs("rdma system", `^\s*netns (?:shared|exclusive)\b`),
		from("rdma resource", readRDMAResources).keptAs("rdma resource", `(?m)^\d+: \S+: pd \d+ cq \d+ qp \d+ `),
		from("mlxfwmanager", readMlxfwmanager).keptAs("mlxfwmanager", `(?m)^Device #\d+:[\s\S]*?PSID:`),
	}
}

// readRDMASystem reads "rdma system show": "netns shared copy-on-fork on"; with -j it prints the same words in some releases, JSON in others.
// Format: rdma-system(8), iproute2's rdma/sys.c. The captures behind it are of guests, in both modes; of the JSON there is none.
func readRDMASystem(f *Facts, _ []string, text []byte) error {
	for line := range strings.Lines(string(text)) {
		for _, form := range []*lazyregexp.Regexp{systemLine, systemJSON} {
			if m := form.FindStringSubmatch(line); m != nil {
				f.RDMANetns = &RDMASystem{Mode: m[1], Proof: f.proof(line)}
				return nil
			}
		}
	}
	return toolError(text)
}

// readRDMAResources reads "rdma resource show", without an object or device and with or without -j:
//
//	0: rxe0: pd 1 cq 1 qp 1 cm_id 0 mr 0 ctx 0 srq 0
//
// Format: rdma-resource(8), iproute2's rdma/res.c. The captures behind it are of a guest with soft RoCE. No device at all prints nothing, with -j [].
func readRDMAResources(f *Facts, _ []string, text []byte) error {
	if strings.HasPrefix(strings.TrimSpace(string(text)), "[") {
		var list []map[string]any
		if err := parseJSON(text, &list); err != nil {
			return err
		}
		for _, o := range list {
			r := RDMAResources{Counts: map[string]int{}}
			r.Device, _ = o["ifname"].(string)
			line := r.Device
			for _, name := range resourceNames {
				if n, ok := o[name].(float64); ok && n >= 0 && n < 1<<31 {
					r.Counts[name] = int(n)
					line += " " + name + " " + strconv.Itoa(int(n))
				}
			}
			if r.Proof = f.proof(line); isDeviceName(r.Device) && len(r.Counts) > 0 {
				f.RDMAInUse = append(f.RDMAInUse, r)
			}
		}
		return nil
	}
	seen := false
	for line := range strings.Lines(string(text)) {
		m := resourceLine.FindStringSubmatch(strings.TrimSpace(line))
		if m == nil || !isDeviceName(m[1]) {
			continue
		}
		r := RDMAResources{Device: m[1], Counts: map[string]int{}, Proof: f.proof(line)}
		w := strings.Fields(m[2])
		for i := 0; i+1 < len(w); i += 2 {
			if n, err := strconv.Atoi(w[i+1]); err == nil && slices.Contains(resourceNames, w[i]) {
				r.Counts[w[i]] = n
			}
		}
		if len(r.Counts) > 0 {
			f.RDMAInUse, seen = append(f.RDMAInUse, r), true
		}
	}
	if !seen {
		return toolError(text)
	}
	return nil
}

var resourceNames = []string{"pd", "cq", "qp", "cm_id", "mr", "ctx", "srq"}

// readMlxfwmanager reads "mlxfwmanager" and "mlxfwmanager --query", also with --online:
//
//	Device Type:      Spectrum
//	PSID:             MT_2860112033
//	PCI Device Name:  /dev/mst/mt52100_pci_cr0
//	Versions:         Current        Available
//	   FW             13.1703.0000   N/A
//
//	Status:           No matching image found
//
// Format: NVIDIA, MFT manual: mlxfwmanager. The capture behind it is mlxfwmanager-query--sonic-265, for which nothing is at hand; one with a newer version
// was not at hand, its words (Update required) are of the manual.
func readMlxfwmanager(f *Facts, _ []string, text []byte) error {
	var c *CardFirmware
	for line := range strings.Lines(string(text)) {
		key, value, _ := strings.Cut(strings.TrimSpace(line), ":")
		value = strings.TrimSpace(value)
		w := strings.Fields(line)
		switch {
		case strings.HasPrefix(key, "Device #"):
			if len(f.CardFirmware) >= 1024 {
				return nil
			}
			f.CardFirmware = append(f.CardFirmware, CardFirmware{})
			c = &f.CardFirmware[len(f.CardFirmware)-1]
		case c == nil:
		case key == "Device Type":
			c.Type = value
		case key == "PSID":
			c.PSID = value
		case key == "PCI Device Name":
			c.Device = value
		case key == "Status":
			c.Status = f.proof(line)
		case len(w) >= 2 && w[0] == "FW" && c.Current == "":
			c.Proof = f.proof(line)
			if firmwareVersion.MatchString(w[1]) {
				c.Current = w[1]
			}
			if len(w) >= 3 && firmwareVersion.MatchString(w[2]) {
				c.Available = w[2]
			}
		}
	}
	if c == nil {
		return toolError(text)
	}
	return nil
}

var firmwareVersion = lazyregexp.New(`^\d+\.\d+\.\d+$`)

// NewerFirmware says whether a is a later version than b, both "16.35.2000".
func NewerFirmware(a, b string) bool {
	x, y := strings.Split(a, "."), strings.Split(b, ".")
	for i := range min(len(x), len(y)) {
		if m, n := atoi(x[i]), atoi(y[i]); m != n {
			return m > n
		}
	}
	return false
}
