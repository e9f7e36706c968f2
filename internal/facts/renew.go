package facts

import (
	"errors"
	"fmt"
	"slices"
)

// ErrNotTheSame is why a capture cannot be renewed: the host was started anew, or is another one.
var ErrNotTheSame = errors.New("it is of another host, or of before a restart")

// Renew is a full capture of a host with what it says now in a later one of level Statistics, which then counts as full: its time is the
// later one's, and its line "settings" says when the rest was read. A later capture that is full itself is returned as it is. The error is
// ErrNotTheSame, or a text that is no capture.
func Renew(full, later []byte) ([]byte, error) {
	old, now := parseArchive(full), parseArchive(later)
	was, err := parseHeader(old.Comment)
	if err != nil {
		return nil, err
	}
	is, err := parseHeader(now.Comment)
	switch {
	case err != nil:
		return nil, err
	case is.level == Full:
		return later, nil
	case was.level != Full || is.level != Statistics:
		return nil, fmt.Errorf("capture: its level is %q and the later one's %q; statistics renew a full one", was.level, is.level)
	case was.host != is.host || was.boot != is.boot || was.os != is.os:
		return nil, ErrNotTheSame
	}
	told := map[string]bool{} // by the later one
	for _, f := range now.Files {
		told[f.Name] = true
	}
	for _, u := range is.unknown {
		told[u.Subject] = true
	}
	out := archive{Files: slices.Clone(now.Files)}
	for _, f := range old.Files {
		if !told[f.Name] {
			out.Files = append(out.Files, f)
		}
	}
	head := *is
	head.level, head.settings, head.bytes = Full, was.when, 0
	if !was.settings.IsZero() {
		head.settings = was.settings
	}
	for _, u := range was.unknown {
		if !told[u.Subject] {
			head.unknown = append(head.unknown, u)
		}
	}
	out.Comment = head.text()
	return out.bytes(), nil
}
