package facts

import (
	"slices"
	"strconv"
	"strings"

	"linerate/internal/base/lazyregexp"
	"linerate/internal/base/unit"
)

// Wire is a port's physical link, of a host or switch: its abilities and state, its module, and its settings.
type Wire struct {
	// Supported, Advertised and Partner are the modes that the port supports, that it advertises, and that the other end
	// advertises. Nil: unknown, or not reported.
	Supported  []Mode `json:"supported"`
	Advertised []Mode `json:"advertised"`
	Partner    []Mode `json:"partner"`
	Port       string `json:"port"` // "FIBRE", "Direct Attach Copper", "Twisted Pair"; empty: unknown
	// Media is FreeBSD's configured media: "autoselect", "10Gbase-SR"; empty: unknown.
	Media    string           `json:"media"`
	Lanes    unit.Opt[int]    `json:"lanes"`
	Autoneg  unit.Opt[bool]   `json:"autoneg"`
	FEC      *FEC             `json:"fec"`      // nil: unknown
	Optic    *Optic           `json:"optic"`    // the module or cable; nil: unknown
	Pause    *Pause           `json:"pause"`    // nil: unknown
	Rings    *Rings           `json:"rings"`    // nil: unknown
	Coalesce map[string]int64 `json:"coalesce"` // "rx-usecs", "adaptive-rx" (0 or 1); nil: unknown
	Flags    map[string]bool  `json:"flags"`    // the driver's private flags; nil: unknown
}

// Mode is a mode of a link, by the names of ethtool and the kernel: 25000baseCR/Full.
type Mode struct {
	Name  string       `json:"name"`
	Speed unit.BitRate `json:"speed"`
	Half  bool         `json:"half"`
}

var modeName = lazyregexp.New(`^(\d+)base[A-Za-z0-9_-]*/(Full|Half)$`)

// ParseMode reads the name of a mode.
func ParseMode(name string) (Mode, bool) {
	m := modeName.FindStringSubmatch(name)
	if m == nil {
		return Mode{}, false
	}
	megabits, err := strconv.ParseUint(m[1], 10, 32)
	return Mode{name, unit.BitRate(megabits) * 1e6, m[2] == "Half"}, err == nil
}

// Fastest returns the highest speed among modes; 0: there is none.
func Fastest(modes []Mode) (speed unit.BitRate) {
	for _, m := range modes {
		speed = max(speed, m.Speed)
	}
	return speed
}

// Offered returns the modes that the port both supports and advertises; if one list is unknown, the other. Nil: both
// are unknown.
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
	Configured []string `json:"configured"` // "RS", "BaseR", "Auto", "None", "LLRS"; nil: unknown
	Active     []string `json:"active"`     // in effect; nil: unknown
}

// InEffect returns the active FEC in one word; empty: unknown, or the link is not up.
func (f *FEC) InEffect() string {
	if f == nil {
		return ""
	}
	return strings.Join(f.Active, ", ")
}

// FECName normalizes the name of a FEC.
func FECName(name string) string {
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

// Pause is whether a port sends and obeys pause frames for the whole link (not by class): the negotiated values if
// known, else the configured ones.
type Pause struct {
	Autoneg unit.Opt[bool] `json:"autoneg"`
	Receive unit.Opt[bool] `json:"receive"`
	Send    unit.Opt[bool] `json:"send"`
}

// Rings are the numbers of descriptors per queue of a port, and their maximums.
type Rings struct {
	Receive    unit.Opt[int] `json:"receive"`
	ReceiveMax unit.Opt[int] `json:"receive_max"`
	Send       unit.Opt[int] `json:"send"`
	SendMax    unit.Opt[int] `json:"send_max"`
}
