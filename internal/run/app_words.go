package run

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"linerate/internal/design/plan"
	"linerate/internal/traffic"
)

// placeholder is what stands in a command for a value.
var placeholder = regexp.MustCompile(`\{[a-z_]+\}`)

// placeholders are those that there are; docs/fabric.md has their meanings. The agent puts the folder in.
var placeholders = []string{"{processes}", "{threads}", "{host}", "{hosts}", "{address}", "{addresses}", "{interface}", "{peer}", "{peer_address}", "{port}", "{hostfile}", "{folder}"}

// strangePlaceholder says which placeholder of a command is none. Braces around anything else are the command's own.
func strangePlaceholder(words []string) string {
	for _, w := range words {
		for _, p := range placeholder.FindAllString(w, -1) {
			if !slices.Contains(placeholders, p) {
				return fmt.Sprintf("the command has %s, which stands for nothing; there are %s", p, strings.Join(placeholders, ", "))
			}
		}
	}
	return ""
}

// filled puts values in place of the placeholders of a command on the host of that number. A value stays a part of its word.
func (c *Cell) filled(words []string, on, port int) ([]string, error) {
	a := c.app
	threads := c.Exp.Settings["threads"]
	if threads == "" {
		threads = "1"
	}
	values := map[string]string{"{processes}": strconv.Itoa(c.processes()), "{threads}": threads, "{host}": a.hosts[on], "{hosts}": strings.Join(a.hosts, ","),
		"{port}": strconv.Itoa(port), "{hostfile}": "{folder}/.linerate/" + hostsName, "{folder}": "{folder}"}
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
		return nil, fmt.Errorf("%s of the command is not known: %s", missing[0], map[bool]string{true: "it is of two hosts, and the experiment has " + strconv.Itoa(len(a.hosts)),
			false: "no address is planned for every host of the experiment; name a card with via"}[strings.HasPrefix(missing[0], "{peer") && len(a.hosts) != 2])
	}
	return out, nil
}

// address is that of a host on the planned path; empty: none is planned.
func (a *appCell) address(i int) string {
	if p := a.ports[i]; p != nil && p.Address.IsValid() {
		return p.Address.Addr().String()
	}
	return ""
}

// hostOf is the number of the host that mpirun calls so: its name, or its planned address; -1: it is none of the experiment's.
func (a *appCell) hostOf(name string) int {
	for i, h := range a.hosts {
		if name == h || name == a.address(i) {
			return i
		}
	}
	return -1
}

// hostsName is the list of hosts for mpirun, slotsName that of Open MPI with as many slots as processes are dealt to each.
const hostsName, slotsName = "hosts", "slots"

// hostLists are the two lists: the planned addresses, so that no name has to be resolved, else the names.
func (c *Cell) hostLists() (plain, slots string) {
	n, hosts := c.processes(), len(c.app.hosts)
	for i, h := range c.app.hosts {
		if address := c.app.address(i); address != "" {
			h = address
		}
		plain += h + "\n"
		slots += fmt.Sprintf("%s slots=%d\n", h, max(1, (n+hosts-1-i)/hosts))
	}
	return plain, slots
}

// mpi is the environment by which mpirun of Open MPI 4 and of MPICH (Hydra) start their daemons over the fabric's reaches, and hold themselves to the
// planned network. together: the hosts are on one machine; shared: and have one
// name and one shared memory there, so that MPI would take them for one host.
func (c *Cell) mpi(together, shared bool) []string {
	a := c.app
	if len(a.hosts) < 2 || a.serve != nil {
		return nil
	}
	own := "{folder}/.linerate/"
	env := []string{
		"OMPI_MCA_plm=rsh", "OMPI_MCA_plm_rsh_agent=" + own + launcherName, "OMPI_MCA_plm_rsh_no_tree_spawn=1",
		"OMPI_MCA_orte_leave_session_attached=1", // what a daemon complains of is heard
		"OMPI_MCA_orte_default_hostfile=" + own + slotsName, "OMPI_MCA_rmaps_base_mapping_policy=node:OVERSUBSCRIBE",
		"OMPI_MCA_orte_tmpdir_base={folder}/.linerate", "OMPI_MCA_btl_vader_backing_directory={folder}/.linerate",
		"HYDRA_LAUNCHER=ssh", "HYDRA_LAUNCHER_EXEC=" + own + launcherName, "HYDRA_HOST_FILE=" + own + hostsName,
	}
	env = append(env, "OMPI_ALLOW_RUN_AS_ROOT=1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1") // who runs it as root has chosen that with the reach
	if together {
		env = append(env, "OMPI_MCA_hwloc_base_binding_policy=none", "OMPI_MCA_mpi_yield_when_idle=1") // ranks share the machine's cores
	}
	var nets []string
	for _, n := range a.nets {
		nets = append(nets, n.String())
	}
	if len(nets) > 0 {
		env = append(env, "OMPI_MCA_btl_tcp_if_include="+strings.Join(nets, ","), "OMPI_MCA_oob_tcp_if_include="+strings.Join(nets, ","))
	}
	if name := a.oneInterface(); name != "" {
		env = append(env, "HYDRA_IFACE="+name)
		if together || !a.rdma() {
			env = append(env, "UCX_NET_DEVICES="+name, "FI_TCP_IFACE="+name)
		}
	}
	if together || !a.rdma() { // where no RDMA is planned, or a lab has none: TCP, and shared memory within a host
		env = append(env, "OMPI_MCA_pml=ob1", "OMPI_MCA_osc=^ucx", "FI_PROVIDER=tcp")
		if shared {
			env = append(env, "OMPI_MCA_btl=self,tcp")
		} else {
			env = append(env, "OMPI_MCA_btl=self,vader,tcp")
		}
		if together { // UCX takes all processes of one kernel for neighbours in memory, whatever their host is called; MPICH has a memory of its own beside it
			env = append(env, "UCX_TLS=tcp,self")
		} else {
			env = append(env, "UCX_TLS=tcp,self,sm")
		}
	}
	return env
}

// oneInterface is the name that the planned interface has on every host; empty: they differ.
func (a *appCell) oneInterface() string {
	name := ""
	for _, p := range a.ports {
		if p == nil || name != "" && p.Interface != name {
			return ""
		}
		name = p.Interface
	}
	return name
}

// rdma says whether RDMA is planned between all hosts.
func (a *appCell) rdma() bool {
	return !slices.ContainsFunc(a.ports, func(p *plan.Port) bool { return p == nil || p.RDMA == "" })
}

// runsMPI says whether a command starts mpirun.
func runsMPI(words []string) bool {
	return len(words) > 0 && slices.ContainsFunc([]string{"mpirun", "mpiexec", "orterun", "mpiexec.hydra", "mpirun.openmpi", "mpirun.mpich"}, func(name string) bool {
		return words[0] == name || strings.HasSuffix(words[0], "/"+name)
	})
}

// lackOf is what to do about a program that is not on a host.
func (a *appCell) lackOf(host, name string) string {
	text := fmt.Sprintf("%s is not on %s", name, host)
	switch pack := packageOf(name); {
	case pack != "":
		return text + ": apt-get install " + pack + " (Debian)"
	case name == a.program.binary && a.program.source != "":
		return text + ": " + a.program.source
	}
	return text + ": install it there, or write its whole path"
}

// packageOf is Debian's package of a program; empty: it has none, or it is not known here.
func packageOf(name string) string {
	for _, p := range readyMade() {
		if p.binary == name {
			return p.pack
		}
	}
	if runsMPI([]string{name}) {
		return "openmpi-bin"
	}
	if runsSrun([]string{name}) {
		return "slurm-client"
	}
	return ""
}

// lacked is the program that an agent says its host lacks; empty: it failed for another reason.
func lacked(err error) string {
	if e := asMeasure(err); e != nil && e.Code == traffic.CodeUnsupported {
		return e.Subject
	}
	return ""
}
