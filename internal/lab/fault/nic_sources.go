package fault

import (
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"
)

// nic is what a host of scenario WithNIC reports of the NIC on the path: a plausible healthy NIC. The texts have the
// form of ethtool(8)'s output and of sysfs.
type nic struct {
	Speed, Widest float64 // of its link, present and largest, bit/s
	Duplex        string
	// Bus is the link of the NIC, Slot that of its slot, Switch the one between the switch above and the CPU.
	Bus, Slot, Switch     pcie
	Combined, MaxCombined int // queues
	Ring, MaxRing         int
	// Counters of ethtool -S, as shell arithmetic over rx and tx, rb and tb: the packets and bytes that the interface
	// received and sent.
	Counters map[string]string
	NUMA     int
	// Payload and MaxPayload are the present and the largest supported packet size on PCI Express, in bytes, the latter
	// also of its slot.
	Payload, MaxPayload int
	Collisions          float64 // for each packet that it sends
}

// pcie is a link of PCI Express, upwards.
type pcie struct {
	Speed, MaxSpeed float64 // GT/s
	Width, MaxWidth int
}

func (p pcie) at(speed float64, width int) pcie {
	return pcie{Speed: speed, MaxSpeed: p.MaxSpeed, Width: width, MaxWidth: p.MaxWidth}
}

const (
	nicAddress    = "0000:41:00.0"
	portAddress   = "0000:40:03.0" // the slot: a downstream port of a switch
	bridgeAddress = "0000:3f:00.0" // the switch's upstream port
	rootAddress   = "0000:00:01.0" // of the CPU
)

// goodNIC returns a NIC for a link of this speed, in a slot that is fast enough.
func goodNIC(speed float64) nic {
	x8 := pcie{8, 8, 8, 8}
	return nic{Speed: speed, Widest: speed, Duplex: "Full", Bus: x8, Slot: x8, Switch: x8, Combined: 8, MaxCombined: 8,
		Ring: 1024, MaxRing: 8192, NUMA: 0, Payload: 256, MaxPayload: 256,
		Counters: map[string]string{"rx_packets": "rx", "tx_packets": "tx", "rx_crc_errors_phy": "0",
			"rx_symbol_err_phy": "0", "rx_out_of_buffer": "0", "rx_discards_phy": "0", "tx_discards_phy": "0",
			"rx_pause_ctrl_phy": "0", "tx_pause_ctrl_phy": "0", "rx_global_pause_duration": "0", "link_down_events_phy": "0"}}
}

// NIC makes a host report a NIC, which replaces a previous one.
func (p *Place) NIC(e End, c nic) {
	full, counters := map[string]string{}, map[string]string{}
	link := fmt.Sprintf(`sed 's/\("ifname":"%s".*\)"linkinfo":{"info_kind":"veth"}/\1"parentbus":"pci","parentdev":"%s"/'`,
		e.Interface, nicAddress)
	if c.Collisions > 0 {
		link = fmt.Sprintf(
			`n=$(cat /sys/class/net/%s/statistics/tx_packets); %s | sed '/"ifname":"%[1]s"/s/"collisions":[0-9]*/"collisions":'$((n * %.0[3]f / 1000))'/'`,
			e.Interface, link, 1e3*c.Collisions)
	}
	full["ip -j -d -s -s link"], counters["ip -j -d -s -s link"] = link, link
	modes := func(most float64) string {
		var out []string
		for _, m := range []struct {
			speed float64
			name  string
		}{{1e9, "1000baseT/Full"}, {2.5e9, "2500baseT/Full"}, {5e9, "5000baseT/Full"}, {1e10, "10000baseT/Full"}, {2.5e10,
			"25000baseCR/Full"}, {4e10, "40000baseCR4/Full"}, {1e11, "100000baseCR4/Full"}} {
			if m.speed <= most {
				out = append(out, m.name)
			}
		}
		return strings.Join(out, "\n\t                        ")
	}
	full["ethtool "+e.Interface] = says(fmt.Sprintf(
		"Settings for %s:\n\tSupported link modes:   %s\n\tAdvertised link modes:  %s\n\tSpeed: %.0fMb/s\n\tDuplex: "+
			"%s\n\tAuto-negotiation: on\n\tPort: FIBRE\n\tLink detected: yes", e.Interface, modes(c.Widest), modes(c.Widest),
		c.Speed/1e6, c.Duplex))
	full["ethtool -k "+e.Interface] = "sed 's/generic-receive-offload: off/generic-receive-offload: on/'"
	full["ethtool -i "+e.Interface] = says(fmt.Sprintf(
		"driver: mlx5_core\nversion: 6.1.0\nfirmware-version: 16.35.4030 (MT_0000000013)\nexpansion-rom-version: "+
			"\nbus-info: %s", nicAddress))
	full["ethtool -l "+e.Interface] = says(fmt.Sprintf(
		"Channel parameters for %s:\nPre-set maximums:\nRX:\t\tn/a\nTX:\t\tn/a\nOther:\t\tn/a\nCombined:\t%d\nCurrent "+
			"hardware settings:\nRX:\t\tn/a\nTX:\t\tn/a\nOther:\t\tn/a\nCombined:\t%d", e.Interface, c.MaxCombined, c.Combined))
	full["ethtool -g "+e.Interface] = says(fmt.Sprintf(
		"Ring parameters for %s:\nPre-set maximums:\nRX:\t\t%d\nTX:\t\t%d\nCurrent hardware settings:\nRX:\t\t%d\nTX:\t\t%d",
		e.Interface, c.MaxRing, c.MaxRing, c.Ring, c.Ring))
	var stats strings.Builder
	fmt.Fprintf(&stats,
		"d=/sys/class/net/%s/statistics; rx=$(cat $d/rx_packets); tx=$(cat $d/tx_packets); rb=$(cat $d/rx_bytes); "+
			"tb=$(cat $d/tx_bytes); echo 'NIC statistics:'", e.Interface)
	for _, name := range slices.Sorted(maps.Keys(c.Counters)) {
		fmt.Fprintf(&stats, "; echo \"     %s: $((%s))\"", name, c.Counters[name])
	}
	full["ethtool -S "+e.Interface] = stats.String()
	full["readlink -f /sys/class/net/"+e.Interface+"/device"] = says(
		"/sys/devices/pci0000:00/" + rootAddress + "/" + bridgeAddress + "/" + portAddress + "/" + nicAddress,
	)
	for _, address := range []string{nicAddress, portAddress} { // Device Capabilities and Device Control
		code := map[int]int{128: 0, 256: 1, 512: 2, 1024: 3}
		full["setpci -s "+address+" CAP_EXP+4.l CAP_EXP+8.w"] = says(
			fmt.Sprintf("%08x\n%04x", 0x10008fe0|code[c.MaxPayload], 0x2010|code[c.Payload]<<5),
		)
	}
	for _, d := range []struct {
		address, class string
		link           pcie
	}{{nicAddress, "0x020000", c.Bus}, {portAddress, "0x060400", c.Slot}, {bridgeAddress, "0x060400", c.Switch},
		{rootAddress, "0x060400", c.Switch}} {
		at := "/sys/bus/pci/devices/" + d.address + "/"
		speeds := fmt.Sprintf("%[1]scurrent_link_speed:%.1[2]f GT/s PCIe\n%[1]scurrent_link_width:%[3]d", at, d.link.Speed,
			d.link.Width)
		counters["grep -r . /sys/bus/pci/devices/"+d.address] = says(speeds)
		full["grep -r . /sys/bus/pci/devices/"+d.address] = says(speeds + fmt.Sprintf("\n%[1]smax_link_speed:%.1[2]f GT/s "+
			"PCIe\n%[1]smax_link_width:%[3]d\n%[1]snuma_node:%[4]d\n"+
			"%[1]slocal_cpulist:0-%[5]d\n%[1]sclass:%[6]s\n%[1]svendor:0x15b3\n%[1]sdevice:0x1017", at, d.link.MaxSpeed,
			d.link.MaxWidth, c.NUMA, 63, d.class))
	}
	p.tell(e.Host, full, counters)
}

// tell makes scripts print sources of a host, at level full and at every level.
func (p *Place) tell(host string, full, counters map[string]string) {
	var script strings.Builder
	script.WriteString(`mkdir -p "$LINERATE_SOURCES/full" "$LINERATE_SOURCES/counters"`)
	for folder, files := range map[string]map[string]string{"full": full, "counters": counters} {
		for _, name := range slices.Sorted(maps.Keys(files)) {
			fmt.Fprintf(&script, "\ncat > \"$LINERATE_SOURCES/%s/%s\" <<'END_OF_SOURCE'\n%s\nEND_OF_SOURCE", folder,
				url.PathEscape(name), files[name])
		}
	}
	p.run(host, script.String(), `rm -rf "$LINERATE_SOURCES"`)
}

// says returns a script that prints a text.
func says(text string) string { return "cat <<'END_OF_TEXT'\n" + text + "\nEND_OF_TEXT" }

// NICs makes both ends report good NICs for the planned link.
func (p *Place) NICs() {
	p.NIC(p.Sender, goodNIC(float64(p.Planned)))
	p.NIC(p.Receiver, goodNIC(float64(p.Planned)))
}
