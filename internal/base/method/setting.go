package method

import (
	"maps"
	"slices"

	"linerate/internal/base/xslices"
)

// Kind is how the values of a setting are parsed.
type Kind int

// The kinds of settings. Values of Bytes, Time and Rate have units; numbers in the table are in base units.
const (
	Text Kind = iota
	Count
	Bytes
	Time
	Rate
	Share
	Word  // one of a list, which the method may narrow
	Load  // of storage: order, block, depth and threads
	Ratio // a plain number, such as 1e-12
)

// Setting is a key of an experiment whose values become combinations, and the flag of linerate measure for it.
type Setting struct {
	Key     string
	Kind    Kind
	Low     float64             // the smallest value
	High    float64             // the largest; 0: no limit
	HighOf  map[string]float64  // the largest of a method, where it differs
	Words   []string            // of Word, for every method
	WordsOf map[string][]string // of Word, by method, where Words is nil; none for a method: any word
	Methods []string            // that take it; nil: all
	// Later are methods whose experiments may have the setting in a file although this version does not measure with it.
	Later []string
	// Flags are its flags by the method whose command has them; the flag of Shared is on all commands between two hosts.
	Flags map[string]Flag
}

// Shared is the key of a flag that the methods between two hosts share.
const Shared = ""

// Flag is how a setting is given on the command line of linerate measure.
type Flag struct {
	Name    string            // if it differs from the key with - for _
	Form    Form              // how many values it takes
	Usage   string            // in the help of the command
	UsageOf map[string]string // in a method's own help, where the command is shared
	Only    string            // the only method with the flag, among those that share the command
	// Default are the values of measure by method without the flag, where an experiment of a file has a different default.
	Default map[string][]string
}

// Form is how many values a flag takes.
type Form int

// The forms of flags.
const (
	Several Form = iota // several values, each of which becomes a combination
	One                 // one text
	Switch              // no value: it is set or not
)

// Of reports whether experiments of a method may have the setting.
func (s Setting) Of(method string) bool {
	return s.Methods == nil || slices.Contains(s.Methods, method)
}

// Highest returns the largest value that a method takes; 0: no limit.
func (s Setting) Highest(method string) float64 {
	if high, ok := s.HighOf[method]; ok {
		return high
	}
	return s.High
}

// WordsFor returns the values of a setting that a method accepts; nil: any.
func (s Setting) WordsFor(method string) []string {
	if s.Words != nil {
		return s.Words
	}
	return s.WordsOf[method]
}

// SettingOf returns the setting of a key; ok is false if there is none.
func SettingOf(key string) (s Setting, ok bool) {
	s, ok = find(key)
	return s.clone(), ok
}

// find is SettingOf without a copy, for this package, which does not modify the setting.
func find(key string) (s Setting, ok bool) {
	all := table()
	for i := range all {
		if all[i].Key == key {
			return all[i], true
		}
	}
	return Setting{}, false
}

// clone returns a deep copy of the setting.
func (s Setting) clone() Setting {
	s.HighOf, s.WordsOf, s.Flags = maps.Clone(s.HighOf), cloneLists(s.WordsOf), maps.Clone(s.Flags)
	s.Words, s.Methods, s.Later = slices.Clone(s.Words), slices.Clone(s.Methods), slices.Clone(s.Later)
	for command, f := range s.Flags {
		f.UsageOf, f.Default = maps.Clone(f.UsageOf), cloneLists(f.Default)
		s.Flags[command] = f
	}
	return s
}

func cloneLists(of map[string][]string) map[string][]string {
	of = maps.Clone(of)
	for name, list := range of {
		of[name] = slices.Clone(list)
	}
	return of
}

// Keys returns the keys of all settings, in the order of the table.
func Keys() []string {
	return xslices.Map(table(), func(s Setting) string { return s.Key })
}

// FlagOrder returns the keys of the settings that a command has flags for, in the order in which their values vary: the
// last one fastest. command is a method with its own command, or Shared.
func FlagOrder(command string) []string {
	return map[string][]string{
		Shared: {"time", "copy_mode", "placement", "spin", "size", "mtu", "transport", "fragment", "pace", "pace_by",
			"amount", "source", "traffic", "bit_error_rate", "batch", "depth", "device", "inline", "metric", "op", "threads",
			"path_mtu", "service", "service_level", "signal", "traffic_class", "every", "load_streams", "load_direction",
			"streams", "direction"},
		Storage: {"profile", "load", "access", "size", "depth", "threads", "read", "span", "amount", "time", "warmup",
			"think", "limit", "pause", "cache", "on_error", "seed", "steady", "sync", "verify"},
		Copy:    {"transport", "tool", "amount", "files", "streams", "threads", "cache", "direction", "time"},
		Command: {"app", "server", "ready", "processes", "threads", "time"},
	}[command]
}
