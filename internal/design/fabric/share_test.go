package fabric

import (
	"fmt"
	"strings"
	"testing"
)

// TestParseShare reads common forms of shares, and expects no password in messages.
func TestParseShare(t *testing.T) {
	for text, want := range map[string]string{
		`smb //nas/isos`:                     "{smb smb   nas 0 isos }",
		`smb //alice@nas:4450/isos/new`:      "{smb smb  alice nas 4450 isos new}",
		`smb \\nas\isos`:                     "{smb smb   nas 0 isos }",
		`smb smb://WORK;bob@10.0.0.1/a%20b/`: "{smb smb WORK bob 10.0.0.1 0 a b }",
		`ftp ftp://nas`:                      "{ftp ftp   nas 0  }",
		`ftp ftps://bob@nas:2121/pub/x/`:     "{ftp ftps  bob nas 2121  pub/x}",
		`http https://[fd00::1]:8443/dav`:    "{http https   fd00::1 8443  dav}",
		`nfs nas:/srv/a`:                     "{nfs nfs   nas 0  srv/a}",
		`nfs nfs://nas:12049/srv`:            "{nfs nfs   nas 12049  srv}",
		`smb //nas`: "it does not have the form of a share; write " +
			"//[USER@]HOST[:PORT]/SHARE[/FOLDER]",
		`smb nas/isos`: "it does not have the form of a share; write " +
			"//[USER@]HOST[:PORT]/SHARE[/FOLDER]",
		`smb //nas/isos/../x`: "it has .. in its path; omit .. from the path",
		`ftp http://nas/`:     "it does not have the form of a share; write ftp://[USER@]HOST[:PORT]/[FOLDER]",
		`ftp ftp://bob:hunter2@nas/`: "it has a password, and fabric files have none; write USER@HOST alone, and " +
			"login: env:NAME for the password",
		`http http://nas:99999/`: "99999 is not a port from 1 to 65535",
		`nfs nas`: "it does not have the form of a share; write nfs://HOST[:PORT]/FOLDER or " +
			"HOST:/FOLDER",
		`afp afp://nas/x`: `"afp" is not a protocol whose shares are known; ftp, http, nfs, smb are`,
	} {
		kind, address, _ := strings.Cut(text, " ")
		s, err := ParseShare(kind, address)
		type bare Share
		got := fmt.Sprint(bare(s))
		if err != nil {
			got = err.Error()
		}
		if got != want {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
	for text, want := range map[string][2]string{
		"smb //bob@nas:4450/isos/new": {"//nas/isos", "//nas:4450/isos/new"},
		"http https://[fd00::1]:8443": {"https://[fd00::1]:8443", "https://[fd00::1]:8443"},
		"nfs nas:/srv/a":              {"nfs://nas", "nfs://nas/srv/a"},
	} {
		kind, address, _ := strings.Cut(text, " ")
		if s, err := ParseShare(kind, address); err != nil || s.At() != want[0] || s.String() != want[1] {
			t.Errorf("%s: %s, %s, %v", text, s.At(), s, err)
		}
	}
}

func TestBlockLoads(t *testing.T) {
	for text, want := range map[string]int{"SEQ1M-Q8T1": 1, "RND4K-Q32T16:70%": 1, "MIX80-8K-Q8T1": 1,
		"MIX80-8K-Q8T1:100%+MIX20-32K-Q8T1:0%": 2,
		"":                                     0, "MIX0-8K-Q8T1": 0, "MIX8K-Q8T1": 0, "RND4K-Q1T1+RND8K-Q1T1:0%": 0,
		"RND4K-Q1T1:101%": 0, "RND4K-Q1T1:": 0, "RND4K-Q1T1:50%+": 0,
		"RND4K-Q1T1:1%+RND4K-Q1T1:1%+RND4K-Q1T1:1%+RND4K-Q1T1:1%+RND4K-Q1T1:1%+RND4K-Q1T1:1%+RND4K-Q1T1:1%+RND4K-Q1T1:1%+" +
			"RND4K-Q1T1:1%": 0} {
		parts, ok := ParseBlockLoads(text)
		if ok != (want > 0) || ok && len(parts) != want {
			t.Errorf("%q: %+v, %v", text, parts, ok)
		}
	}
	parts, _ := ParseBlockLoads("MIX80-8K-Q8T2:100%+SEQ32K-Q1T1:0%")
	if a, b := parts[0], parts[1]; a.Random != 0.8 || a.Order != "MIX" || a.Size != 8192 || a.Depth != 8 ||
		a.Threads != 2 ||
		a.Read != "100%" ||
		b.Random != 0 ||
		b.Order != "SEQ" ||
		b.Text != "SEQ32K-Q1T1:0%" {
		t.Errorf("%+v", parts)
	}
}
