package facts

import (
	"errors"
	"fmt"
	"runtime/debug"
	"strings"
)

// Parse reads a capture (Schema), or files pasted in its form without the header.
// It is total: a source that is damaged or that it does not know becomes an entry
// of Unknown, and the rest is read. The error is a text that is no capture at all,
// or one of another version.
func Parse(capture []byte) (*Facts, error) { return parseWith(sources(), capture) }

func parseWith(table []source, capture []byte) (*Facts, error) {
	text, err := decoded(capture)
	switch {
	case err == errBinary: // one of its sources, which is said where it is read
		text = capture
	case err != nil:
		return nil, fmt.Errorf("capture: %w", err)
	}
	a := parseArchive(text)
	h, err := parseHeader(a.Comment)
	if err != nil {
		return nil, err
	}
	if body := len(text) - len(a.Comment); body < h.bytes {
		h.unknown = append(h.unknown, Unknown{"capture", fmt.Sprintf("it is cut off, or was made shorter by hand: %d bytes of %d are here", body, h.bytes)})
	}
	if len(a.Files) == 0 && h.os == "" && len(h.unknown) == 0 {
		return nil, errors.New(`capture: there is no source in it; each starts with a line "-- NAME --", as in -- proc/stat --`)
	}
	f := &Facts{Host: h.host, When: h.when, Uptime: h.uptime, Cost: h.cost, Boot: h.boot, OS: h.os, Kernel: h.kernel, Level: h.level, Lab: h.lab, Unknown: h.unknown}
	for _, file := range a.Files {
		if err := read(table, f, file); err != nil {
			f.Unknown = append(f.Unknown, Unknown{file.Name, oneLine(err.Error())})
		}
	}
	for _, u := range f.Unknown {
		if s, args, ok := find(table, u.Subject, f.OS, nil); ok && s.missing != nil {
			s.missing(f, args, u.Reason)
		}
	}
	settle(f)
	return f, nil
}

// read gives a file to its parser. A panic there is a mistake of this program;
// the other facts are not lost for it.
func read(table []source, f *Facts, file file) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("internal error while parsing it: %v (%s)", r, firstFrame(debug.Stack()))
		}
	}()
	s, args, ok := find(table, file.Name, f.OS, file.Data)
	if !ok {
		return errors.New("no parser for this source")
	}
	if f.OS == "" && (s.looks == nil || s.looks.Match(file.Data)) { // else it may be another system's command of that name
		f.OS = s.os
	}
	f.reading = file.Name
	text, err := decoded(file.Data)
	if err != nil {
		return err
	}
	f.nameless = false
	if err := s.read(f, args, text); err != nil {
		return err
	}
	if f.nameless {
		return errors.New("an entry in it names no interface, and is left out")
	}
	return nil
}

// firstFrame is the place in a stack that panicked: the first one of this package
// behind the recovering function itself.
func firstFrame(stack []byte) string {
	_, after, _ := strings.Cut(string(stack), "panic(")
	for line := range strings.Lines(after) {
		if i := strings.Index(line, "/facts/"); i >= 0 {
			place, _, _ := strings.Cut(strings.TrimSpace(line[i+1:]), " ")
			return place
		}
	}
	return "place unknown"
}

// settle corrects what only several sources together tell.
func settle(f *Facts) {
	for _, do := range f.after {
		do()
	}
	f.after = nil
	for i := range f.NICs {
		nic := &f.NICs[i]
		if kind := nic.kind(); hasNominalSpeed(kind) {
			nic.Speed = unknownSpeed(kind)
			nic.Duplex = unknownDuplex(kind)
		}
		attachClasses(nic)
		if at := nic.BusInfo.Or(""); nic.PCI == "" && pciAddress.FindString(at) == at && at != "" {
			nic.PCI = at
		}
	}
	settleModules(f)
	settleRouterOS(f)
	settleRDMA(f)
	settleSwitch(f)
	settleWindows(f)
	settleFreeBSD(f)
	settleClasses(f)
	settleTold(f)
	settleSettings(f)
}

// later is done when all sources were read: what belongs to an interface that another source may name.
func (f *Facts) later(do func()) { f.after = append(f.after, do) }

// partial is the error of a parser that read some of a text; its value counts.
type partial struct{ error }

// nic returns the interface of that name, and makes it if there is none yet. Without a name, as in a damaged text, what is
// written to it is in no facts, and read says so.
func (f *Facts) nic(name string) *Interface {
	if name == "" {
		f.nameless = true
		return new(Interface)
	}
	if at, ok := f.named[name]; ok && at < len(f.NICs) && f.NICs[at].Name == name {
		return &f.NICs[at]
	}
	if len(f.named) < len(f.NICs) { // some were made elsewhere
		if n := f.NIC(name); n != nil {
			return n
		}
	}
	if f.named == nil {
		f.named = map[string]int{}
	}
	f.named[name] = len(f.NICs)
	f.NICs = append(f.NICs, Interface{Name: name})
	return &f.NICs[len(f.NICs)-1]
}
