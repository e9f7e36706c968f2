package collect

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"linerate/internal/base/lazyregexp"
	linux "linerate/internal/device/linux/parse"
	"linerate/internal/facts/parse/iproute"
	"linerate/internal/facts/parse/storage"
)

// host adds the settings of the machine other than those of its interfaces' links. A container or a virtual machine has
// few of them.
func (c *collector) host(links []iproute.Link) {
	c.file("proc/interrupts", "/proc/interrupts", keepInterrupts)
	c.file("sys/devices/system/cpu/online", "/sys/devices/system/cpu/online", nil)
	c.grep("grep . /sys/devices/system/node/node*/cpulist", "/sys/devices/system/node/node*/cpulist")
	c.grep("grep . /sys/devices/system/cpu/cpu*/cpufreq/scaling_governor",
		"/sys/devices/system/cpu/cpu*/cpufreq/scaling_governor", "/sys/devices/system/cpu/cpu0/cpufreq/scaling_driver",
		"/sys/devices/system/cpu/cpu0/cpufreq/energy_performance_preference")
	c.file("proc/cmdline", "/proc/cmdline", linux.KeepBootWords)
	c.file("proc/self/limits", "/proc/self/limits", keepLines("Max locked memory"))
	c.file("grep CapEff /proc/self/status", "/proc/self/status", keepLines("CapEff:"))
	c.cgroups("/proc/self/cgroup", "/sys/fs/cgroup")
	for _, name := range hostSysctls() {
		c.optional("proc/sys/net/"+name, "/proc/sys/net/"+name)
	}
	c.optional("proc/net/stat/nf_conntrack", ownNet+"stat/nf_conntrack")
	for _, l := range append([]iproute.Link{{Name: "all"}}, links...) {
		if l.Name == "all" || l.Device != "" || l.Info != nil && l.Info.Kind != "" {
			for _, key := range []string{"arp_ignore", "rp_filter"} {
				c.optional("proc/sys/net/ipv4/conf/"+l.Name+"/"+key, "/proc/sys/net/ipv4/conf/"+l.Name+"/"+key)
			}
		}
		if l.Info != nil && l.Info.Kind == "bond" {
			c.optional("proc/net/bonding/"+l.Name, ownNet+"bonding/"+l.Name)
		}
	}
	c.devices("/sys", links)
	c.storage()
}

// devices adds the sysfs files of the adapters: interrupts, functions, steering, translation, temperature.
func (c *collector) devices(root string, links []iproute.Link) {
	var irqs, rps, xps, hwmon []string
	for _, l := range links {
		dir := root + "/class/net/" + l.Name
		if l.Device == "" || !sameLink(dir+"/", l) {
			continue
		}
		for _, name := range []string{"sriov_numvfs", "sriov_totalvfs"} {
			c.optional("sys/class/net/"+l.Name+"/device/"+name, dir+"/device/"+name)
		}
		own := interruptsOf(dir)
		if len(own) > 0 {
			c.read("ls /sys/class/net/"+l.Name+"/device/msi_irqs",
				func() ([]byte, error) { return []byte(strings.Join(own, "\n") + "\n"), nil })
		}
		irqs = append(irqs, own...)
		rps, xps = append(rps, dir+"/queues/rx-*/rps_cpus"), append(xps, dir+"/queues/tx-*/xps_cpus")
		for _, sensor := range []string{"name", "temp*_input", "temp*_label", "temp*_max", "temp*_crit"} {
			hwmon = append(hwmon, dir+"/device/hwmon/hwmon*/"+sensor)
		}
	}
	slices.Sort(irqs)
	var affinity []string
	for _, n := range slices.Compact(irqs) {
		affinity = append(affinity, "/proc/irq/"+n+"/smp_affinity_list")
	}
	c.grep("grep . /proc/irq/*/smp_affinity_list", affinity...)
	c.grep("grep . /sys/class/net/*/queues/rx-*/rps_cpus", rps...)
	c.grep("grep . /sys/class/net/*/queues/tx-*/xps_cpus",
		xps...) // an adapter with one queue has the file, but it cannot be read
	c.grep("grep . /sys/class/hwmon/hwmon*/temp*", hwmon...)
	c.iommu(root)
	c.functions(root, links)
}

// interruptsOf returns the numbers of the interrupts of an interface's adapter. Those of virtio are at its bus device.
func interruptsOf(dir string) (numbers []string) {
	path, err := filepath.EvalSymlinks(dir + "/device")
	if err != nil {
		return nil
	}
	for range 2 {
		if list, err := os.ReadDir(path + "/msi_irqs"); err == nil {
			for _, e := range list {
				numbers = append(numbers, e.Name())
			}
			return numbers
		}
		path = filepath.Dir(path)
	}
	return nil
}

// iommu adds the address translation of the adapters.
func (c *collector) iommu(root string) {
	const name = "grep . /sys/kernel/iommu_groups/*/type"
	c.read(name, func() ([]byte, error) {
		list, err := os.ReadDir(root + "/kernel/iommu_groups")
		if errors.Is(err, fs.ErrNotExist) || err == nil && len(list) == 0 {
			return []byte(linux.NoGroups + "\n"), nil
		}
		if err != nil {
			return nil, err
		}
		var out []byte
		seen := map[string]bool{}
		for _, f := range c.files {
			address, ok := strings.CutPrefix(f.Name, "grep -r . /sys/bus/pci/devices/")
			if !ok {
				continue
			}
			group, err := os.Readlink(root + "/bus/pci/devices/" + address + "/iommu_group")
			if err != nil {
				continue
			}
			group = filepath.Base(group)
			out = append(out, grepLines("/sys/bus/pci/devices/"+address+"/iommu_group", []byte(group))...)
			if kind, err := os.ReadFile(root + "/kernel/iommu_groups/" + group + "/type"); err == nil && !seen[group] {
				seen[group] = true
				out = append(out, grepLines("/sys/kernel/iommu_groups/"+group+"/type", kind)...)
			}
		}
		if out == nil {
			return nil, errors.New("none of the NICs with an interface is in a group")
		}
		return out, nil
	})
}

var cgroupLine = lazyregexp.New(`^\d+:([^:]*):(/.*)$`)

// cgroups adds the limits of CPU time of the control groups that this process is in, up to the root.
func (c *collector) cgroups(own, root string) {
	c.read("grep . /sys/fs/cgroup/cpu.max", func() ([]byte, error) {
		text, err := os.ReadFile(own)
		if err != nil {
			return nil, err
		}
		var out []byte
		for line := range strings.Lines(string(text)) {
			m := cgroupLine.FindStringSubmatch(strings.TrimSpace(line))
			if m == nil {
				continue
			}
			base := root
			controllers := strings.Split(m[1], ",")
			if m[1] != "" {
				if !slices.Contains(controllers, "cpu") {
					continue
				}
				base = root + "/" + m[1]
				if _, err := os.Stat(base); err != nil {
					base = root + "/cpu"
				}
			}
			for path := filepath.Clean(m[2]); ; path = filepath.Dir(path) {
				for _, name := range []string{"cpu.max", "cpu.cfs_quota_us", "cpu.cfs_period_us", "cpu.stat"} {
					file := filepath.Join(base, path, name)
					if text, err := os.ReadFile(file); err == nil {
						out = append(out, grepLines("/sys/fs/cgroup"+strings.TrimPrefix(file, root),
							keepLines("max", "nr_", "-1", "0", "1", "2", "3", "4", "5", "6", "7", "8", "9")(text))...)
					}
				}
				if path == "/" || path == "." {
					break
				}
			}
		}
		if out == nil {
			return nil, errors.New("no control group of this process has a limit of CPU time that can be read")
		}
		return out, nil
	})
}

// grep adds files as lines PATH:VALUE, if they exist and can be read.
func (c *collector) grep(name string, patterns ...string) {
	if err := announced(c.head.OS, name); err != nil {
		c.unknown(name, err)
		return
	}
	var out []byte
	var last error
	for _, p := range patterns {
		files := []string{p}
		if strings.ContainsRune(p, '*') {
			files, _ = filepath.Glob(p)
			slices.SortFunc(files, byNumber)
		}
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				last = err
				continue
			}
			out = append(out, grepLines(file, text)...)
		}
	}
	switch {
	case out != nil:
		c.read(name, func() ([]byte, error) { return out, nil })
	case last != nil && !errors.Is(last, fs.ErrNotExist):
		c.unknown(name, last)
	}
}

// byNumber sorts cpu2 before cpu10.
func byNumber(a, b string) int {
	if len(a) != len(b) {
		return len(a) - len(b)
	}
	return strings.Compare(a, b)
}

// optional adds a file that many machines do not have.
func (c *collector) optional(name, path string) {
	if err := announced(c.head.OS, name); err != nil {
		c.unknown(name, err)
		return
	}
	if text, err := os.ReadFile(path); err == nil && len(bytes.TrimSpace(text)) > 0 {
		c.read(name, func() ([]byte, error) { return text, nil })
	} else if err != nil && !errors.Is(err, fs.ErrNotExist) {
		c.unknown(name, err)
	}
}

// keepInterrupts removes the machine's own interrupts from /proc/interrupts, and reduces runs of blanks to one: with
// hundreds of CPUs most of it is blanks.
func keepInterrupts(text []byte) []byte {
	var out []byte
	for line := range bytes.Lines(text) {
		words := bytes.Fields(line)
		if len(words) == 0 || out != nil && (words[0][0] < '0' || words[0][0] > '9') {
			continue
		}
		out = append(append(append(out, ' '), bytes.Join(words, []byte(" "))...), '\n')
	}
	return out
}

// keepLines keeps the lines that begin with one of the words.
func keepLines(words ...string) func([]byte) []byte {
	return func(text []byte) (out []byte) {
		for line := range bytes.Lines(text) {
			if slices.ContainsFunc(words, func(w string) bool { return bytes.HasPrefix(line, []byte(w)) }) {
				out = append(out, line...)
			}
		}
		return out
	}
}

// layers adds the structure of block devices. /sys/block is the machine's in every network namespace.
func (c *collector) layers(root string) {
	var names []string
	for _, form := range []string{"/block/*/*/partition", "/block/*/slaves/*"} {
		found, _ := filepath.Glob(root + form)
		for _, name := range found {
			names = append(names, "/sys"+strings.TrimPrefix(name, root))
		}
	}
	if len(names) > 0 {
		c.read(storage.LayersSource, func() ([]byte, error) { return []byte(strings.Join(names, "\n") + "\n"), nil })
	}
	c.grep(storage.LoopsSource, root+"/block/*/loop/backing_file")
}

// storage adds the reports of storage clients, which are queried only where they are in use.
func (c *collector) storage() {
	c.file("proc/mounts", "/proc/thread-self/mounts", storage.KeepMounts)
	c.optional("proc/fs/cifs/DebugData", "/proc/fs/cifs/DebugData")
	var files []string
	for _, name := range []string{"transport", "address", "queue_count", "state", "model"} {
		files = append(files, "/sys/class/nvme/nvme*/"+name)
	}
	c.grep("grep . /sys/class/nvme/nvme*/transport", files...)
	c.optional("proc/mdstat", "/proc/mdstat")
	c.layers("/sys")
	c.read(storage.LsblkCommand, func() ([]byte,
		error) {
		return ask(c.ctx, "util-linux", strings.Fields(storage.LsblkCommand)...)
	})
	if list, err := os.ReadDir("/sys/class/iscsi_session"); err == nil && len(list) > 0 {
		c.read("iscsiadm -m session -P 1", func() ([]byte,
			error) {
			return ask(c.ctx, "open-iscsi", "iscsiadm", "-m", "session", "-P", "1")
		})
	}
	if _, err := os.Stat("/sys/module/zfs"); err == nil {
		c.read("zpool status", func() ([]byte, error) { return ask(c.ctx, "zfsutils-linux", "zpool", "status") })
	}
}
