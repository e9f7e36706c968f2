package rdma

import (
	"slices"
	"strconv"
	"strings"

	"linerate/internal/base/lazyregexp"
	"linerate/internal/facts"
	"linerate/internal/facts/parse"
)

var (
	systemLine   = lazyregexp.New(`^\s*netns (shared|exclusive)\b`)
	systemJSON   = lazyregexp.New(`"netns"\s*:\s*"(shared|exclusive)"`)
	resourceLine = lazyregexp.New(`^(?:\d+: )?([A-Za-z][\w.-]*):? ((?:\w+ \d+ ?)+)$`)
)

// rdmaSystemSources are the outputs of rdma's other objects, and of NVIDIA's firmware tool.
func rdmaSystemSources() []parse.Source {
	return []parse.Source{From("rdma system", readRDMASystem).KeptAs("rdma system", `^\s*netns (?:shared|exclusive)\b`),
		From("rdma resource", readRDMAResources).KeptAs("rdma resource", `(?m)^\d+: \S+: pd \d+ cq \d+ qp \d+ `),
		From("mlxfwmanager", readMlxfwmanager).KeptAs("mlxfwmanager", `(?m)^Device #\d+:[\s\S]*?PSID:`)}
}

// readRDMASystem reads "rdma system show": "netns shared copy-on-fork on"; with -j some releases print the same words,
// others JSON. Format: rdma-system(8), iproute2's rdma/sys.c. Snapshots: guests, in both modes; none of the JSON.
func readRDMASystem(f *parse.Builder, _ []string, text []byte) error {
	for line := range strings.Lines(string(text)) {
		for _, form := range []*lazyregexp.Regexp{systemLine, systemJSON} {
			if m := form.FindStringSubmatch(line); m != nil {
				f.RDMANetns = &facts.RDMASystem{Mode: m[1], Proof: f.Proof(line)}
				return nil
			}
		}
	}
	return parse.ToolError(text)
}

// readRDMAResources reads "rdma resource show", without an object or device and with or without -j:
//
//	0: rxe0: pd 1 cq 1 qp 1 cm_id 0 mr 0 ctx 0 srq 0
//
// Format: rdma-resource(8), iproute2's rdma/res.c. Snapshots: a guest with soft RoCE. Without a device the output is
// empty, with -j [].
func readRDMAResources(f *parse.Builder, _ []string, text []byte) error {
	if strings.HasPrefix(strings.TrimSpace(string(text)), "[") {
		var list []map[string]any
		if err := parse.ParseJSON(text, &list); err != nil {
			return err
		}
		for _, o := range list {
			r := facts.RDMAResources{Counts: map[string]int{}}
			r.Device, _ = o["ifname"].(string)
			line := r.Device
			for _, name := range resourceNames {
				if n, ok := o[name].(float64); ok && n >= 0 && n < 1<<31 {
					r.Counts[name] = int(n)
					line += " " + name + " " + strconv.Itoa(int(n))
				}
			}
			if r.Proof = f.Proof(line); IsDeviceName(r.Device) && len(r.Counts) > 0 {
				f.RDMAInUse = append(f.RDMAInUse, r)
			}
		}
		return nil
	}
	seen := false
	for line := range strings.Lines(string(text)) {
		m := resourceLine.FindStringSubmatch(strings.TrimSpace(line))
		if m == nil || !IsDeviceName(m[1]) {
			continue
		}
		r := facts.RDMAResources{Device: m[1], Counts: map[string]int{}, Proof: f.Proof(line)}
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
		return parse.ToolError(text)
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
// Format: NVIDIA, MFT manual: mlxfwmanager. Snapshot: mlxfwmanager-query--sonic-265, without a matching image; the
// words for a newer version (Update required) are those of the manual.
func readMlxfwmanager(f *parse.Builder, _ []string, text []byte) error {
	var c *facts.NICFirmware
	for line := range strings.Lines(string(text)) {
		key, value, _ := strings.Cut(strings.TrimSpace(line), ":")
		value = strings.TrimSpace(value)
		w := strings.Fields(line)
		switch {
		case strings.HasPrefix(key, "Device #"):
			if len(f.NICFirmware) >= 1024 {
				return nil
			}
			f.NICFirmware = append(f.NICFirmware, facts.NICFirmware{})
			c = &f.NICFirmware[len(f.NICFirmware)-1]
		case c == nil:
		case key == "Device Type":
			c.Type = value
		case key == "PSID":
			c.PSID = value
		case key == "PCI Device Name":
			c.Device = value
		case key == "Status":
			c.Status = f.Proof(line)
		case len(w) >= 2 && w[0] == "FW" && c.Current == "":
			c.Proof = f.Proof(line)
			if firmwareVersion.MatchString(w[1]) {
				c.Current = w[1]
			}
			if len(w) >= 3 && firmwareVersion.MatchString(w[2]) {
				c.Available = w[2]
			}
		}
	}
	if c == nil {
		return parse.ToolError(text)
	}
	return nil
}

var firmwareVersion = lazyregexp.New(`^\d+\.\d+\.\d+$`)

// NewerFirmware reports whether a is a later version than b, both "16.35.2000".
func NewerFirmware(a, b string) bool {
	x, y := strings.Split(a, "."), strings.Split(b, ".")
	for i := range min(len(x), len(y)) {
		if m, n := facts.Atoi(x[i]), facts.Atoi(y[i]); m != n {
			return m > n
		}
	}
	return false
}
