package facts

import (
	"encoding/json"
	"net/netip"
	"strings"

	"linerate/internal/base/lazyregexp"
	"linerate/internal/base/unit"
)

// NVMeController is a way to an NVMe subsystem: a drive of the machine, or one over the network.
type NVMeController struct {
	Name      string // "nvme0"
	Transport string // pcie, tcp, rdma, fc, loop; empty: not known
	Model     string
	Target    netip.AddrPort // of tcp and rdma
	From      netip.Addr     // of this host; invalid: the routing table's choice
	State     string         // "live"
	Subsystem string         // its NQN; empty: not known
	Queues    unit.Opt[int]  // for reading and writing, without the one for administration
	Proof                    // of Queues, else of the way
}

var (
	nvmeFile   = lazyregexp.New(`^/sys/class/nvme/(nvme\d+)/(transport|address|queue_count|state|model|subsysnqn)$`)
	nvmePath   = lazyregexp.New(`^\+- (nvme\d+) (\S+) (\S*) ?(\S+)?`)
	nvmeTarget = lazyregexp.New(`traddr=([^,\s]+)(?:[, ]+trsvcid=(\d+))?`)
	nvmeSource = lazyregexp.New(`(?:src_addr|host_traddr)=([^,\s]+)`)
)

// readNVMeFiles reads "grep . /sys/class/nvme/nvme*/FILE": transport, address ("traddr=10.0.1.2,trsvcid=4420,src_addr=10.0.1.1"),
// queue_count (with the queue for administration), state, model, subsysnqn.
// Format: drivers/nvme/host/sysfs.c. No capture of these files with a drive over a network is behind it: only a guest of this program's own tests,
// with a local drive, was read so; captures of other machines show nvme-cli's output alone.
func readNVMeFiles(f *Facts, _ []string, text []byte) error {
	return readGrep(text, func(path, value string) bool {
		m := nvmeFile.FindStringSubmatch(path)
		if m == nil {
			return false
		}
		c := f.nvme(m[1])
		switch m[2] {
		case "transport":
			c.Transport = value
			if c.Line == "" {
				c.Proof = f.proof(path + ":" + value)
			}
		case "address":
			c.address(value)
		case "queue_count":
			if n := atoi(value); n > 0 {
				c.Queues, c.Proof = known(n-1), f.proof(path+":"+value)
			}
		case "state":
			c.State = value
		case "model":
			c.Model = oneLine(value)
		case "subsysnqn":
			c.Subsystem = value
		}
		return true
	})
}

// address reads "traddr=10.162.198.42,trsvcid=4420,src_addr=10.162.198.1".
func (c *NVMeController) address(s string) {
	if m := nvmeTarget.FindStringSubmatch(s); m != nil {
		addr, err := netip.ParseAddr(m[1])
		port := atoi(m[2])
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
// Format: nvme-cli's nvme-print-stdout.c. The captures behind it are those of pull requests of nvme-cli (1540, 1458), several releases.
func readNVMeSubsystems(f *Facts, _ []string, text []byte) error {
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
		c := f.nvme(m[1])
		c.Transport, c.Subsystem = m[2], nqn
		c.address(trimmed)
		for _, w := range strings.Fields(trimmed) {
			switch w {
			case "live", "connecting", "resetting", "deleting", "dead", "new":
				c.State = w
			}
		}
		if c.Line == "" {
			c.Proof = f.proof(line)
		}
	}
	if !seen {
		return toolError(text)
	}
	return nil
}

// nvmeList is the JSON of "nvme list -o json": of nvme-cli 1 a list of namespaces, of 2.11 and later with -v subsystems with controllers.
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

// parseNVMeList reads "nvme list", with or without -o json. An empty list is that there are none.
// Format: nvme-cli's nvme-print-json.c
func parseNVMeList(text []byte) ([]NVMeController, error) {
	if !strings.HasPrefix(strings.TrimSpace(string(text)), "{") {
		return parseNVMeColumns(text)
	}
	var l nvmeList
	if err := json.Unmarshal(text, &l); err != nil {
		return nil, toolError(text)
	}
	out := []NVMeController{}
	for _, d := range l.Devices {
		if name := nvmeName.FindString(d.DevicePath); name != "" {
			out = append(out, NVMeController{Name: name, Model: oneLine(d.ModelNumber), Queues: unit.Unknown[int]("nvme list does not print it")})
		}
		for _, s := range d.Subsystems {
			for _, c := range s.Controllers {
				v := NVMeController{Name: c.Controller, Model: oneLine(c.ModelNumber), Transport: c.Transport, Subsystem: s.SubsystemNQN, Queues: unit.Unknown[int]("nvme list does not print it")}
				v.address(c.Address)
				if v.Name != "" {
					out = append(out, v)
				}
			}
		}
	}
	return out, nil
}

func putNVMe(f *Facts, _ []string, list []NVMeController) {
	if f.Storage.NVMe == nil {
		f.Storage.NVMe = []NVMeController{}
	}
	for _, c := range list {
		at := f.nvme(c.Name)
		c.Proof = f.proof(c.Name + " " + c.Model)
		if at.Transport == "" {
			*at = c
		}
	}
}

// nvme returns the controller of that name, and makes it if there is none yet.
func (f *Facts) nvme(name string) *NVMeController {
	for i := range f.Storage.NVMe {
		if f.Storage.NVMe[i].Name == name {
			return &f.Storage.NVMe[i]
		}
	}
	f.Storage.NVMe = append(f.Storage.NVMe, NVMeController{Name: name, Queues: unit.Unknown[int]("this kernel does not print it (queue_count)")})
	return &f.Storage.NVMe[len(f.Storage.NVMe)-1]
}
