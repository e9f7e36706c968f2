package doctor

import "linerate/internal/base/unit"

// How much room a run wants hangs on its experiments; these two say only what is tight for any, and too little for one.
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
			return []Line{problem("%s: runs cannot be kept here, this user may not write", g.Folder.Path).here("mkdir -p ~/runs && cd ~/runs   # or name a folder: linerate run FABRIC.yaml -o ~/runs/first")}
		case !known:
			return []Line{notKnown("the file system of %s does not say how much is free: %s", g.Folder.Path, g.Folder.Free.Why())}
		case free < leastRoom:
			return []Line{problem("%s: %s are free, and a run ends where it cannot append", g.Folder.Path, free).here("du -xsh runs /tmp ~/.cache 2>/dev/null   # or another file system: linerate run FABRIC.yaml -o DIR")}
		case free < tightRoom:
			return []Line{warning("%s: %s are free: enough for short runs", g.Folder.Path, free).here("df -h .   # or another file system: linerate run FABRIC.yaml -o DIR")}
		}
		return []Line{ok("%s: %s are free for runs", g.Folder.Path, free)}
	},
}
