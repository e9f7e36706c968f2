package doctor

import (
	"strings"

	"linerate/internal/base/unit"
)

// Want is a folder of a host that experiments of the file write to.
type Want struct {
	Place string // as the file names it
	Path  string
	Room  unit.Bytes // that their files take at once
}

var topicRoom = Topic{
	ID: "room", Why: "block and copy make their files where the file says, and end where there is no room for them",
	host: func(_ *Gathered, h *Host) (out []Line) {
		if h.Needs == nil {
			return nil
		}
		for i, w := range h.Wants {
			if i >= len(h.Needs.Rooms) || h.Needs.Rooms[i].Path != w.Path {
				out = append(out, notKnown("%s (%s): the host did not say what is free there", w.Path, w.Place))
				continue
			}
			r := h.Needs.Rooms[i]
			free := unit.Bytes(0)
			if r.Free != nil {
				free = unit.Bytes(*r.Free)
			}
			switch {
			case r.Kind == "":
				out = append(out, problem("%s (%s): %s", w.Path, w.Place, r.Lacks).do(h.typed("mkdir", w.Path)+"   # or name another path in the file"))
			case r.Kind == "device":
				out = append(out, ok("%s (%s) is a device: nothing is written to it unless --destroy names it", w.Path, w.Place))
			case r.Kind == "file":
				out = append(out, ok("%s (%s) is a file: it is only read", w.Path, w.Place))
			case r.Lacks != "":
				out = append(out, problem("%s (%s): %s", w.Path, w.Place, r.Lacks).do(h.typed("look", w.Path)+"   # let this user write there, or name another folder in the file"))
			case r.Free == nil:
				out = append(out, notKnown("%s (%s): its file system does not say how much is free", w.Path, w.Place))
			case free < w.Room:
				out = append(out, problem("%s (%s): %s are free, and the experiments make files of %s there", w.Path, w.Place, free, w.Room).do(h.typed("free", w.Path)+"   # make room, or a smaller span or amount in the file"))
			default:
				out = append(out, ok("%s (%s): %s are free, %s are wanted", w.Path, w.Place, free, w.Room))
			}
		}
		return out
	},
}

// typed is a command about a path, for the system that the host has.
func (h *Host) typed(what, path string) string {
	if h.OS == "windows" {
		return map[string]string{"mkdir": "mkdir", "look": "icacls", "free": "dir"}[what] + ` "` + strings.ReplaceAll(path, `"`, "") + `"`
	}
	word := "'" + strings.ReplaceAll(path, "'", `'\''`) + "'"
	if strings.Trim(path, "/._-+abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789") == "" {
		word = path
	}
	if what == "mkdir" {
		return h.root("mkdir -p " + word)
	}
	return map[string]string{"look": "ls -ld ", "free": "df -h "}[what] + word
}
