package snapshot

import (
	"errors"
	"fmt"
	"slices"

	"linerate/internal/facts"
)

// ErrNotTheSame is why a snapshot cannot be renewed: the host was restarted, or is another one.
var ErrNotTheSame = errors.New("it is of another host, or of before a restart")

// Renew returns a full snapshot with the values of a later one of level Statistics. Its time is the later one's, and
// its line "settings" is the time of the rest. A later snapshot that is full is returned unchanged. The error is
// ErrNotTheSame, or a text that is not a snapshot.
func Renew(full, later []byte) ([]byte, error) {
	old, now := ParseArchive(full), ParseArchive(later)
	was, err := ReadHeader(old.Comment)
	if err != nil {
		return nil, err
	}
	is, err := ReadHeader(now.Comment)
	switch {
	case err != nil:
		return nil, err
	case is.Level == facts.Full:
		return later, nil
	case was.Level != facts.Full || is.Level != facts.Statistics:
		return nil, fmt.Errorf("snapshot: its level is %q and the later one's %q; statistics renew a full one", was.Level,
			is.Level)
	case was.Host != is.Host || was.Boot != is.Boot || was.OS != is.OS:
		return nil, ErrNotTheSame
	}
	reported := map[string]bool{} // by the later one
	for _, f := range now.Files {
		reported[f.Name] = true
	}
	for _, u := range is.Unknown {
		reported[u.Subject] = true
	}
	out := Archive{Files: slices.Clone(now.Files)}
	for _, f := range old.Files {
		if !reported[f.Name] {
			out.Files = append(out.Files, f)
		}
	}
	head := *is
	head.Level, head.settings, head.Bytes = facts.Full, was.When, 0
	if !was.settings.IsZero() {
		head.settings = was.settings
	}
	for _, u := range was.Unknown {
		if !reported[u.Subject] {
			head.Unknown = append(head.Unknown, u)
		}
	}
	out.Comment = head.Text()
	return out.Bytes(), nil
}
