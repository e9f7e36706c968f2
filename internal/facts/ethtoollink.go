package facts

import (
	"strconv"
	"strings"

	"linerate/internal/base/lazyregexp"
	"linerate/internal/base/unit"
)

// readEthtoolLink reads "ethtool X": "KEY: VALUE" lines, of which lists of modes go on in the lines below. A driver may leave
// out each.
//
//	Supported link modes:   10000baseCR/Full
//	                        25000baseCR/Full
//	Speed: 10000Mb/s
//	Link detected: no (Autoneg, No partner detected)
//
// Its words are the same in every language. Format: https://man7.org/linux/man-pages/man8/ethtool.8.html, ethtool's
// netlink/settings.c and common.c. The reasons behind "no" are those of its source; no capture has one.
func readEthtoolLink(f *Facts, args []string, text []byte) error {
	nic := f.nic(args[0])
	unnamed := ethtoolLinkUnknown()
	var detected Proof
	speed, said, carrier := unnamed.Speed, unnamed.Duplex, unnamed.Carrier
	w, found, list := nic.Wire, false, (*[]Mode)(nil)
	for line := range strings.Lines(string(text)) {
		key, value, ok := strings.Cut(line, ":")
		value = strings.TrimSpace(value)
		if !ok {
			addModes(list, line)
			continue
		}
		list = nil
		p := f.proof(line)
		switch strings.TrimSpace(key) {
		case "Supported link modes":
			list, found = &w.Supported, true
			nic.proves("supported", p)
		case "Advertised link modes":
			list = &w.Advertised
			nic.proves("advertised", p)
		case "Link partner advertised link modes":
			list = &w.Partner
			nic.proves("partner", p)
		case "Speed":
			speed, found = megabits(value), true
			nic.proves("speed", p)
		case "Duplex":
			said, found = duplex(value), true
			nic.proves("duplex", p)
		case "Lanes":
			if n, err := strconv.Atoi(value); err == nil && n > 0 {
				w.Lanes = known(n)
			}
		case "Auto-negotiation":
			w.Autoneg = parseOnOff(value)
		case "Port":
			w.Port = value
		case "Link detected":
			found = true
			answer, why, _ := strings.Cut(value, " ")
			if answer == "yes" || answer == "no" {
				carrier, detected = known(answer == "yes"), p
			}
			if what := whyNoLink(why); answer == "no" && what != "" {
				f.happened(Event{What: what, Subject: nic.Name, Detail: strings.Trim(why, "()"), Proof: p})
			}
		}
		if list != nil {
			*list = nil
			addModes(list, value)
		}
	}
	if !found {
		return toolError(text)
	}
	nic.Wire, nic.Speed, nic.Duplex = w, speed, said
	if nic.Carrier == (unit.Opt[bool]{}) { // ip link tells an interface that is off from one without a link
		nic.Carrier = carrier
		if detected.Line != "" {
			nic.proves("carrier", detected)
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
	return ethtoolLink{
		Speed:   unit.Unknown[unit.BitRate]("the driver names no speed"),
		Duplex:  unit.Unknown[string]("the driver does not name it"),
		Carrier: unit.Unknown[bool]("the driver does not say whether the link is up"),
	}
}

// addModes adds the modes of a line to a list; words that are none are left out ("Not reported").
func addModes(list *[]Mode, line string) {
	if list == nil || len(*list) > 200 {
		return
	}
	for _, word := range strings.Fields(line) {
		if m, ok := parseMode(word); ok {
			*list = append(*list, m)
		}
	}
}

var (
	refusedCable = lazyregexp.New(`(?i)unsupported cable|eeprom issue|unsupported module`)
	noPartner    = lazyregexp.New(`(?i)no partner|no cable|^\(?(?:Autoneg|Calibration in progress|Other)\)?$`)
)

// whyNoLink is what the reason for a missing link means; empty: that nothing is plugged in, or nothing that is known.
func whyNoLink(why string) Happening {
	switch why = strings.TrimSpace(why); {
	case why == "" || noPartner.MatchString(why):
		return ""
	case refusedCable.MatchString(why):
		return ModuleRefused
	}
	return LinkFailed
}

func missingEthtoolLink(f *Facts, args []string, why string) {
	nic := f.nic(args[0])
	set(&nic.Speed, why)
	set(&nic.Duplex, why)
}

// parseOnOff reads a word of a setting.
func parseOnOff(word string) unit.Opt[bool] {
	word, _, _ = strings.Cut(strings.TrimSpace(word), " ")
	switch strings.ToLower(word) {
	case "on", "yes":
		return known(true)
	case "off", "no":
		return known(false)
	}
	return unit.Unknown[bool]("it says neither on nor off")
}
