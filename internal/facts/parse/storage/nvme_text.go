package storage

import (
	"encoding/json"
	"strings"

	"linerate/internal/base/unit"
	"linerate/internal/facts"
	"linerate/internal/facts/parse"
)

// nvmeHost is a host in "nvme list-subsys -o json": in nvme-cli 2 an entry of a list of hosts, in 1 one object without
// a name.
type nvmeHost struct {
	Subsystems []struct {
		Name, NQN string
		Paths     []struct{ Name, Transport, Address, State string }
	}
}

// readNVMeSubsystemsJSON reads "nvme list-subsys -o json". Snapshot: a guest; nvme-cli 1 has names and paths in one
// list, of which the paths are read.
func readNVMeSubsystemsJSON(f *parse.Builder, text []byte) error {
	var hosts []nvmeHost
	if err := json.Unmarshal(text, &hosts); err != nil {
		var one nvmeHost
		if json.Unmarshal(text, &one) != nil {
			return parse.ToolError(text)
		}
		hosts = []nvmeHost{one}
	}
	if f.Storage.NVMe == nil {
		f.Storage.NVMe = []facts.NVMeController{}
	}
	for _, h := range hosts {
		for _, s := range h.Subsystems {
			for _, p := range s.Paths {
				if p.Name == "" {
					continue
				}
				c := Nvme(f, p.Name)
				c.Transport, c.State = p.Transport, p.State
				if s.NQN != "" {
					c.Subsystem = s.NQN
				}
				address(c, p.Address)
				if c.Line == "" {
					c.Proof = f.Proof(strings.TrimSpace(p.Name + " " + p.Transport + " " + p.Address + " " + p.State))
				}
			}
		}
	}
	return nil
}

// parseNVMeColumns reads the text of "nvme list": a header, a line of dashes that marks its columns, and one line per
// namespace.
//
//	Node                  Generic               SN                   Model
//	--------------------- --------------------- -------------------- ----------------------------------------
//	/dev/nvme0n1          /dev/ng0n1            drive-1              QEMU NVMe Ctrl
//
// Format: nvme-cli's nvme-print-stdout.c. Snapshot: a guest, nvme-cli 2.3. With -v the first table is of subsystems,
// and is not read.
func parseNVMeColumns(text []byte) ([]facts.NVMeController, error) {
	out, from, to := []facts.NVMeController{}, -1, 0
	head := ""
	for line := range strings.Lines(string(text)) {
		line = strings.TrimRight(line, "\r\n")
		switch {
		case strings.HasPrefix(line, "Node "):
			head = line
		case head != "" && from < 0 && strings.HasPrefix(line, "-----"):
			if from = strings.Index(head, "Model"); from < 0 || from >= len(line) {
				return nil, parse.ToolError(text)
			}
			to = len(line)
			if n := strings.IndexByte(line[from:], ' '); n > 0 {
				to = from + n
			}
		case from >= 0 && strings.HasPrefix(line, "/dev/") && len(line) > from:
			if name := nvmeName.FindString(line); name != "" {
				out = append(out, facts.NVMeController{Name: name, Model: facts.OneLine(line[from:min(to, len(line))]),
					Queues: unit.Unknown[int]("nvme list does not print it")})
			}
		}
	}
	if from < 0 {
		return nil, parse.ToolError(text)
	}
	return out, nil
}
