package fault

import "fmt"

// cpuQuota has the measuring process of one end wait after a part of each tenth of a second.
var cpuQuota = Fault{
	ID: "cpu-quota", Title: "a control group that grants one end a part of a core", Cause: "cpu-quota", Kind: Live, Terrain: Fast, Needs: []string{NeedsQuota},
	Parameters: []Parameter{{Name: "cores", Unit: "1", Low: 0.05, High: 0.25}, {Name: "end", Low: 0, High: 1}},
	Make: func(p *Place, v Values) {
		host := p.Receiver.Host
		if v["end"] == 1 {
			host = p.Sender.Host
		}
		p.quota(host, v["cores"])
	},
}

// quota grants the processes of a host a part of a core.
func (p *Place) quota(host string, cores float64) {
	p.group(host, "cpu", fmt.Sprintf("echo %.0f >$g/cpu.cfs_quota_us", 1e5*cores))
}

// group puts a host's thread, which starts all of its processes, into a control group of a controller (version 1), which limit has set. The
// group's name, $g, is what a lab that ends, and the next list of labs, removes groups by.
func (p *Place) group(host, controller, limit string) {
	group := fmt.Sprintf(`g=/sys/fs/cgroup/%s/linerate-lab-$(tr '\0' ' ' </proc/1/cmdline | cut -d' ' -f3)-$(hostname)`, controller)
	thread := p.ask(host, `me=$(readlink /proc/self/ns/net); for t in /proc/1/task/*; do [ "$(readlink $t/ns/net)" = "$me" ] && echo ${t##*/} && break; done`)
	was := p.ask(host, fmt.Sprintf(`sed -n 's/^[0-9]*:\([a-z,]*,\)\?%[1]s\(,[a-z,]*\)\?:/\/sys\/fs\/cgroup\/%[1]s/p' /proc/self/cgroup`, controller))
	p.run(host, fmt.Sprintf("%s; mkdir -p $g && %s && echo %s >$g/tasks", group, limit, thread),
		fmt.Sprintf("%s; for i in $(seq 50); do for t in $(cat $g/tasks); do echo $t >%s/tasks; done; rmdir $g && break; sleep 0.05; done", group, was))
}
