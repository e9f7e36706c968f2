package storage

import (
	"encoding/json"
	"net/netip"
	"strings"

	"linerate/internal/base/lazyregexp"
	"linerate/internal/base/unit"
	"linerate/internal/facts"
	"linerate/internal/facts/parse"
)

var (
	nvmeFile   = lazyregexp.New(`^/sys/class/nvme/(nvme\d+)/(transport|address|queue_count|state|model|subsysnqn)$`)
	nvmePath   = lazyregexp.New(`^\+- (nvme\d+) (\S+) (\S*) ?(\S+)?`)
	nvmeTarget = lazyregexp.New(`traddr=([^,\s]+)(?:[, ]+trsvcid=(\d+))?`)
	nvmeSource = lazyregexp.New(`(?:src_addr|host_traddr)=([^,\s]+)`)
)

// readNVMeFiles reads "grep . /sys/class/nvme/nvme*/FILE": transport, address
// ("traddr=10.0.1.2,trsvcid=4420,src_addr=10.0.1.1"), queue_count (with the admin queue), state, model, subsysnqn.
// Format: drivers/nvme/host/sysfs.c. The only snapshot is of a guest with a local drive; other machines' snapshots only
// have nvme-cli's output.
func readNVMeFiles(f *parse.Builder, _ []string, text []byte) error {
	return parse.ReadGrep(text, func(path, value string) bool {
		m := nvmeFile.FindStringSubmatch(path)
		if m == nil {
			return false
		}
		c := Nvme(f, m[1])
		switch m[2] {
		case "transport":
			c.Transport = value
			if c.Line == "" {
				c.Proof = f.Proof(path + ":" + value)
			}
		case "address":
			address(c, value)
		case "queue_count":
			if n := facts.Atoi(value); n > 0 {
				c.Queues, c.Proof = unit.Known(n-1), f.Proof(path+":"+value)
			}
		case "state":
			c.State = value
		case "model":
			c.Model = facts.OneLine(value)
		case "subsysnqn":
			c.Subsystem = value
		}
		return true
	})
}

// address reads "traddr=10.162.198.42,trsvcid=4420,src_addr=10.162.198.1".
func address(c *facts.NVMeController, s string) {
	if m := nvmeTarget.FindStringSubmatch(s); m != nil {
		addr, err := netip.ParseAddr(m[1])
		port := facts.Atoi(m[2])
		if err == nil && port < 1<<16 {
			c.Target = netip.AddrPortFrom(addr, uint16(max(port, 0)))
		}
	}
	if m := nvmeSource.FindStringSubmatch(s); m != nil {
		c.From, _ = netip.ParseAddr(m[1])
	}
}

// readNVMeSubsystems reads the text of "nvme list-subsys":
//
//	nvme-subsys1 - NQN=nqn.1988-11.com.dell:powerstore:00:f03028e73ef7D032D81E
//	\
//	 +- nvme1 tcp traddr=10.162.198.42,trsvcid=4420 live non-optimized
//
// Format: nvme-cli's nvme-print-stdout.c. Snapshots: pull requests of nvme-cli (1540, 1458), several releases.
func readNVMeSubsystems(f *parse.Builder, _ []string, text []byte) error {
	if t := strings.TrimSpace(string(text)); strings.HasPrefix(t, "[") || strings.HasPrefix(t, "{") {
		return readNVMeSubsystemsJSON(f, text)
	}
	nqn, seen := "", false
	for line := range strings.Lines(string(text)) {
		trimmed := strings.TrimSpace(line)
		if _, name, ok := strings.Cut(trimmed, " - NQN="); ok {
			nqn, seen = name, true
			continue
		}
		m := nvmePath.FindStringSubmatch(trimmed)
		if m == nil {
			continue
		}
		seen = true
		c := Nvme(f, m[1])
		c.Transport, c.Subsystem = m[2], nqn
		address(c, trimmed)
		for _, w := range strings.Fields(trimmed) {
			switch w {
			case "live", "connecting", "resetting", "deleting", "dead", "new":
				c.State = w
			}
		}
		if c.Line == "" {
			c.Proof = f.Proof(line)
		}
	}
	if !seen {
		return parse.ToolError(text)
	}
	return nil
}

// nvmeList is the JSON of "nvme list -o json": of nvme-cli 1 a list of namespaces, of 2.11 and later with -v subsystems
// with controllers.
type nvmeList struct {
	Devices []struct {
		DevicePath  string
		ModelNumber string
		Subsystems  []struct {
			SubsystemNQN string
			Controllers  []struct{ Controller, ModelNumber, Transport, Address string }
		}
	}
}

var nvmeName = lazyregexp.New(`nvme\d+`)

// parseNVMeList reads "nvme list", with or without -o json. An empty list means that there are none. Format: nvme-cli's
// nvme-print-json.c
func parseNVMeList(text []byte) ([]facts.NVMeController, error) {
	if !strings.HasPrefix(strings.TrimSpace(string(text)), "{") {
		return parseNVMeColumns(text)
	}
	var l nvmeList
	if err := json.Unmarshal(text, &l); err != nil {
		return nil, parse.ToolError(text)
	}
	out := []facts.NVMeController{}
	for _, d := range l.Devices {
		if name := nvmeName.FindString(d.DevicePath); name != "" {
			out = append(out, facts.NVMeController{Name: name, Model: facts.OneLine(d.ModelNumber),
				Queues: unit.Unknown[int]("nvme list does not print it")})
		}
		for _, s := range d.Subsystems {
			for _, c := range s.Controllers {
				v := facts.NVMeController{Name: c.Controller, Model: facts.OneLine(c.ModelNumber), Transport: c.Transport,
					Subsystem: s.SubsystemNQN, Queues: unit.Unknown[int]("nvme list does not print it")}
				address(&v, c.Address)
				if v.Name != "" {
					out = append(out, v)
				}
			}
		}
	}
	return out, nil
}

func putNVMe(f *parse.Builder, _ []string, list []facts.NVMeController) {
	if f.Storage.NVMe == nil {
		f.Storage.NVMe = []facts.NVMeController{}
	}
	for _, c := range list {
		at := Nvme(f, c.Name)
		c.Proof = f.Proof(c.Name + " " + c.Model)
		if at.Transport == "" {
			*at = c
		}
	}
}

// Nvme returns the controller of a name, and creates it if needed.
func Nvme(f *parse.Builder, name string) *facts.NVMeController {
	for i := range f.Storage.NVMe {
		if f.Storage.NVMe[i].Name == name {
			return &f.Storage.NVMe[i]
		}
	}
	f.Storage.NVMe = append(f.Storage.NVMe,
		facts.NVMeController{Name: name, Queues: unit.Unknown[int]("this kernel does not print it (queue_count)")})
	return &f.Storage.NVMe[len(f.Storage.NVMe)-1]
}
