package parse

import (
	"linerate/internal/facts/parse"
	"linerate/internal/facts/parse/lldp"
	"linerate/internal/facts/parse/show"
)

// sonicConfLooks matches tables of SONiC's configuration.
const sonicConfLooks = `"(?:DSCP_TO_TC_MAP|PORT_QOS_MAP|WRED_PROFILE|BUFFER_PG|CABLE_LENGTH)"\s*:\s*\{`

// Sources are the outputs of SONiC, its configuration, and scripts for it.
func Sources() []parse.Source {
	src := func(name string, read func(f *parse.Builder, args []string, text []byte) error, looks string) parse.Source {
		return show.Source("sonic", name, looks, read)
	}
	return []parse.Source{
		src("show interfaces counters fec-stats", readSONiCFEC, `(?m)^\s*IFACE\s+STATE\s+FEC_CORR\b`),
		src("show interfaces counters", readSONiCCounters, `(?m)^\s*IFACE\s+STATE\s+RX_OK\b`),
		src("show interfaces portchannel", readSONiCChannels, `(?m)^\s*No\.\s+Team Dev\s+Protocol\s+Ports`),
		src("show interfaces flap", readSONiCFlap, `(?m)^\s*Interface\s+Flap Count\b`),
		src("show interfaces status", readSONiCStatus, `(?m)^\s*Interface\s+Lanes\s+Speed\s+MTU\b`),
		src("show lldp table", ReadSONiCLLDP, `(?m)^\s*LocalPort\s+RemoteDevice\s+RemotePortID`),
		src("show lldp neighbors", lldp.ReadLLDPCtl, `(?m)^\s*LLDP neighbors:`),
		src("show pfc counters", readSONiCPFCCounters, `(?m)^\s*Port [RT]x\s+PFC0\b`),
		src("show pfc priority", readSONiCPFC, `(?m)^\s*Interface\s+Lossless priorities`),
		src("show pfcwd config", readSONiCWatch, `(?m)^\s*PORT\s+ACTION\s+DETECTION TIME`),
		src("show pfcwd stats", readSONiCStorms, `(?m)^\s*QUEUE\s+STATUS\s+STORM DETECTED`),
		src("show ecn", readSONiCECN, `(?m)^Profile:\s+\*\*`),
		src("show queue counters", readSONiCQueues, `(?m)^\s*Port\s+TxQ\s+Counter/pkts`),
		src("show platform psustatus", readSONiCSupplies, `(?m)^\s*PSU\s+(?:Model|Status)\b`),
		src("show platform fan", readSONiCFans, `(?m)^\s*Drawer\s+LED\s+FAN\b|^\s*FAN\s+Speed\s+Direction`),
		src("show platform temperature", readSONiCTemperature, `(?m)^\s*(?:Sensor|NAME)\s+Temperature\s+High TH`),
		src("show version", readSONiCVersion, `(?m)^\s*SONiC Software Version:`),
		src("etc/sonic/config_db.json", readSONiCSaved, `"DEVICE_METADATA"\s*:`).KeptAs("config db", `"DEVICE_METADATA"\s*:`),
		src("sonic-cfggen -d --print-data", readSONiCRunning, "").KeptAs("sonic cfggen", ""),
		src("qos.json", readSONiCPart, sonicConfLooks),
		src("sonic commands", readSONiCScript,
			`(?m)^\s*(?:\$ )?(?:sudo )?config (?:interface (?:pfc|mtu|cable_length)|qos|pfcwd|ecn)\b`),
	}
}

// Canonical converts a command of SONiC to the form of the table: portstat is the program of "show interfaces
// counters".
func Canonical(words []string) (string, bool) {
	return "show interfaces counters", words[0] == "portstat"
}
