package read

import (
	"errors"
	"fmt"
	"path"
	"runtime"
	"strconv"
	"strings"

	eos "linerate/internal/device/eos/parse"
	freebsd "linerate/internal/device/freebsd/parse"
	linux "linerate/internal/device/linux/parse"
	nxos "linerate/internal/device/nxos/parse"
	routeros "linerate/internal/device/routeros/parse"
	sonic "linerate/internal/device/sonic/parse"
	windows "linerate/internal/device/windows/parse"
	"linerate/internal/facts"
	"linerate/internal/facts/parse"
	"linerate/internal/facts/parse/iproute"
	"linerate/internal/facts/parse/pci"
	"linerate/internal/facts/parse/rdma"
	"linerate/internal/facts/parse/show"
	"linerate/internal/facts/snapshot"
)

// Parse reads a snapshot (Schema), or files pasted in its form without the header. It is total: a damaged or unknown
// source becomes an entry of Unknown, and the rest is read. It fails on a text that is not a snapshot, or of another
// version.
func Parse(raw []byte) (*facts.Facts, error) { return parseWith(Sources(), raw) }

func parseWith(table []parse.Source, raw []byte) (*facts.Facts, error) {
	text, err := snapshot.Decode(raw)
	switch {
	case err == snapshot.ErrBinary: // one of its sources, and reported at it
		text = raw
	case err != nil:
		return nil, fmt.Errorf("snapshot: %w", err)
	}
	a := snapshot.ParseArchive(text)
	h, err := snapshot.ReadHeader(a.Comment)
	if err != nil {
		return nil, err
	}
	if body := len(text) - len(a.Comment); body < h.Bytes {
		h.Unknown = append(h.Unknown, facts.Unknown{Subject: "snapshot",
			Reason: fmt.Sprintf("it is cut off, or was made shorter by hand: %d bytes of %d are here", body, h.Bytes)})
	}
	if len(a.Files) == 0 && h.OS == "" && len(h.Unknown) == 0 {
		return nil, errors.New(`snapshot: there is no source in it; each starts with a line "-- NAME --", as in -- proc/stat --`)
	}
	f := parse.NewBuilder(&facts.Facts{Host: h.Host, When: h.When, Uptime: h.Uptime, Cost: h.Cost, Boot: h.Boot,
		OS: h.OS, Kernel: h.Kernel, Level: h.Level, Lab: h.Lab, Unknown: h.Unknown})
	for _, file := range a.Files {
		if err := read(table, f, file); err != nil {
			f.Unknown = append(f.Unknown, facts.Unknown{Subject: file.Name, Reason: facts.OneLine(err.Error())})
		}
	}
	for _, u := range f.Unknown {
		if s, args, ok := Find(table, u.Subject, f.OS, nil); ok && s.Missing != nil {
			s.Missing(f, args, u.Reason)
		}
	}
	settle(f)
	return f.Facts, nil
}

// read passes a file to its parser. A panic of the parser is an error of this program, and must not lose the other
// facts.
func read(table []parse.Source, f *parse.Builder, file snapshot.File) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("internal error while parsing it: %v (%s)", r, firstFrame())
		}
	}()
	s, args, ok := Find(table, file.Name, f.OS, file.Data)
	if !ok {
		return errors.New("no parser for this source")
	}
	if f.OS == "" && (s.Looks == nil || s.Looks.Match(file.Data)) { // else it may be another system's command of that name
		f.OS = s.OS
	}
	f.Begin(file.Name)
	text, err := snapshot.Decode(file.Data)
	if err != nil {
		return err
	}
	if err := s.Read(f, args, text); err != nil {
		return err
	}
	if f.IsNameless() {
		return errors.New("an entry in it names no interface, and is left out")
	}
	return nil
}

// firstFrame returns the place of the panic: of the frames of a recovering function, the first of this program after
// the panic.
func firstFrame() string {
	callers := make([]uintptr, 32)
	frames := runtime.CallersFrames(callers[:runtime.Callers(0, callers)])
	panicked := false
	for {
		frame, more := frames.Next()
		panicked = panicked || frame.Function == "runtime.gopanic"
		if panicked && strings.HasPrefix(frame.Function, "linerate/") {
			return path.Join(path.Base(path.Dir(frame.File)), path.Base(frame.File)) + ":" + strconv.Itoa(frame.Line)
		}
		if !more {
			return "place unknown"
		}
	}
}

// settle combines facts of several sources.
func settle(f *parse.Builder) {
	f.Finish()
	for i := range f.NICs {
		nic := &f.NICs[i]
		if kind := parse.Kind(nic); parse.HasNominalSpeed(kind) {
			nic.Speed = parse.UnknownSpeed(kind)
			nic.Duplex = parse.UnknownDuplex(kind)
		}
		iproute.AttachClasses(f, nic)
		if at := nic.BusInfo.Or(""); nic.PCI == "" && pci.Address.FindString(at) == at && at != "" {
			nic.PCI = at
		}
	}
	linux.SettleModules(f)
	routeros.Settle(f)
	rdma.Settle(f)
	eos.Settle(f)
	sonic.Settle(f)
	nxos.Settle(f)
	show.Settle(f)
	windows.Settle(f)
	freebsd.Settle(f)
	linux.SettleClasses(f)
	linux.SettleConfigured(f)
	parse.SettleSettings(f)
}
