package parse

import (
	"cmp"
	"reflect"
	"slices"

	"linerate/internal/base/unit"
	"linerate/internal/facts"
)

// Builder makes the facts of a host. Parsers write what they read into its Facts, and what they need until other
// sources were read into its states.
type Builder struct {
	*facts.Facts
	Reading string // the source that is being read
	Line    string // the line, if it is read line by line

	after    []func()            // functions to run after all sources were read
	eventAt  map[facts.Event]int // index of an event, by what distinguishes it
	named    map[string]int      // index of an interface, by its name
	nameless bool                // an entry of the source that is being read names no interface
	wanted   map[string]rankedSetting
	printed  map[string]printedSetting
	states   map[reflect.Type]any
}

// NewBuilder returns a Builder of facts, which may not be empty.
func NewBuilder(f *facts.Facts) *Builder { return &Builder{Facts: f} }

// StateOf returns the state that parsers keep in a value of their type T, initially its zero value.
func StateOf[T any](b *Builder) *T {
	key := reflect.TypeFor[T]()
	if s, ok := b.states[key]; ok {
		return s.(*T)
	}
	if b.states == nil {
		b.states = map[reflect.Type]any{}
	}
	s := new(T)
	b.states[key] = s
	return s
}

// Begin records which source is read from now on.
func (b *Builder) Begin(source string) { b.Reading, b.nameless = source, false }

// IsNameless reports whether an entry of the source that is being read names no interface.
func (b *Builder) IsNameless() bool { return b.nameless }

// Finish runs the functions that parsers deferred until all sources were read.
func (b *Builder) Finish() {
	for _, do := range b.after {
		do()
	}
	b.after = nil
}

// Forget removes interfaces.
func (b *Builder) Forget(which func(facts.Interface) bool) {
	b.NICs = slices.DeleteFunc(b.NICs, which)
	b.named = nil
}

// ClassCounted adds a counter of one class.
func (f *Builder) ClassCounted(what facts.ClassCounted, subject string, class int, value uint64, line string) {
	f.ClassCounts = append(f.ClassCounts, facts.ClassCount{What: what, Subject: subject, Class: class, Value: value,
		Proof: f.Proof(line)})
}

// Counted adds a counter.
func (f *Builder) Counted(what facts.Counted, subject string, value uint64, of unit.Opt[uint64], line string) {
	f.Counts = append(f.Counts, facts.Count{What: what, Subject: subject, Value: value, Of: of, Proof: f.Proof(line)})
}

// EffectOf returns an interface's traffic classes in effect, from its outputs.
func (f *Builder) EffectOf(name string) *facts.Classes {
	n := f.Interface(name)
	if n.Effect == nil {
		n.Effect = &facts.Classes{}
	}
	return n.Effect
}

// AskedOf returns an interface's configured traffic classes, from a script or configuration.
func (f *Builder) AskedOf(name string) *facts.Classes {
	n := f.Interface(name)
	if n.Asked == nil {
		n.Asked = &facts.Classes{}
	}
	return n.Asked
}

// MaxEvents is the largest number of different events per host: a longer log has another problem.
const MaxEvents = 4096

// Happened adds an event, or increases the count of an equal one.
func (f *Builder) Happened(e facts.Event) {
	e.Count = cmp.Or(e.Count, 1)
	key := e
	key.Proof, key.Count = facts.Proof{Source: e.Source}, 0
	if e.What == facts.LinkDown {
		key.Detail = ""
	}
	if at, ok := f.eventAt[key]; ok {
		f.Events[at].Count += e.Count
		return
	}
	if len(f.Events) >= MaxEvents {
		return
	}
	if f.eventAt == nil {
		f.eventAt = map[facts.Event]int{}
	}
	f.eventAt[key] = len(f.Events)
	f.Events = append(f.Events, e)
}

// ProofOf returns the line that is being read, or the value of a file with only one.
func (f *Builder) ProofOf(value string) facts.Proof {
	if f.Line != "" {
		value = f.Line
	}
	return f.Proof(value)
}

// Heard adds a neighbour to an interface. Of two outputs about one neighbour the more detailed one counts.
func (f *Builder) Heard(name string, n facts.LLDPNeighbour) {
	nic := f.Interface(name)
	for i := range nic.LLDP {
		o := &nic.LLDP[i]
		same := o.Chassis == n.Chassis && o.Port == n.Port
		if bare := o.Chassis.Value == "" || n.Chassis.Value == ""; bare { // a table only has the name
			same = o.System != "" && o.System == n.System && o.Port.Value == n.Port.Value
		}
		if same {
			if o.Chassis.Value == "" {
				*o = n
			}
			return
		}
	}
	nic.LLDP = append(nic.LLDP, n)
}

// Listens records that an interface receives LLDP, so that a missing neighbour is a fact.
func (f *Builder) Listens(name string) {
	if nic := f.Interface(name); nic.LLDP == nil {
		nic.LLDP = []facts.LLDPNeighbour{}
	}
}

// Later defers do until all sources were read, for facts of interfaces that another source may name.
func (f *Builder) Later(do func()) { f.after = append(f.after, do) }

// Partial is the error of a parser that read a part of a text; its value counts.
type Partial struct{ Err error }

func (p Partial) Error() string { return p.Err.Error() }

// Interface returns the interface of a name, and creates it if needed. Without a name, as in a damaged text, its values
// are not stored, and read reports that.
func (f *Builder) Interface(name string) *facts.Interface {
	if name == "" {
		f.nameless = true
		return new(facts.Interface)
	}
	if at, ok := f.named[name]; ok && at < len(f.NICs) && f.NICs[at].Name == name {
		return &f.NICs[at]
	}
	if len(f.named) < len(f.NICs) { // some were created elsewhere
		if n := f.NIC(name); n != nil {
			return n
		}
	}
	if f.named == nil {
		f.named = map[string]int{}
	}
	f.named[name] = len(f.NICs)
	f.NICs = append(f.NICs, facts.Interface{Name: name})
	return &f.NICs[len(f.NICs)-1]
}

// PCIDevice returns the device of an address, and creates it if needed.
func (f *Builder) PCIDevice(address string) *facts.PCIDevice {
	if d := f.PCIAt(address); d != nil {
		return d
	}
	f.PCI = append(f.PCI, facts.PCIDevice{Address: address})
	return &f.PCI[len(f.PCI)-1]
}

// Proof returns a line of the source that is being read.
func (f *Builder) Proof(line string) facts.Proof {
	return facts.Proof{Source: f.Reading, Line: facts.OneLine(line)}
}

func (f *Builder) SMBState() *facts.SMB {
	if f.SMB == nil {
		f.SMB = &facts.SMB{}
	}
	return f.SMB
}

// ConfiguredOf returns an interface's settings in files, and creates them if needed.
func (f *Builder) ConfiguredOf(name string) *facts.Configured {
	n := f.Interface(name)
	if n.Configured == nil {
		n.Configured = new(facts.Configured)
	}
	return n.Configured
}
