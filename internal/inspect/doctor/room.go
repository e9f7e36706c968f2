package doctor

import (
	"strings"

	"linerate/internal/base/unit"
)

// Want is a folder of a host that experiments of the file write to.
type Want struct {
	Place string // as in the fabric file
	Path  string
	Room  unit.Bytes // of their files at one time
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
				out = append(out, problem("%s (%s): %s", w.Path, w.Place, r.Missing).do(h.typed("mkdir", w.Path)+
					"   # or name another path in the file"))
			case r.Kind == "device":
				out = append(out, ok("%s (%s) is a device: nothing is written to it unless --destroy names it", w.Path, w.Place))
			case r.Kind == "file":
				out = append(out, ok("%s (%s) is a file: it is only read", w.Path, w.Place))
			case r.Missing != "":
				out = append(out, problem("%s (%s): %s", w.Path, w.Place, r.Missing).do(h.typed("look", w.Path)+
					"   # let this user write there, or name another folder in the file"))
			case r.Free == nil:
				out = append(out, notKnown("%s (%s): its file system does not say how much is free", w.Path, w.Place))
			case free < w.Room:
				out = append(out, problem("%s (%s): %s are free, and the experiments make files of %s there", w.Path, w.Place, free,
					w.Room).do(h.typed("free", w.Path)+"   # make room, or a smaller span or amount in the file"))
			default:
				out = append(out, ok("%s (%s): %s are free, %s are wanted", w.Path, w.Place, free, w.Room))
			}
		}
		return out
	},
}

// typed returns a command about a path, for the host's system.
func (h *Host) typed(what, path string) string {
	if h.traits().PowerShell {
		return map[string]string{"mkdir": "mkdir", "look": "icacls", "free": "dir"}[what] + ` "` + strings.ReplaceAll(path,
			`"`, "") + `"`
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

// The room that a run needs depends on its experiments. These are only the limits below which it is tight for most, and
// too little for any.
const (
	tightRoom = unit.Bytes(1) << 30
	leastRoom = unit.Bytes(64) << 20
)

var topicFolder = Topic{
	ID: "folder", Why: "a run appends to its folder while it measures",
	all: func(g *Gathered) []Line {
		if g.Folder.Path == "" {
			return nil
		}
		free, known := g.Folder.Free.Get()
		switch {
		case !g.Folder.Write:
			return []Line{problem("%s: runs cannot be kept here, this user may not write",
				g.Folder.Path).here("mkdir -p ~/runs && cd ~/runs   # or name a folder: linerate run FABRIC.yaml -o ~/runs/first")}
		case !known:
			return []Line{notKnown("the file system of %s does not say how much is free: %s", g.Folder.Path,
				g.Folder.Free.Why())}
		case free < leastRoom:
			return []Line{problem("%s: %s are free, and a run ends where it cannot append", g.Folder.Path,
				free).here("du -xsh runs /tmp ~/.cache 2>/dev/null   # or another file system: linerate run FABRIC.yaml -o DIR")}
		case free < tightRoom:
			return []Line{warning("%s: %s are free: enough for short runs", g.Folder.Path,
				free).here("df -h .   # or another file system: linerate run FABRIC.yaml -o DIR")}
		}
		return []Line{ok("%s: %s are free for runs", g.Folder.Path, free)}
	},
}
