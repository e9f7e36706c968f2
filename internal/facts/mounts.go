package facts

import (
	"net/netip"
	"strconv"
	"strings"
)

// parseMounts reads /proc/mounts: SERVER:/EXPORT, the folder, the kind, the options, two numbers. Those of network file systems count.
// NFS says its server's address as addr=, and how many connections as nconnect= where it is more than one; SMB says addr= too.
// Format: https://man7.org/linux/man-pages/man5/proc_mounts.5.html, nfs(5), mount.cifs(8)
func parseMounts(text []byte) ([]Mount, error) {
	mounts, lines := []Mount{}, 0
	for line := range strings.Lines(string(text)) {
		words := strings.Fields(line)
		if len(words) >= 5 && len(words) == 5 && strings.HasPrefix(words[1], "nfs") { // cut: without its server
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
		m := Mount{From: words[0], At: words[1], Kind: words[2], Options: map[string]string{}}
		for o := range strings.SplitSeq(words[3], ",") {
			key, value, _ := strings.Cut(o, "=")
			m.Options[key] = value
		}
		m.Server, _ = netip.ParseAddr(m.Options["addr"])
		m.Line = oneLine(line)
		mounts = append(mounts, m)
	}
	if lines == 0 {
		return nil, toolError(text)
	}
	return mounts, nil
}

// networked says whether a kind of file system is of a server.
func networked(kind string) bool {
	return kind == "nfs" || kind == "nfs4" || kind == "cifs" || kind == "smb3"
}

// keepMounts leaves the network file systems alone.
func keepMounts(text []byte) []byte {
	out := []byte{}
	for line := range strings.Lines(string(text)) {
		if words := strings.Fields(line); len(words) == 6 && (networked(words[2]) || words[1] == "/") {
			out = append(out, line...)
		}
	}
	return out
}

func putMounts(f *Facts, _ []string, mounts []Mount) {
	for i := range mounts {
		mounts[i].Source = f.reading
	}
	f.Storage.Mounts = mounts
}

// atoi is a number that is not negative, or -1.
func atoi(s string) int {
	n, err := strconv.Atoi(s)
	if err != nil || n < 0 {
		return -1
	}
	return n
}
