package facts

import (
	"encoding/json"
	"strings"

	"linerate/internal/base/unit"
)

// nvmeHost is what "nvme list-subsys -o json" says of a host: of nvme-cli 2 a list of hosts, of 1 one object without a name.
type nvmeHost struct {
	Subsystems []struct {
		Name, NQN string
		Paths     []struct{ Name, Transport, Address, State string }
	}
}

// readNVMeSubsystemsJSON reads "nvme list-subsys -o json". The capture behind it is of a guest; nvme-cli 1 has names and paths as
// neighbours in one list, of which the paths are read.
func readNVMeSubsystemsJSON(f *Facts, text []byte) error {
	var hosts []nvmeHost
	if err := json.Unmarshal(text, &hosts); err != nil {
		var one nvmeHost
		if json.Unmarshal(text, &one) != nil {
			return toolError(text)
		}
		hosts = []nvmeHost{one}
	}
	if f.Storage.NVMe == nil {
		f.Storage.NVMe = []NVMeController{}
	}
	for _, h := range hosts {
		for _, s := range h.Subsystems {
			for _, p := range s.Paths {
				if p.Name == "" {
					continue
				}
				c := f.nvme(p.Name)
				c.Transport, c.State = p.Transport, p.State
				if s.NQN != "" {
					c.Subsystem = s.NQN
				}
				c.address(p.Address)
				if c.Line == "" {
					c.Proof = f.proof(strings.TrimSpace(p.Name + " " + p.Transport + " " + p.Address + " " + p.State))
				}
			}
		}
	}
	return nil
}

// parseNVMeColumns reads "nvme list" as people see it: a head, a line of dashes that says where its columns are, a line a namespace.
//
//	Node                  Generic               SN                   Model
//	--------------------- --------------------- -------------------- ----------------------------------------
//	/dev/nvme0n1          /dev/ng0n1            drive-1              QEMU NVMe Ctrl
//
// Format: nvme-cli's nvme-print-stdout.c. The capture behind it is of a guest, nvme-cli 2.3. Of -v the first table is of subsystems, and is not read.
func parseNVMeColumns(text []byte) ([]NVMeController, error) {
	out, from, to := []NVMeController{}, -1, 0
	head := ""
	for line := range strings.Lines(string(text)) {
		line = strings.TrimRight(line, "\r\n")
		switch {
		case strings.HasPrefix(line, "Node "):
			head = line
		case head != "" && from < 0 && strings.HasPrefix(line, "-----"):
			if from = strings.Index(head, "Model"); from < 0 || from >= len(line) {
				return nil, toolError(text)
			}
			to = len(line)
			if n := strings.IndexByte(line[from:], ' '); n > 0 {
				to = from + n
			}
		case from >= 0 && strings.HasPrefix(line, "/dev/") && len(line) > from:
			if name := nvmeName.FindString(line); name != "" {
				out = append(out, NVMeController{Name: name, Model: oneLine(line[from:min(to, len(line))]), Queues: unit.Unknown[int]("nvme list does not print it")})
			}
		}
	}
	if from < 0 {
		return nil, toolError(text)
	}
	return out, nil
}
