package facts

import (
	"strings"

	"linerate/internal/base/lazyregexp"
)

var (
	eosHeads       = lazyregexp.New(`(?m)^[A-Z][A-Za-z-]+[\d/.]* is (?:up|down|administratively down), line protocol is `)
	eosPFCHead     = lazyregexp.New(`(?m)^The (?:hardware supports PFC|PFC watchdog)|^Port\s+(?:Status|Enabled)\s+Priorities\b`)
	eosChannelHead = lazyregexp.New(`(?m)^\s+Port-Channel\s+Protocol\s+Ports|^Number of channels in use:`)
)

// eosSources are the outputs of Arista EOS, text and, where a capture has it, JSON.
func eosSources() []source {
	src := func(name string, read func(f *Facts, args []string, text []byte) error, looks string) source {
		return answer("eos", name, looks, read)
	}
	return []source{
		src("show interfaces status errdisabled", readEOSErrdisabled, `(?m)^\s*Port\s+Name\s+Status\s+Reason\b`),
		src("show interfaces status", readEOSStatus, `(?m)^\s*Port\s+Name\s+Status\s+Vlan\s+Duplex\s+Speed\s+Type|"interfaceStatuses"`),
		src("show interfaces counters", readEOSCounters, `"interfaces": *\{\s*"[A-Za-z0-9/]+": *\{\s*"outBroadcastPkts"|`+eosCounterHead.String()),
		src("show interfaces counters errors", readEOSCounters, ""),
		src("show interfaces", readEOSInterfaces, eosHeads.String()+`|"lineProtocolStatus"`),
		src("show interfaces transceiver detail", readEOSLimits, eosLimitTitle.String()),
		src("show interfaces transceiver", readEOSOptics, eosOpticTitle.String()+`|"txBias"`),
		src("show port-channel summary", readEOSChannels, eosChannelHead.String()),
		src("show mlag", readEOSMLAG, `(?m)^MLAG Configuration:|^domain-id\s+:`),
		src("show environment power", readEOSPower, `(?m)^Supply\s+Model\s.*Status|no power supplies connected`),
		src("show environment cooling", readEOSCooling, `(?m)^System cooling status is:`),
		src("show environment temperature", readEOSTemperature, `(?m)^System temperature status is:`),
		src("show lldp neighbors", readEOSLLDP, eosLLDPHead.String()+`|`+eosLLDPTable.String()+`|"lldpNeighbors"`),
		src("show priority-flow-control", readEOSPFC, eosPFCHead.String()),
		src("show priority-flow-control counters", readEOSPFCCounters, `(?m)^\s*Port\s+RxPfc\s+TxPfc`),
		src("show qos interfaces trust", readEOSQoS, `(?mi)^\s*Port\s+Trust Mode|^the operational trust mode`),
		src("show qos interfaces", readEOSQoS, `(?m)^\s*Trust Mode: (?:COS|DSCP|UNTRUSTED)`),
		src("show qos maps", readEOSMaps, `(?mi)^\s*dscp[ -]to[ -](?:tc|traffic-class) map|^\s*dscp-tc map`),
		src("show running-config", readEOSRunning, eosConfLooks),
		src("show startup-config", readEOSStartup, eosConfLooks),
		src("show version", readEOSVersion, `(?m)^Software image version:|"internalVersion"`),
	}
}

// eosConfLooks is what a configuration or a script in the language of EOS has, and one in that of other systems has not.
const eosConfLooks = `(?m)^! (?:device: |Command: show (?:running|startup)-config)|^qos map (?:dscp|cos) [\d -]+to traffic-class|^\s+priority-flow-control (?:mode )?on$|^qos profile \S`

// readEOSRunning reads what the switch runs, or a script for it.
func readEOSRunning(f *Facts, _ []string, text []byte) error {
	f.said.running = f.eosLines(text)
	return f.readEOSConfig(text)
}

// readEOSStartup reads what the switch starts with; what it runs, where that is known, is what counts.
func readEOSStartup(f *Facts, _ []string, text []byte) error {
	f.said.startup = f.eosLines(text)
	if f.said.running != nil {
		return nil
	}
	return f.readEOSConfig(text)
}

// eosLines are the lines of a whole configuration, each with the block that it stands in; nil if it is a part.
func (f *Facts) eosLines(text []byte) []confLine {
	if !eosWholeMark.Match(text) {
		return nil
	}
	out := []confLine{}
	block := ""
	for raw := range strings.Lines(string(text)) {
		line := strings.TrimSpace(raw)
		switch {
		case line == "" || line[0] == '!' || line == "end":
		case raw[0] != ' ':
			block = line
			out = append(out, confLine{line, f.proof(line)})
		default:
			out = append(out, confLine{block + " / " + line, f.proof(line)})
		}
	}
	return out
}

var eosVersion = lazyregexp.New(`(?m)^Software image version:\s+(\S+)`)
var eosModel = lazyregexp.New(`(?m)^Arista (\S+)`)

// readEOSVersion reads "show version": model and release. Captures: ntc-templates, suzieq, napalm.
func readEOSVersion(f *Facts, _ []string, text []byte) error {
	if m := eosVersion.FindSubmatch(text); m != nil {
		model := ""
		if m := eosModel.FindSubmatch(text); m != nil {
			model = string(m[1])
		}
		f.isProduct("Arista", model, "EOS "+string(m[1]))
		return nil
	}
	n, err := jsonTree(text)
	if err != nil {
		return err
	}
	if n.kid("version").str() == "" {
		return toolError(text)
	}
	f.isProduct("Arista", n.kid("modelName").str(), "EOS "+n.kid("version").str())
	return nil
}
