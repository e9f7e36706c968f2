package explain

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"linerate/internal/record"
	"linerate/internal/record/runfolder"
)

// add puts sources behind the full captures of a host.
func (x examined) add(t *testing.T, host, text string) examined {
	t.Helper()
	n := 0
	for name, b := range x.files {
		if strings.Contains(name, host+".before") || strings.Contains(name, host+".after") {
			x.files[name] = append(slices.Clip(b), text...)
			n++
		}
	}
	if n != 2 {
		t.Fatalf("%s has %d full captures", host, n)
	}
	return x
}

// record changes the experiment's record.
func (x examined) record(t *testing.T, change func(*record.Experiment)) examined {
	t.Helper()
	var r record.Run
	if err := json.Unmarshal(x.files[runfolder.ManifestName], &r); err != nil {
		t.Fatal(err)
	}
	change(r.Experiments[0])
	b, err := json.Marshal(&r)
	if err != nil {
		t.Fatal(err)
	}
	x.files[runfolder.ManifestName] = b
	return x
}

// slower makes the experiment carry a share of what it carried.
func (x examined) slower(t *testing.T, share float64) examined {
	return x.record(t, func(e *record.Experiment) {
		e.Goodput.Median *= share
		for i := range e.Repeats {
			r := &e.Repeats[i]
			r.Goodput, r.Forward = r.Goodput*share, r.Forward*share
			for k := range r.Streams {
				r.Streams[k].Goodput *= share
			}
		}
	})
}

// Findings of a check that hold nothing back are candidates at most; with the effect they are causes.
func TestFindingsAndTheirEffects(t *testing.T) {
	const (
		stat       = `(?m)^(cpu\d+ 1000 0 1000 )\d+( 0 0 )\d+( 0 0 0)$`   // of the processors that a host tells of
		always     = `(?m)^(cpu\d+ 1000 0 1000 )(\d+)( 0 0 )\d+( 0 0 0)$` // their idle time as time of receiving
		ownNode    = `(?m)^(cpu[4-7] 1000 0 1000 )(\d+)( 0 0 )\d+( 0 0 0)$`
		interrupts = `(?s)-- proc/interrupts --\n.*?\n(-- |\z)`
		queues     = `(Current hardware settings:\n(?:RX|TX|Other)[^C]*Combined:\s+)\d+`
	)
	for _, c := range []struct {
		name      string
		not, want string // the verdict that it is not, or is; empty: any other
		candidate string // that is left; empty: not is none
		run       func(t *testing.T) examined
	}{
		{name: "one core serves the card, and has time left", not: "one-rx-queue", candidate: "one-rx-queue", run: func(t *testing.T) examined {
			return kept(t, "exam/queue-single").edit(t, "host2.during", stat, "${1}100000${2}0${3}")
		}},
		{name: "one core serves the card, and all cores are full", not: "one-rx-queue", candidate: "one-rx-queue", run: func(t *testing.T) examined {
			return kept(t, "exam/queue-single").edit(t, "host2.during", always, "${1}100000${3}${2}${4}")
		}},
		{name: "one core served the card before, and others do now", not: "one-rx-queue", run: func(t *testing.T) examined {
			return kept(t, "exam/queue-single").edit(t, "host2.after", `(?s)(-- proc/interrupts --\n[^\n]*\n)`,
				"$1  99:  300000  300000  300000  300000  300000  300000  300000  300000   IR-PCI-MSIX-0000:41:00.0    9-edge      mlx5_comp9@pci:0000:41:00.0\n")
		}},
		{name: "a full core, and a card whose interrupts nobody counted", not: "one-rx-queue", run: func(t *testing.T) examined {
			return kept(t, "exam/queue-single").edit(t, "host2.", interrupts, "$1").edit(t, "host2.", queues, "${1}8")
		}},
		{name: "one queue of a card that can have more", want: "one-rx-queue", run: func(t *testing.T) examined {
			return kept(t, "exam/queue-single").edit(t, "host2.", interrupts, "$1").edit(t, "host2.", queues, "${1}1")
		}},
		{name: "one queue of a virtual machine's card", want: "vnic-single-queue", run: func(t *testing.T) examined {
			return kept(t, "exam/queue-single").edit(t, "host2.", interrupts, "$1").edit(t, "host2.", queues, "${1}1").edit(t, "host2.", "driver: mlx5_core", "driver: virtio_net")
		}},

		{name: "a card on the node that does its work", not: "numa-remote", run: func(t *testing.T) examined {
			return kept(t, "exam/node-remote").edit(t, "host1.", `numa_node:1`, "numa_node:0")
		}},
		{name: "a machine of one node", not: "numa-remote", run: func(t *testing.T) examined {
			return kept(t, "exam/node-remote").edit(t, "host1.", `node0/cpulist:0-3\n.*cpulist:4-7`, "node0/cpulist:0-7")
		}},
		{name: "another node does the work, and the card's own is as full", not: "numa-remote", candidate: "numa-remote", run: func(t *testing.T) examined {
			return kept(t, "exam/node-remote").edit(t, "host1.during", ownNode, "${1}100000${3}${2}${4}")
		}},
		{name: "another node does the work, and has time left", not: "numa-remote", candidate: "numa-remote", run: func(t *testing.T) examined {
			return kept(t, "exam/node-remote").edit(t, "host1.during", stat, "${1}100000${2}0${3}")
		}},

		{name: "half duplex without a collision", not: "duplex", candidate: "duplex", run: func(t *testing.T) examined {
			return kept(t, "exam/link-half").edit(t, "host1.", `"collisions":\d+`, `"collisions":0`)
		}},
		{name: "collisions in full duplex", not: "duplex", run: func(t *testing.T) examined {
			return kept(t, "exam/link-half").edit(t, "host1.", `Duplex: Half`, "Duplex: Full")
		}},

		{name: "small packets on the bus, and a tenth less than they leave", not: "pcie-payload", candidate: "pcie-payload", run: func(t *testing.T) examined {
			return kept(t, "exam/bus-packets").slower(t, 0.9)
		}},
		{name: "small packets on the bus of a card that has no larger ones", not: "pcie-payload", run: func(t *testing.T) examined {
			return kept(t, "exam/bus-packets").edit(t, "host2.", `(-- setpci -s 0000:41:00.0 .* --\n)[0-9a-f]{8}`, "${1}10008fe0")
		}},
		{name: "packets of 256 bytes on the bus", not: "pcie-payload", run: func(t *testing.T) examined {
			return kept(t, "exam/bus-packets").edit(t, "host2.", `(-- setpci -s 0000:41:00.0 .* --\n[0-9a-f]{8}\n)[0-9a-f]{4}`, "${1}2030")
		}},
		{name: "registers that nobody may read", not: "pcie-payload", run: func(t *testing.T) examined {
			return kept(t, "exam/bus-packets").edit(t, "host2.", `(-- setpci -s 0000:41:00.0 .* --\n)[0-9a-f]{8}\n[0-9a-f]{4}\n`, "")
		}},

		{name: "an old answer to ARP", not: "duplicate-address", run: func(t *testing.T) examined {
			return kept(t, "exam/address-twice").edit(t, "host1.", `("dst":"10.9.1.2"[^}]*)"state":\["REACHABLE"\]`, `$1"state":["STALE"]`)
		}},
		{name: "an answer to ARP that somebody set", not: "duplicate-address", run: func(t *testing.T) examined {
			return kept(t, "exam/address-twice").edit(t, "host1.", `("dst":"10.9.1.2"[^}]*)"state":\["REACHABLE"\]`, `$1"state":["PERMANENT"]`)
		}},
		{name: "two owners of an address, and no connection that was refused", not: "duplicate-address", candidate: "duplicate-address", run: func(t *testing.T) examined {
			return kept(t, "exam/address-twice").edit(t, "host1.", `(?m)^Tcp: (\d+) (\d+) (\d+) (-?\d+) (\d+) (\d+) \d+ \d+ `, "Tcp: $1 $2 $3 $4 $5 $6 0 0 ")
		}},
		{name: "the receiver's captures are lost", not: "duplicate-address", run: func(t *testing.T) examined {
			x := kept(t, "exam/address-twice")
			for name := range x.files {
				if strings.Contains(name, "host2.") {
					delete(x.files, name)
				}
			}
			return x
		}},

		{name: "a tunnel that the bytes did not go through", not: "overlay", run: func(t *testing.T) examined {
			return kept(t, "exam/tunnel-route").edit(t, "host1.", `("ifname":"vxlan0".*"tx":\{"bytes":|"ifname":"vxlan0".*"tx":\{.*?"bytes":)\d+`, "${1}0")
		}},
		{name: "a tunnel beside the way", not: "overlay", run: func(t *testing.T) examined {
			return kept(t, "exam/tunnel-route").edit(t, "host1.", `"dst":"10.9.1.2(?:/32)?","dev":"vxlan0"`, `"dst":"10.9.7.2","dev":"vxlan0"`)
		}},
		{name: "a tunnel, and half of what it leaves", not: "overlay", candidate: "overlay", run: func(t *testing.T) examined {
			return kept(t, "exam/tunnel-route").slower(t, 0.6)
		}},

		{name: "translated addresses of a card, and a slow link", not: "iommu", candidate: "iommu", run: func(t *testing.T) examined {
			return kept(t, "edited/iommu")
		}},
		{name: "translated addresses of a card, and a full link", want: "link", run: func(t *testing.T) examined {
			return kept(t, "exam/healthy-card").add(t, "host2", "-- grep . /sys/kernel/iommu_groups/*/type --\n/sys/kernel/iommu_groups/4/type:DMA\n/sys/bus/pci/devices/0000:41:00.0/iommu_group:4\n")
		}},
		{name: "a module that is too hot, and a slow link", not: "heat", candidate: "heat", run: func(t *testing.T) examined {
			return kept(t, "exam/healthy-card").slower(t, 0.6).add(t, "host2", "-- grep . /sys/class/hwmon/hwmon*/temp* --\n/sys/class/hwmon/hwmon3/name:coretemp\n/sys/class/hwmon/hwmon3/temp1_input:101000\n/sys/class/hwmon/hwmon3/temp1_crit:100000\n/sys/class/hwmon/hwmon3/temp1_max:84000\n")
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			v := c.run(t).verdict(t)
			has := slices.ContainsFunc(v.Candidates, func(k record.Candidate) bool { return k.Limiter == c.candidate })
			if v.Limiter == c.not || c.want != "" && v.Limiter != c.want || c.candidate != "" && !has ||
				c.candidate == "" && c.not != "" && slices.ContainsFunc(v.Candidates, func(k record.Candidate) bool { return k.Limiter == c.not }) {
				t.Errorf("%s, candidates %v: %s", v.Limiter, v.Candidates, v.Sentence)
			}
		})
	}
}
