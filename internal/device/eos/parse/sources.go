package parse

import (
	"strings"

	"linerate/internal/base/lazyregexp"
	"linerate/internal/facts/parse"
	"linerate/internal/facts/parse/show"
)

var (
	eosHeaders     = lazyregexp.New(`(?m)^[A-Z][A-Za-z-]+[\d/.]* is (?:up|down|administratively down), line protocol is `)
	eosPFCHead     = lazyregexp.New(`(?m)^The (?:hardware supports PFC|PFC watchdog)|^Port\s+(?:Status|Enabled)\s+Priorities\b`)
	eosChannelHead = lazyregexp.New(`(?m)^\s+Port-Channel\s+Protocol\s+Ports|^Number of channels in use:`)
)

// Sources are the outputs of Arista EOS, as text and, where a snapshot exists, JSON.
func Sources() []parse.Source {
	src := func(name string, read func(f *parse.Builder, args []string, text []byte) error, looks string) parse.Source {
		return show.Source("eos", name, looks, read)
	}
	return []parse.Source{
		src("show interfaces status errdisabled", readEOSErrdisabled, `(?m)^\s*Port\s+Name\s+Status\s+Reason\b`),
		src("show interfaces status", readEOSStatus,
			`(?m)^\s*Port\s+Name\s+Status\s+Vlan\s+Duplex\s+Speed\s+Type|"interfaceStatuses"`),
		src("show interfaces counters", ReadEOSCounters,
			`"interfaces": *\{\s*"[A-Za-z0-9/]+": *\{\s*"outBroadcastPkts"|`+eosCounterHead.String()),
		src("show interfaces counters errors", ReadEOSCounters, ""),
		src("show interfaces", readEOSInterfaces, eosHeaders.String()+`|"lineProtocolStatus"`),
		src("show interfaces transceiver detail", readEOSLimits, eosLimitTitle.String()),
		src("show interfaces transceiver", readEOSOptics, eosOpticTitle.String()+`|"txBias"`),
		src("show port-channel summary", readEOSChannels, eosChannelHead.String()),
		src("show mlag", readEOSMLAG, `(?m)^MLAG Configuration:|^domain-id\s+:`),
		src("show environment power", readEOSPower, `(?m)^Supply\s+Model\s.*Status|no power supplies connected`),
		src("show environment cooling", readEOSCooling, `(?m)^System cooling status is:`),
		src("show environment temperature", readEOSTemperature, `(?m)^System temperature status is:`),
		src("show lldp neighbors", ReadEOSLLDP, eosLLDPHead.String()+`|`+eosLLDPTable.String()+`|"lldpNeighbors"`),
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

// eosConfLooks matches configurations and scripts of EOS, but not those of other systems.
const eosConfLooks = `(?m)^! (?:device: |Command: show (?:running|startup)-config)|^qos map (?:dscp|cos) [\d -]+to traffic-class|^\s+priority-flow-control (?:mode )?on$|^qos profile \S`

// readEOSRunning reads the running configuration, or a script for it.
func readEOSRunning(f *parse.Builder, _ []string, text []byte) error {
	show.StateOf(f).Running = eosLines(f, text)
	return readEOSConfig(f, text)
}

// readEOSStartup reads the startup configuration; the running one, if known, takes precedence.
func readEOSStartup(f *parse.Builder, _ []string, text []byte) error {
	show.StateOf(f).Startup = eosLines(f, text)
	if show.StateOf(f).Running != nil {
		return nil
	}
	return readEOSConfig(f, text)
}

// eosLines returns the lines of a complete configuration, each with its block; nil if the text is not complete.
func eosLines(f *parse.Builder, text []byte) []show.ConfLine {
	if !eosWholeMark.Match(text) {
		return nil
	}
	out := []show.ConfLine{}
	block := ""
	for raw := range strings.Lines(string(text)) {
		line := strings.TrimSpace(raw)
		switch {
		case line == "" || line[0] == '!' || line == "end":
		case raw[0] != ' ':
			block = line
			out = append(out, show.ConfLine{Key: line, Proof: f.Proof(line)})
		default:
			out = append(out, show.ConfLine{Key: block + " / " + line, Proof: f.Proof(line)})
		}
	}
	return out
}

var eosVersion = lazyregexp.New(`(?m)^Software image version:\s+(\S+)`)

var eosModel = lazyregexp.New(`(?m)^Arista (\S+)`)

// readEOSVersion reads "show version": model and release. Snapshots: ntc-templates, suzieq, napalm.
func readEOSVersion(f *parse.Builder, _ []string, text []byte) error {
	if m := eosVersion.FindSubmatch(text); m != nil {
		model := ""
		if m := eosModel.FindSubmatch(text); m != nil {
			model = string(m[1])
		}
		show.SetProduct(f, "Arista", model, "EOS "+string(m[1]))
		return nil
	}
	n, err := parse.JSONTree(text)
	if err != nil {
		return err
	}
	if n.Kid("version").Str() == "" {
		return parse.ToolError(text)
	}
	show.SetProduct(f, "Arista", n.Kid("modelName").Str(), "EOS "+n.Kid("version").Str())
	return nil
}
