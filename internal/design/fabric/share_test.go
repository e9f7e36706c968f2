package fabric

import (
	"fmt"
	"strings"
	"testing"
)

// Shares are read as people write them, and no message shows a password.
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
		`smb //nas`:                          "it is no share over smb, which is written //[USER@]HOST[:PORT]/SHARE[/FOLDER]",
		`smb nas/isos`:                       "it is no share over smb, which is written //[USER@]HOST[:PORT]/SHARE[/FOLDER]",
		`smb //nas/isos/../x`:                "it has .. in its path; write where it leads",
		`ftp http://nas/`:                    "it is no share over ftp, which is written ftp://[USER@]HOST[:PORT]/[FOLDER]",
		`ftp ftp://bob:hunter2@nas/`:         "it has a password, and fabric files hold none; write USER@HOST alone, and login: env:NAME for the password",
		`http http://nas:99999/`:             "99999 is no port from 1 to 65535",
		`nfs nas`:                            "it is no share over nfs, which is written nfs://HOST[:PORT]/FOLDER or HOST:/FOLDER",
		`afp afp://nas/x`:                    `"afp" is no protocol whose shares are known; ftp, http, nfs, smb are`,
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
