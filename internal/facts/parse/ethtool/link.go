package ethtool

import (
	"strconv"
	"strings"

	"linerate/internal/base/lazyregexp"
	"linerate/internal/base/unit"
	"linerate/internal/facts"
	"linerate/internal/facts/parse"
)

// ReadEthtoolLink reads "ethtool X": "KEY: VALUE" lines, of which lists of modes continue on the lines below. A driver
// may omit any of them.
//
//	Supported link modes:   10000baseCR/Full
//	                        25000baseCR/Full
//	Speed: 10000Mb/s
//	Link detected: no (Autoneg, No partner detected)
//
// It is not translated. Format: https://man7.org/linux/man-pages/man8/ethtool.8.html, ethtool's netlink/settings.c and
// common.c. The reasons after "no" are those of its source; no snapshot has one.
func ReadEthtoolLink(f *parse.Builder, args []string, text []byte) error {
	nic := f.Interface(args[0])
	unnamed := ethtoolLinkUnknown()
	var detected facts.Proof
	speed, said, carrier := unnamed.Speed, unnamed.Duplex, unnamed.Carrier
	w, found, list := nic.Wire, false, (*[]facts.Mode)(nil)
	for line := range strings.Lines(string(text)) {
		key, value, ok := strings.Cut(line, ":")
		value = strings.TrimSpace(value)
		if !ok {
			addModes(list, line)
			continue
		}
		list = nil
		p := f.Proof(line)
		switch strings.TrimSpace(key) {
		case "Supported link modes":
			list, found = &w.Supported, true
			nic.Proves("supported", p)
		case "Advertised link modes":
			list = &w.Advertised
			nic.Proves("advertised", p)
		case "Link partner advertised link modes":
			list = &w.Partner
			nic.Proves("partner", p)
		case "Speed":
			speed, found = parse.Megabits(value), true
			nic.Proves("speed", p)
		case "Duplex":
			said, found = parse.Duplex(value), true
			nic.Proves("duplex", p)
		case "Lanes":
			if n, err := strconv.Atoi(value); err == nil && n > 0 {
				w.Lanes = unit.Known(n)
			}
		case "Auto-negotiation":
			w.Autoneg = parseOnOff(value)
		case "Port":
			w.Port = value
		case "Link detected":
			found = true
			answer, why, _ := strings.Cut(value, " ")
			if answer == "yes" || answer == "no" {
				carrier, detected = unit.Known(answer == "yes"), p
			}
			if what := whyNoLink(why); answer == "no" && what != "" {
				f.Happened(facts.Event{What: what, Subject: nic.Name, Detail: strings.Trim(why, "()"), Proof: p})
			}
		}
		if list != nil {
			*list = nil
			addModes(list, value)
		}
	}
	if !found {
		return parse.ToolError(text)
	}
	nic.Wire, nic.Speed, nic.Duplex = w, speed, said
	if nic.Carrier == (unit.Opt[bool]{}) { // ip link distinguishes a disabled interface from one without a link
		nic.Carrier = carrier
		if detected.Line != "" {
			nic.Proves("carrier", detected)
		}
	}
	return nil
}

// ethtoolLink is the state of a link.
type ethtoolLink struct {
	Speed   unit.Opt[unit.BitRate]
	Duplex  unit.Opt[string]
	Carrier unit.Opt[bool]
}

func ethtoolLinkUnknown() ethtoolLink {
	return ethtoolLink{Speed: unit.Unknown[unit.BitRate]("the driver names no speed"),
		Duplex:  unit.Unknown[string]("the driver does not name it"),
		Carrier: unit.Unknown[bool]("the driver does not report the link state")}
}

// addModes adds the modes of a line to a list; other words are ignored ("Not reported").
func addModes(list *[]facts.Mode, line string) {
	if list == nil || len(*list) > 200 {
		return
	}
	for _, word := range strings.Fields(line) {
		if m, ok := facts.ParseMode(word); ok {
			*list = append(*list, m)
		}
	}
}

var (
	refusedCable = lazyregexp.New(`(?i)unsupported cable|eeprom issue|unsupported module`)
	noPartner    = lazyregexp.New(`(?i)no partner|no cable|^\(?(?:Autoneg|Calibration in progress|Other)\)?$`)
)

// whyNoLink converts the reason for a missing link; empty: nothing is plugged in, or the reason is not known.
func whyNoLink(why string) facts.Happening {
	switch why = strings.TrimSpace(why); {
	case why == "" || noPartner.MatchString(why):
		return ""
	case refusedCable.MatchString(why):
		return facts.ModuleRefused
	}
	return facts.LinkFailed
}

func missingEthtoolLink(f *parse.Builder, args []string, why string) {
	nic := f.Interface(args[0])
	parse.Missing(&nic.Speed, why)
	parse.Missing(&nic.Duplex, why)
}

// parseOnOff reads a word of a setting.
func parseOnOff(word string) unit.Opt[bool] {
	word, _, _ = strings.Cut(strings.TrimSpace(word), " ")
	switch strings.ToLower(word) {
	case "on", "yes":
		return unit.Known(true)
	case "off", "no":
		return unit.Known(false)
	}
	return unit.Unknown[bool]("it says neither on nor off")
}
