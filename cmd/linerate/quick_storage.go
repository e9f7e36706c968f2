package main

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
	"linerate/internal/facts"
	"linerate/internal/host/connect"
	"linerate/internal/inspect/survey"
)

// quickStore is a folder in which quick measures storage.
type quickStore struct {
	given string // as typed
	end   int    // who asks: 0 is this machine, or that of --from, 1 HOST
	path  string // as that machine calls it
	room  facts.Room
	from  string // the server of a share that is none of the two machines; empty: it is none
	drive string // as the fabric calls it
}

// stores reads --to: [HOST:]FOLDER. host is HOST as typed.
func (l *looker) stores(texts []string, host string) ([]*quickStore, error) {
	var out []*quickStore
	var wrong []error
	for _, text := range texts {
		s, err := l.storeOf(text, host)
		if err != nil {
			wrong = append(wrong, fmt.Errorf("--to%w", err))
			continue
		}
		path := s.path
		if s.end == 0 && l.ends.reach[l.ends.from[0]].Kind == connect.Local {
			if whole, err := filepath.Abs(path); err == nil { // the agent is in a folder of its own
				s.path = whole
			}
		} else if !strings.HasPrefix(path, "/") && !regexp.MustCompile(`^([A-Za-z]:[\\/]|\\\\)`).MatchString(path) {
			wrong = append(wrong, fmt.Errorf("--to %s: a folder of another machine is written from its root on, such as /mnt/tank", text))
			continue
		}
		if s.path != clean(s.path) || strings.ContainsAny(s.path, "\n\t") || len(s.path) > 200 {
			wrong = append(wrong, fmt.Errorf("--to %q: linerate takes paths of at most 200 bytes without control characters", text))
			continue
		}
		if slices.ContainsFunc(out, func(o *quickStore) bool { return o.end == s.end && o.path == s.path }) {
			wrong = append(wrong, fmt.Errorf("--to %s: it is there twice; name each folder once", text))
			continue
		}
		out = append(out, s)
	}
	if len(wrong) > 0 {
		return nil, fail(exitInput, errors.Join(wrong...))
	}
	return out, nil
}

// storeOf is whose folder [HOST:]FOLDER is. What the two machines are called comes before anything else: a name of one letter is no Windows drive.
func (l *looker) storeOf(text, host string) (*quickStore, error) {
	near, far := l.ends.from[0], l.ends.from[1]
	for _, of := range []struct {
		end   int
		words []string
	}{{1, []string{host, far, l.ends.reach[far].String(), strings.TrimPrefix(l.ends.reach[far].String(), "ssh ")}}, {0, []string{near, l.ends.reach[near].String()}}} {
		for _, word := range of.words {
			if path, ok := strings.CutPrefix(text, word+":"); ok {
				return &quickStore{given: text, end: of.end, path: path}, nil
			}
		}
	}
	of, path, err := splitPlace(text)
	switch {
	case err != nil:
		return nil, fmt.Errorf(": %w", err)
	case of != "local":
		return nil, fmt.Errorf(" %s: %s is none of the two machines; write a FOLDER as %s calls it, or %s:FOLDER as %s does", connect.Redact(text), connect.Redact(of), near, host, host)
	}
	return &quickStore{given: text, path: path}, nil
}

// place has the draft have the drives that the folders are on, and finds how large a file may be in all of them.
func (l *looker) place(ctx context.Context, d *survey.Draft, stores []*quickStore, needs []facts.Needs) (unit.Bytes, error) {
	span := mostSpan
	var wrong []error
	asked := make([]int, 2)
	for _, s := range stores {
		s.room = needs[s.end].Rooms[asked[s.end]]
		asked[s.end]++
		by := d.Hosts[s.end]
		bad := func(format string, args ...any) {
			wrong = append(wrong, fmt.Errorf("--to %s: %s: %s", s.given, by.Name, fmt.Sprintf(format, args...)))
		}
		switch {
		case s.room.Kind == "file" || s.room.Kind == "device":
			bad("it is a %s, and quick writes into folders alone; linerate measure block --to %s reads it", s.room.Kind, s.path)
			continue
		case s.room.Lacks != "":
			bad("%s; name a folder that the user of linerate there may write into", s.room.Lacks)
			continue
		case s.room.Free != nil:
			room := unit.Bytes(*s.room.Free) / 4 / unit.MiB * unit.MiB
			if room < leastSpan {
				bad("%v are free, and a file of a quarter of them would have less than %v; make room, or name another folder", unit.Bytes(*s.room.Free), leastSpan)
				continue
			}
			span = min(span, room)
		}
		other := d.Hosts[1-s.end]
		if server := servedBy(s.room); server != "" && l.isServer(ctx, server, other) {
			drive := other.Drive(s.path)
			drive.Mounts[by.Name] = s.path
			s.drive = other.Name + "." + drive.Name
			continue
		} else {
			s.from = server
		}
		drive := by.Drive(s.path)
		drive.Path = s.path
		s.drive = by.Name + "." + drive.Name
	}
	if len(wrong) > 0 {
		return 0, fail(exitInput, errors.Join(wrong...))
	}
	return span, nil
}

// remoteSystems are the file systems whose source names a server.
var remoteSystems = regexp.MustCompile(`^(nfs4?|cifs|smb[23]?|smbfs|fuse\.sshfs|ceph|glusterfs|fuse\.glusterfs|9p)$`)

// servedBy is the server of what is mounted at a room, as its source names it: "nas:/tank", "//nas/tank", "root@nas:/tank". Empty: it is local, or not known.
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

// isServer says whether a machine is the server of that name or address: by what it is called, by what it was got at, by its addresses.
func (l *looker) isServer(ctx context.Context, server string, h *survey.Host) bool {
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

// told says what is done in a folder.
func (s *quickStore) told(by string, span unit.Bytes) string {
	text := fmt.Sprintf("%s asks %s: a file of %v in %s", by, s.drive, span, s.path)
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
