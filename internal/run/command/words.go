package command

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"linerate/internal/design/plan"
)

// placeholder is replaced by a value in a command.
var placeholder = regexp.MustCompile(`\{[a-z_]+\}`)

// placeholders is the list; docs/fabric.md has their meanings. The agent inserts the folder.
var placeholders = []string{"{processes}", "{threads}", "{host}", "{hosts}", "{address}", "{addresses}", "{interface}",
	"{peer}", "{peer_address}", "{port}", "{hostfile}", "{folder}"}

// unknownPlaceholder returns a placeholder that does not exist. Braces around anything else belong to the command.
func unknownPlaceholder(words []string) string {
	for _, w := range words {
		for _, p := range placeholder.FindAllString(w, -1) {
			if !slices.Contains(placeholders, p) {
				return fmt.Sprintf("the command has %s, which stands for nothing; there are %s", p,
					strings.Join(placeholders, ", "))
			}
		}
	}
	return ""
}

// filled replaces the placeholders of a command on host number on. A value stays a part of its word.
func (a *Command) filled(words []string, on, port int) ([]string, error) {
	threads := cmp.Or(a.c.Record.Settings["threads"], "1")
	values := map[string]string{"{processes}": strconv.Itoa(a.processes()), "{threads}": threads,
		"{host}": a.hosts[on], "{hosts}": strings.Join(a.hosts, ","), "{port}": strconv.Itoa(port),
		"{hostfile}": "{folder}/.linerate/" + hostsName, "{folder}": "{folder}"}
	var all []string
	for i := range a.hosts {
		if address := a.address(i); address != "" {
			all = append(all, address)
		}
	}
	if len(all) == len(a.hosts) {
		values["{addresses}"] = strings.Join(all, ",")
	}
	if p := a.ports[on]; p != nil {
		values["{interface}"], values["{address}"] = p.Interface, a.address(on)
	}
	if len(a.hosts) == 2 {
		other := 1 - on
		values["{peer}"] = a.hosts[other]
		if address := a.address(other); address != "" {
			values["{peer_address}"] = address
		}
	}
	var missing []string
	out := make([]string, len(words))
	for i, w := range words {
		out[i] = placeholder.ReplaceAllStringFunc(w, func(p string) string {
			v, ok := values[p]
			if !ok && slices.Contains(placeholders, p) {
				missing = append(missing, p)
			}
			if !ok {
				return p
			}
			return v
		})
	}
	if len(missing) > 0 {
		why := "no address is planned for every host of the experiment; name a NIC with via"
		if strings.HasPrefix(missing[0], "{peer") && len(a.hosts) != 2 {
			why = "it is of two hosts, and the experiment has " + strconv.Itoa(len(a.hosts))
		}
		return nil, fmt.Errorf("%s of the command is not known: %s", missing[0], why)
	}
	return out, nil
}

// address is that of a host on the planned path; empty: none is planned.
func (a *Command) address(i int) string {
	if p := a.ports[i]; p != nil && p.Address.IsValid() {
		return p.Address.Addr().String()
	}
	return ""
}

// hostOf is the number of the host that mpirun calls name: its name, or its planned address; -1: not a host of the
// experiment.
func (a *Command) hostOf(name string) int {
	for i, h := range a.hosts {
		if name == h || name == a.address(i) {
			return i
		}
	}
	return -1
}

// hostsName is the list of hosts for mpirun, slotsName that of Open MPI with the number of processes of each.
const hostsName, slotsName = "hosts", "slots"

// hostLists are the two lists: the planned addresses, which need no name resolution, else the names.
func (a *Command) hostLists() (plain, slots string) {
	n, hosts := a.processes(), len(a.hosts)
	for i, h := range a.hosts {
		if address := a.address(i); address != "" {
			h = address
		}
		plain += h + "\n"
		slots += fmt.Sprintf("%s slots=%d\n", h, max(1, (n+hosts-1-i)/hosts))
	}
	return plain, slots
}

// oneInterface is the planned interface's name on all hosts; empty: they differ.
func (a *Command) oneInterface() string {
	name := ""
	for _, p := range a.ports {
		if p == nil || name != "" && p.Interface != name {
			return ""
		}
		name = p.Interface
	}
	return name
}

// OverRDMA reports whether RDMA is planned between all hosts.
func (a *Command) OverRDMA() bool {
	return !slices.ContainsFunc(a.ports, func(p *plan.Port) bool { return p == nil || p.RDMA == "" })
}
