package facts

import (
	"slices"
	"strconv"
	"strings"

	"linerate/internal/base/lazyregexp"
	"linerate/internal/base/unit"
)

// Wire is a port's physical link: what it can and does, what is plugged in, and how it is set. Of hosts and switches.
type Wire struct {
	// Supported, Advertised and Partner are the modes that the port can, that it offers, and that the other end offers. Nil: not
	// known, or not reported.
	Supported, Advertised, Partner []Mode
	Port                           string // "FIBRE", "Direct Attach Copper", "Twisted Pair"; empty: not known
	// Media is how the link is set to run, as FreeBSD names it: "autoselect", "10Gbase-SR"; empty: not known.
	Media    string
	Lanes    unit.Opt[int]
	Autoneg  unit.Opt[bool]
	FEC      *FEC             // nil: not known
	Optic    *Optic           // what is plugged in; nil: not known
	Pause    *Pause           // nil: not known
	Rings    *Rings           // nil: not known
	Coalesce map[string]int64 // "rx-usecs", "adaptive-rx" (0 or 1); nil: not known
	Flags    map[string]bool  // the driver's private flags; nil: not known
}

// Mode is a way to run a link, as ethtool and the kernel name them: 25000baseCR/Full.
type Mode struct {
	Name  string
	Speed unit.BitRate
	Half  bool
}

var modeName = lazyregexp.New(`^(\d+)base[A-Za-z0-9_-]*/(Full|Half)$`)

// parseMode reads the name of a mode.
func parseMode(name string) (Mode, bool) {
	m := modeName.FindStringSubmatch(name)
	if m == nil {
		return Mode{}, false
	}
	megabits, err := strconv.ParseUint(m[1], 10, 32)
	return Mode{name, unit.BitRate(megabits) * 1e6, m[2] == "Half"}, err == nil
}

// Fastest is the highest speed among modes; 0: there is none.
func Fastest(modes []Mode) (speed unit.BitRate) {
	for _, m := range modes {
		speed = max(speed, m.Speed)
	}
	return speed
}

// Offered are the modes that the port both can and offers; where one is not known, the other. Nil: neither is known.
func (w *Wire) Offered() []Mode {
	switch {
	case w.Advertised == nil:
		return w.Supported
	case w.Supported == nil:
		return w.Advertised
	}
	return slices.DeleteFunc(slices.Clone(w.Advertised), func(m Mode) bool { return !slices.Contains(w.Supported, m) })
}

// FEC is the forward error correction of a link.
type FEC struct {
	Configured []string // "RS", "BaseR", "Auto", "None", "LLRS"; nil: not known
	Active     []string // in effect; nil: not known
}

// InEffect is the correction that is active, in one word; empty: not known, or the link is not up.
func (f *FEC) InEffect() string {
	if f == nil {
		return ""
	}
	return strings.Join(f.Active, ", ")
}

// fecName is the one name of a correction, whoever says it.
func fecName(name string) string {
	switch strings.ToLower(strings.Trim(name, "[],.")) {
	case "off", "none", "no", "disabled", "not":
		return "None"
	case "rs", "rs-fec", "reed-solomon", "rs528", "rs544", "rs272", "fec91", "clause91", "standard":
		return "RS"
	case "baser", "base-r", "fc", "fc-fec", "firecode", "fire-code", "fec74", "clause74":
		return "BaseR"
	case "llrs":
		return "LLRS"
	case "auto":
		return "Auto"
	}
	return name
}

// Pause is whether a port sends and heeds pause frames for the whole link (not by class). In effect where the negotiated values
// are known, else as it is set.
type Pause struct {
	Autoneg, Receive, Send unit.Opt[bool]
}

// Rings are the descriptors of a port's queues, each, and their maxima.
type Rings struct {
	Receive, ReceiveMax, Send, SendMax unit.Opt[int]
}
