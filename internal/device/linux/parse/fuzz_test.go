package parse

import (
	"net/netip"
	"testing"

	"linerate/internal/facts"
	"linerate/internal/facts/parse"
	"linerate/internal/facts/parse/parsetest"
)

// walkAll follows packets through whatever ruleset there is.
func walkAll(t *testing.T, v facts.Firewall) {
	v.Most()
	for _, hook := range []string{"input", "output"} {
		for _, established := range []bool{false, true} {
			got := FateOf(v, hook, Packet{In: "e1", From: netip.MustParseAddr("10.0.0.1"), To: netip.MustParseAddr("10.0.0.2"),
				Established: established})
			if (got.Dropped || got.Sometimes || got.Unsure) && got.Chain == "" && len(v.Chains) == 0 {
				t.Errorf("%+v without a chain", got)
			}
		}
	}
}

func FuzzNftRuleset(f *testing.F) {
	parsetest.Fuzz(f, "nft list ruleset", parseNftRuleset, walkAll)
}

func FuzzIptablesSave(f *testing.F) {
	f.Add([]byte("*filter\n:INPUT ACCEPT [0:0]\n[1:2] -A INPUT -j INPUT\nCOMMIT\n"))
	parsetest.Fuzz(f, "iptables-save", parseIptablesSave, walkAll)
}

func FuzzFunctionLinks(f *testing.F) {
	parsetest.Fuzz(f, "ls -l /sys/class/net/*/device/virtfn*", parsetest.Reading(readFunctions),
		func(t *testing.T, v *facts.Facts) {
			for _, n := range v.NICs {
				if len(n.VFs) > parse.MaxFunctions {
					t.Fatal(len(n.VFs))
				}
			}
		})
}

func FuzzGroups(f *testing.F) {
	parsetest.Fuzz(f, "grep . /sys/kernel/iommu_groups/*/devices/*/class", parsetest.Reading(readGroups),
		func(t *testing.T, v *facts.Facts) {
			for _, m := range v.GroupMembers {
				v.GroupOf(m.Address)
			}
		})
}

func FuzzStat(f *testing.F) {
	parsetest.Fuzz(f, "proc/stat", ParseStat, func(t *testing.T, v []facts.CoreTime) {
		for _, c := range v {
			if c.Core < 0 || c.User < 0 || c.Steal < 0 {
				t.Fatal(c)
			}
		}
	})
}

func FuzzCPUInfo(f *testing.F) { parsetest.Fuzz(f, "proc/cpuinfo", parseCPUInfo, nil) }

func FuzzMemInfo(f *testing.F) {
	parsetest.Fuzz(f, "proc/meminfo", parseMemInfo, func(t *testing.T, v memInfo) {
		if v.Total.Or(0) <= 0 {
			t.Fatal(v)
		}
	})
}

func FuzzSoftnet(f *testing.F) { parsetest.Fuzz(f, "proc/net/softnet_stat", ParseSoftnet, nil) }

func FuzzSNMP(f *testing.F) { parsetest.Fuzz(f, "proc/net/netstat", parseSNMP, nil) }

func FuzzSNMP6(f *testing.F) { parsetest.Fuzz(f, "proc/net/snmp6", parseSNMP6, nil) }

func FuzzValue(f *testing.F) {
	parsetest.Fuzz(f, "sys/class/net/*/*", parse.ParseValue, func(_ *testing.T, v string) { putNetClassAll(v) })
}

func FuzzModules(f *testing.F) {
	parsetest.Fuzz(f, "proc/modules", ParseModules, func(t *testing.T, v []facts.Module) {
		for _, m := range v {
			if m.Name == "" || m.Size < 0 || m.Users.Or(0) < 0 {
				t.Fatal(m)
			}
		}
	})
}

func FuzzVersions(f *testing.F) {
	parsetest.Fuzz(f, VersionsSource, func(text []byte) (bool, error) {
		return true, readVersions(parse.NewBuilder(new(facts.Facts)), nil, text)
	}, nil)
}

func putNetClassAll(v string) {
	for _, name := range []string{"speed", "duplex", "mtu", "carrier", "ifindex", "address", "flags", "other"} {
		putNetClass(parse.NewBuilder(new(facts.Facts)), []string{"e0", name}, v)
	}
}

func FuzzInterrupts(f *testing.F) {
	parsetest.Fuzz(f, "proc/interrupts", parseInterrupts, func(t *testing.T, v *facts.Interrupts) {
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

func FuzzAffinity(f *testing.F) {
	parsetest.Fuzz(f, "grep . /proc/irq/*/smp_affinity_list", parsetest.Reading(readAffinity), nil)
}

func FuzzRPS(f *testing.F) {
	parsetest.Fuzz(f, "grep . /sys/class/net/*/queues/rx-*/rps_cpus", parsetest.Reading(readSteering),
		func(t *testing.T, v *facts.Facts) {
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
	parsetest.Fuzz(f, "grep . /sys/devices/system/node/node*/cpulist", parsetest.Reading(readNodes), nil)
}

func FuzzNumactl(f *testing.F) { parsetest.Fuzz(f, "numactl -H", parsetest.Reading(readNumactl), nil) }

func FuzzLscpu(f *testing.F) {
	parsetest.Fuzz(f, "lscpu", parseLscpu, func(t *testing.T, v lscpu) {
		putLscpu(parse.NewBuilder(new(facts.Facts)), nil, v)
	})
}

func FuzzFrequency(f *testing.F) {
	parsetest.Fuzz(f, "grep . /sys/devices/system/cpu/cpu*/cpufreq/scaling_governor", parsetest.Reading(readFrequency),
		nil)
}

func FuzzCgroup(f *testing.F) {
	parsetest.Fuzz(f, "grep . /sys/fs/cgroup/cpu.max", parsetest.Reading(readCgroup), func(t *testing.T, v *facts.Facts) {
		for _, q := range v.Quotas {
			if !(q.CPUs >= 0) {
				t.Fatal(q)
			}
		}
	})
}

func FuzzLimits(f *testing.F) {
	parsetest.Fuzz(f, "proc/self/limits", parsetest.Reading(readLimits), nil)
}

func FuzzIOMMU(f *testing.F) {
	parsetest.Fuzz(f, "grep . /sys/kernel/iommu_groups/*/type", parsetest.Reading(readIOMMU), nil)
}

func FuzzBond(f *testing.F) {
	parsetest.Fuzz(f, "proc/net/bonding/*", parseBond,
		func(t *testing.T, v *facts.Bond) { putBond(parse.NewBuilder(new(facts.Facts)), []string{"b"}, v) })
}

func FuzzConntrack(f *testing.F) {
	parsetest.Fuzz(f, "proc/net/stat/nf_conntrack", parsetest.Reading(readConntrack), nil)
}

func FuzzHwmon(f *testing.F) {
	parsetest.Fuzz(f, "grep . /sys/class/hwmon/hwmon*/temp*", parsetest.Reading(readHwmon), nil)
}

func FuzzNstat(f *testing.F) { parsetest.Fuzz(f, "nstat", parseNstat, nil) }

func FuzzLinuxIfconfig(f *testing.F) {
	parsetest.Fuzz(f, "ifconfig", parsetest.Reading(readLinuxIfconfig), parsetest.CheckCounts)
}

func FuzzNetstatInterfaces(f *testing.F) {
	parsetest.Fuzz(f, "netstat -i", parsetest.Reading(readNetstatInterfaces), parsetest.CheckCounts)
}

func FuzzSoftnetCounts(f *testing.F) {
	parsetest.Fuzz(f, "proc/net/softnet_stat", parsetest.Reading(readSoftnet), parsetest.CheckCounts)
}

func FuzzLinuxLog(f *testing.F) {
	parsetest.Fuzz(f, "dmesg", func(text []byte) (*facts.Facts, error) {
		v := parse.NewBuilder(new(facts.Facts))
		return v.Facts, ReadLog(v, text)
	}, parsetest.CheckCounts)
}

func FuzzLinuxScript(f *testing.F) {
	f.Add([]byte("IF=e0\nfor i in $IF e1; do mlnx_qos -i $i --pfc=0,0,0,1,0,0,0,0 --dscp2prio set,26,3; done\n"))
	f.Add([]byte("rdma=$(rdma_of \"$if_a\")\ncma_roce_tos -d \"$rdma\" -t 106\necho 1 > " +
		"/sys/class/net/e0/ecn/roce_np/enable/3\n"))
	f.Add([]byte("dcb ets set dev ${x:-e0} willing off prio-tc all:0 3:3 tc-tsa all:strict 0:ets tc-bw all:0 " +
		"0:100\nlldptool -T -i e0 -V PFC enabled=3,4\n"))
	parsetest.FuzzRead(f, "linux script", readLinuxScript)
}

func FuzzNodes(f *testing.F) {
	parsetest.Fuzz(f, "sys/devices/system/node/online", parseNodes, nil)
}

func FuzzBoard(f *testing.F) {
	f.Add([]byte("/sys/class/dmi/id/sys_vendor:Supermicro\n"))
	parsetest.Fuzz(f, "grep -r . /sys/class/dmi/id", func(text []byte) (facts.Machine, error) {
		got := parse.NewBuilder(new(facts.Facts))
		err := readBoard(got, nil, text)
		return got.Machine, err
	}, nil)
}

func FuzzTaskStat(f *testing.F) {
	f.Add([]byte("14 (ksoftirqd/0) S 2 0 0 0 -1 69238848 0 0 0 0 3 8301 0 0 20 0 1 0 18 0 0 1 0 0 0 0 0 0 0 2147483647 " +
		"0 0 0 0 17 0 0 0\n"))
	parsetest.Fuzz(f, "none", ParseTaskStat, func(t *testing.T, v facts.Task) {
		if v.ID < 0 || v.User < 0 || v.System < 0 || v.Core < 0 {
			t.Errorf("%+v", v)
		}
	})
}
