package facts

import "slices"

// SwitchCommands are the commands that a switch of a system is asked, as they are typed there: constants, in the order in which
// they are asked, which only print. os is what the fabric file has: onyx (also mlnx-os), cumulus, sonic, eos, routeros; nil for others.
//
// They are forms that the captures, the documents and the scripts named in package config have. None was typed at a switch
// for this list. What a switch does not know it answers with an error in words, which becomes an unknown fact.
func SwitchCommands(os string) []string {
	if os == "mlnx-os" {
		os = "onyx"
	}
	return slices.Clone(switchCommands[os])
}

// SwitchCounterCommands are those of SwitchCommands that print what changes under load: counters of ports, queues and classes.
func SwitchCounterCommands(os string) (out []string) {
	for _, command := range SwitchCommands(os) {
		if slices.Contains(switchCounters, command) {
			out = append(out, command)
		}
	}
	return out
}

var switchCounters = []string{
	"show interfaces ethernet", // onyx
	"show interfaces ethernet congestion-control | json-print",
	"nv show interface -o json", // cumulus
	"show interfaces counters",  // sonic
	"show interfaces counters fec-stats",
	"show pfc counters",
	"show pfcwd stats",
	"show queue counters",
	"show interfaces", // eos
	"show priority-flow-control counters",
	"/interface ethernet print stats-detail without-paging", // routeros
	"/interface ethernet switch qos port print stats without-paging",
	"/interface ethernet switch qos tx-manager queue print without-paging",
}

var switchCommands = map[string][]string{
	// JSON where the answers that were read of those commands are JSON, else text. They are commands of the enable mode.
	"onyx": {
		"show version",
		"show interfaces ethernet",
		"show interfaces status",
		"show roce",
		"show dcb priority-flow-control | json-print",
		"show qos | json-print",
		"show dcb ets | json-print",
		"show interfaces ethernet congestion-control | json-print",
		"show traffic pool | json-print",
		"show interfaces port-channel summary | json-print",
		"show mlag | json-print",
		"show lldp interfaces | json-print",
		"show lldp remote | json-print",
		"show running-config",
	},
	"cumulus": {
		"net show system",
		"net show lldp json",
		"nv show interface -o json",
		"nv show qos roce",
		"nv config show -o commands",
	},
	"sonic": {
		"show version",
		"show interfaces status",
		"show interfaces counters",
		"show interfaces counters fec-stats",
		"show interfaces portchannel",
		"show interfaces flap",
		"show lldp table",
		"show lldp neighbors",
		"show pfc counters",
		"show pfc priority",
		"show pfcwd config",
		"show pfcwd stats",
		"show ecn",
		"show queue counters",
		"show platform psustatus",
		"show platform fan",
		"show platform temperature",
		"sonic-cfggen -d --print-data",
		"cat /etc/sonic/config_db.json",
	},
	"eos": {
		"show version",
		"show interfaces",
		"show interfaces status",
		"show interfaces status errdisabled",
		"show interfaces transceiver",
		"show interfaces transceiver detail",
		"show port-channel summary",
		"show lldp neighbors detail | json",
		"show mlag",
		"show environment power",
		"show environment cooling",
		"show environment temperature",
		"show priority-flow-control",
		"show priority-flow-control counters",
		"show qos interfaces trust",
		"show qos maps",
		"show running-config",
		"show startup-config",
	},
	"routeros": {
		"/system resource print",
		"/system health print",
		"/interface ethernet print detail without-paging",
		"/interface ethernet print stats-detail without-paging",
		"/interface ethernet monitor [find] once",
		"/interface bonding print detail without-paging",
		"/ip address print detail without-paging",
		"/interface ethernet switch print detail without-paging",
		"/interface ethernet switch qos port print without-paging",
		"/interface ethernet switch qos port print stats without-paging",
		"/interface ethernet switch qos port print usage without-paging",
		"/interface ethernet switch qos profile print without-paging",
		"/interface ethernet switch qos map ip print without-paging",
		"/interface ethernet switch qos tx-manager print without-paging",
		"/interface ethernet switch qos tx-manager queue print without-paging",
		"/interface ethernet switch qos priority-flow-control print without-paging",
		"/interface ethernet switch qos monitor once",
		"/ip neighbor discovery-settings print",
		"/ip neighbor print detail without-paging",
		"/export",
	},
}
