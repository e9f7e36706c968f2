package storage

import (
	"net/netip"
	"strings"

	"linerate/internal/facts"
	"linerate/internal/facts/parse"
)

// parseMounts reads the network file systems in /proc/mounts: SERVER:/EXPORT, the folder, the kind, the options, two
// numbers. NFS has the server's address as addr=, and more than one connection as nconnect=; SMB also has addr=.
// Format: https://man7.org/linux/man-pages/man5/proc_mounts.5.html, nfs(5), mount.cifs(8)
func parseMounts(text []byte) ([]facts.Mount, error) {
	mounts, lines := []facts.Mount{}, 0
	for line := range strings.Lines(string(text)) {
		words := strings.Fields(line)
		if len(words) >= 5 && len(words) == 5 && strings.HasPrefix(words[1], "nfs") { // truncated: without its server
			lines++
			continue
		}
		if len(words) != 6 {
			continue
		}
		lines++
		if !networked(words[2]) {
			continue
		}
		m := facts.Mount{From: words[0], At: words[1], Kind: words[2], Options: map[string]string{}}
		for o := range strings.SplitSeq(words[3], ",") {
			key, value, _ := strings.Cut(o, "=")
			m.Options[key] = value
		}
		m.Server, _ = netip.ParseAddr(m.Options["addr"])
		m.Line = facts.OneLine(line)
		mounts = append(mounts, m)
	}
	if lines == 0 {
		return nil, parse.ToolError(text)
	}
	return mounts, nil
}

// networked reports whether a kind of file system is of a server.
func networked(kind string) bool {
	return kind == "nfs" || kind == "nfs4" || kind == "cifs" || kind == "smb3"
}

// KeepMounts removes all other file systems.
func KeepMounts(text []byte) []byte {
	out := []byte{}
	for line := range strings.Lines(string(text)) {
		if words := strings.Fields(line); len(words) == 6 && (networked(words[2]) || words[1] == "/") {
			out = append(out, line...)
		}
	}
	return out
}

func putMounts(f *parse.Builder, _ []string, mounts []facts.Mount) {
	for i := range mounts {
		mounts[i].Source = f.Reading
	}
	f.Storage.Mounts = mounts
}
