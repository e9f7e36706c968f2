package facts

import (
	"slices"
	"testing"
)

// reading makes a parser of a function that fills facts.
func reading(read func(f *Facts, args []string, text []byte) error) func([]byte) (*Facts, error) {
	return func(text []byte) (*Facts, error) {
		f := new(Facts)
		err := read(f, []string{"e0", "1"}, text)
		return f, err
	}
}

func FuzzInterrupts(f *testing.F) {
	fuzz(f, "proc/interrupts", parseInterrupts, func(t *testing.T, v *Interrupts) {
		for _, irq := range v.Lines {
			sum := uint64(0)
			for _, s := range irq.Served {
				sum += s.Count
			}
			if sum != irq.Total || len(irq.Served) > len(v.CPUs) {
				t.Fatal(irq)
			}
		}
	})
}
func FuzzNeighbours(f *testing.F) { fuzz(f, "ip neighbour", reading(readNeighbours), nil) }
func FuzzAffinity(f *testing.F) {
	fuzz(f, "grep . /proc/irq/*/smp_affinity_list", reading(readAffinity), nil)
}
func FuzzRPS(f *testing.F) {
	fuzz(f, "grep . /sys/class/net/*/queues/rx-*/rps_cpus", reading(readSteering), func(t *testing.T, v *Facts) {
		for _, n := range v.NICs {
			for _, q := range n.Steered {
				if q.CPUs.Has(q.CPUs.Len()) || q.Queue < 0 || q.Line == "" {
					t.Fatal(q)
				}
			}
		}
	})
}
func FuzzNodeLists(f *testing.F) {
	fuzz(f, "grep . /sys/devices/system/node/node*/cpulist", reading(readNodes), nil)
}
func FuzzNumactl(f *testing.F) { fuzz(f, "numactl -H", reading(readNumactl), nil) }
func FuzzLscpu(f *testing.F) {
	fuzz(f, "lscpu", parseLscpu, func(t *testing.T, v lscpu) { putLscpu(new(Facts), nil, v) })
}
func FuzzFrequency(f *testing.F) {
	fuzz(f, "grep . /sys/devices/system/cpu/cpu*/cpufreq/scaling_governor", reading(readFrequency), nil)
}
func FuzzCgroup(f *testing.F) {
	fuzz(f, "grep . /sys/fs/cgroup/cpu.max", reading(readCgroup), func(t *testing.T, v *Facts) {
		for _, q := range v.Quotas {
			if !(q.CPUs >= 0) {
				t.Fatal(q)
			}
		}
	})
}
func FuzzLimits(f *testing.F) { fuzz(f, "proc/self/limits", reading(readLimits), nil) }
func FuzzIOMMU(f *testing.F) {
	fuzz(f, "grep . /sys/kernel/iommu_groups/*/type", reading(readIOMMU), nil)
}
func FuzzBond(f *testing.F) {
	fuzz(f, "proc/net/bonding/*", parseBond, func(t *testing.T, v *Bond) { putBond(new(Facts), []string{"b"}, v) })
}
func FuzzConntrack(f *testing.F) { fuzz(f, "proc/net/stat/nf_conntrack", reading(readConntrack), nil) }
func FuzzHwmon(f *testing.F) {
	fuzz(f, "grep . /sys/class/hwmon/hwmon*/temp*", reading(readHwmon), nil)
}
func FuzzNstat(f *testing.F) { fuzz(f, "nstat", parseNstat, nil) }
func FuzzFunctions(f *testing.F) {
	f.Add("    vf 0     link/ether 6e:cc:c3:fe:ad:7f brd ff:ff:ff:ff:ff:ff, vlan 7, spoof checking on, link-state auto, trust off\n")
	f.Add("vf 1 MAC 52:54:00:00:00:01, vlan 100, spoof checking on, link-state auto")
	f.Fuzz(func(t *testing.T, line string) {
		if v, ok := parseFunction(line); ok && (v.Index < 0 || v.MAC == "") {
			t.Fatal(v)
		}
	})
}
func FuzzMounts(f *testing.F) {
	fuzz(f, "proc/mounts", parseMounts, func(t *testing.T, v []Mount) {
		for _, m := range v {
			if m.Connections() < 1 || !networked(m.Kind) {
				t.Fatal(m)
			}
		}
	})
}
func FuzzCIFS(f *testing.F)  { fuzz(f, "proc/fs/cifs/DebugData", reading(readCIFS), nil) }
func FuzzISCSI(f *testing.F) { fuzz(f, "iscsiadm -m session", reading(readISCSI), nil) }
func FuzzNVMeFiles(f *testing.F) {
	fuzz(f, "grep . /sys/class/nvme/nvme*/transport", reading(readNVMeFiles), nil)
}
func FuzzNVMeSubsystems(f *testing.F) { fuzz(f, "nvme list-subsys", reading(readNVMeSubsystems), nil) }
func FuzzNVMeList(f *testing.F)       { fuzz(f, "nvme list", parseNVMeList, nil) }
func FuzzZpoolStatus(f *testing.F)    { fuzz(f, "zpool status", parseZpoolStatus, nil) }
func FuzzZpoolList(f *testing.F)      { fuzz(f, "zpool list", parseZpoolList, nil) }
func FuzzDiskstats(f *testing.F) {
	fuzz(f, "proc/diskstats", parseDiskstats, func(t *testing.T, v []BlockCount) {
		for _, b := range v {
			if b.Name == "" || b.ReadBytes%sector != 0 {
				t.Fatal(b)
			}
		}
	})
}
func FuzzLayers(f *testing.F) {
	fuzz(f, layersSource, reading(readLayers), func(t *testing.T, v *Facts) {
		for _, l := range v.Storage.Layers {
			if l.Name == "" || slices.Contains(v.Below(l.Name), l.Name) {
				t.Fatal(l)
			}
		}
	})
}
func FuzzLoops(f *testing.F) { fuzz(f, loopsSource, reading(readLoops), nil) }
