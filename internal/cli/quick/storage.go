package quick

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"linerate/internal/base/unit"
	"linerate/internal/cli"
	"linerate/internal/cli/inventory"
	"linerate/internal/cli/measure"
	"linerate/internal/facts"
	"linerate/internal/host/connect"
	"linerate/internal/inspect/survey"
)

// Store is a folder in which quick measures storage.
type Store struct {
	Given string // as typed
	End   int    // the client: 0 is this machine, or that of --from, 1 HOST
	Path  string // on that machine
	room  facts.Room
	from  string // the server of a share, if it is neither of the two machines; else empty
	Drive string // in the fabric
}

// Stores parses --to: [HOST:]FOLDER. host is HOST as typed.
func Stores(l *inventory.Looker, texts []string, host string) ([]*Store, error) {
	var out []*Store
	var wrong []error
	for _, text := range texts {
		s, err := storeOf(l, text, host)
		if err != nil {
			wrong = append(wrong, fmt.Errorf("--to%w", err))
			continue
		}
		path := s.Path
		if s.End == 0 && l.Ends.Connection[l.Ends.From[0]].Kind == connect.Local {
			if whole, err := filepath.Abs(path); err == nil { // the agent runs in a different folder
				s.Path = whole
			}
		} else if !strings.HasPrefix(path, "/") && !regexp.MustCompile(`^([A-Za-z]:[\\/]|\\\\)`).MatchString(path) {
			wrong = append(wrong,
				fmt.Errorf("--to %s: a folder of another machine is written from its root on, such as /mnt/tank", text))
			continue
		}
		if s.Path != cli.Clean(s.Path) || strings.ContainsAny(s.Path, "\n\t") || len(s.Path) > 200 {
			wrong = append(wrong,
				fmt.Errorf("--to %q: linerate takes paths of at most 200 bytes without control characters", text))
			continue
		}
		if slices.ContainsFunc(out, func(o *Store) bool { return o.End == s.End && o.Path == s.Path }) {
			wrong = append(wrong, cli.Advise(fmt.Errorf("--to %s: it is there twice", text),
				"name each folder once"))
			continue
		}
		out = append(out, s)
	}
	if len(wrong) > 0 {
		return nil, cli.Fail(cli.ExitInput, errors.Join(wrong...))
	}
	return out, nil
}

// storeOf finds the machine of [HOST:]FOLDER. The names of the two machines take precedence: a name of one letter is
// not a Windows drive.
func storeOf(l *inventory.Looker, text, host string) (*Store, error) {
	near, far := l.Ends.From[0], l.Ends.From[1]
	toFar := l.Ends.Connection[far].String()
	for _, of := range []struct {
		end   int
		words []string
	}{
		{1, []string{host, far, toFar, strings.TrimPrefix(toFar, "ssh ")}},
		{0, []string{near, l.Ends.Connection[near].String()}},
	} {
		for _, word := range of.words {
			if path, ok := strings.CutPrefix(text, word+":"); ok {
				return &Store{Given: text, End: of.end, Path: path}, nil
			}
		}
	}
	of, path, err := measure.SplitPlace(text)
	switch {
	case err != nil:
		return nil, fmt.Errorf(": %w", err)
	case of != "local":
		return nil, cli.Advise(
			fmt.Errorf(" %s: %s is none of the two machines", connect.Redact(text), connect.Redact(of)),
			fmt.Sprintf("write a FOLDER as %s calls it, or %s:FOLDER as %s does", near, host, host))
	}
	return &Store{Given: text, Path: path}, nil
}

// PlaceStores adds the drives of the folders to the draft, and finds the largest file that fits in all of them.
func PlaceStores(ctx context.Context, l *inventory.Looker, d *survey.Draft, stores []*Store,
	needs []facts.Needs) (unit.Bytes, error) {
	span := MostSpan
	var wrong []error
	next := make([]int, 2)
	for _, s := range stores {
		s.room = needs[s.End].Rooms[next[s.End]]
		next[s.End]++
		by := d.Hosts[s.End]
		bad := func(format string, args ...any) {
			wrong = append(wrong, fmt.Errorf("--to %s: %s: %s", s.Given, by.Name, fmt.Sprintf(format, args...)))
		}
		switch {
		case s.room.Kind == "file" || s.room.Kind == "device":
			bad("it is a %s, and quick writes into folders alone; linerate measure storage --to %s reads it", s.room.Kind,
				s.Path)
			continue
		case s.room.Missing != "":
			bad("%s; name a folder that the user of linerate there may write into", s.room.Missing)
			continue
		case s.room.Free != nil:
			room := unit.Bytes(*s.room.Free) / 4 / unit.MiB * unit.MiB
			if room < minSpan {
				bad("%v are free, and a file of a quarter of them would have less than %v; make room, or name another folder",
					unit.Bytes(*s.room.Free), minSpan)
				continue
			}
			span = min(span, room)
		}
		other := d.Hosts[1-s.End]
		if server := servedBy(s.room); server != "" && isServer(ctx, l, server, other) {
			drive := other.Drive(s.Path)
			drive.Mounts[by.Name] = s.Path
			s.Drive = other.Name + "." + drive.Name
			continue
		} else {
			s.from = server
		}
		drive := by.Drive(s.Path)
		drive.Path = s.Path
		s.Drive = by.Name + "." + drive.Name
	}
	if len(wrong) > 0 {
		return 0, cli.Fail(cli.ExitInput, errors.Join(wrong...))
	}
	return span, nil
}

// remoteSystems are the file systems whose source names a server.
var remoteSystems = regexp.MustCompile(`^(nfs4?|cifs|smb[23]?|smbfs|fuse\.sshfs|ceph|glusterfs|fuse\.glusterfs|9p)$`)

// servedBy is the server of the file system at a room, as its source names it: "nas:/tank", "//nas/tank",
// "root@nas:/tank". Empty: it is local, or not known.
func servedBy(r facts.Room) string {
	if !remoteSystems.MatchString(r.FileSystem) && !strings.HasPrefix(r.Source, "//") {
		return ""
	}
	text := r.Source
	if share, ok := strings.CutPrefix(text, "//"); ok {
		text, _, _ = strings.Cut(share, "/")
	} else if at := strings.Index(text, ":/"); at > 0 {
		text = text[:at]
	} else {
		return ""
	}
	if at := strings.LastIndex(text, "@"); at >= 0 {
		text = text[at+1:]
	}
	return strings.Trim(text, "[]")
}

// isServer reports whether a machine is the server with that name or address: by its name, its connection, or its
// addresses.
func isServer(ctx context.Context, l *inventory.Looker, server string, h *survey.Host) bool {
	has := func(a netip.Addr) bool {
		for _, n := range h.Facts.NICs {
			for _, x := range n.Addresses {
				if x.Addr() == a.Unmap().WithZone("") {
					return true
				}
			}
		}
		return false
	}
	if a, err := netip.ParseAddr(server); err == nil {
		return has(a)
	}
	first, _, _ := strings.Cut(server, ".")
	own, _, _ := strings.Cut(h.Facts.Host, ".")
	if strings.EqualFold(first, own) || strings.EqualFold(first, h.Name) {
		return true
	}
	ctx, cancel := context.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	all, _ := net.DefaultResolver.LookupNetIP(ctx, "ip", server)
	return slices.ContainsFunc(all, has)
}

// Text describes what is done in a folder.
func (s *Store) Text(by string, span unit.Bytes) string {
	text := fmt.Sprintf("%s asks %s: a file of %v in %s", by, s.Drive, span, s.Path)
	switch {
	case s.room.Source != "" && s.room.FileSystem != "":
		text += fmt.Sprintf(" (%s, %s)", s.room.FileSystem, s.room.Source)
	case s.room.FileSystem != "":
		text += fmt.Sprintf(" (%s)", s.room.FileSystem)
	}
	if s.from != "" {
		text += fmt.Sprintf(", which %s serves: that machine is not looked at", s.from)
	}
	return text + ", written and removed"
}
