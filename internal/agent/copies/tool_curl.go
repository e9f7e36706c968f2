package copies

import (
	"fmt"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"linerate/internal/base/failure"
)

// stallTime is how many seconds curl waits for the next byte.
const stallTime = 30

// curlConfig writes a configuration for curl, so that its lines are not on a command line, and returns curl's command.
func curlConfig(a task, name string, more ...string) ([]string, error) {
	lines := []string{"fail", "silent", "show-error", `noproxy = "*"`, "connect-timeout = 10", "speed-limit = 1",
		"speed-time = " + strconv.Itoa(stallTime)}
	if a.Share.User != "" && a.Share.Password != "" {
		lines = append(lines, "user = "+curlQuoted(a.Share.User+":"+a.Share.Password))
	} else if a.Share.Theirs {
		lines = append(lines, "netrc-optional")
	}
	config, err := private(a.private, fmt.Sprintf("%s-%d", name, a.number),
		strings.Join(append(lines, more...), "\n")+"\n")
	return []string{"curl", "-q", "-K", config}, err
}

func curlQuoted(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`).Replace(s) + `"`
}

// curlLook queries the names in the folder over FTP. Over HTTP, which has no folders, it queries the headers of the
// first file, or, where files are written, the methods that are allowed.
func curlLook(a task) ([]string, error) {
	switch {
	case a.Share.Kind == FTP:
		return curlConfig(a, "look", "list-only", "url = "+curlQuoted(a.Share.url(a.There, "")+"/"))
	case a.Pull:
		return curlConfig(a, "look", "head", "url = "+curlQuoted(a.Share.url(a.There, a.names()[0])))
	}
	return curlConfig(a, "look", `request = "OPTIONS"`, "url = "+curlQuoted(a.Share.url(a.There, "")+"/"))
}

func curlArgv(a task) ([]string, error) {
	lines := []string{"fail-early"}
	if a.Threads > 1 {
		lines = []string{"parallel", "parallel-max = " + strconv.Itoa(a.Threads)}
	}
	local := "upload-file"
	if a.Pull {
		local = "output"
	}
	for _, n := range a.names() {
		lines = append(lines, "url = "+curlQuoted(a.Share.url(a.There, n)), local+" = "+curlQuoted(filepath.Join(a.Here, n)))
	}
	return curlConfig(a, "curl", lines...)
}

// curlWrong reads the exit code (curl(1), EXIT CODES), and the answer of linerate's own server to a file for which
// there is no space.
func curlWrong(exit int, text string) (why, code string) {
	switch {
	case exit == 0:
		return "", ""
	case strings.Contains(text, "error: 507"), exit == 23 && strings.Contains(text, noSpace):
		return fullTarget, failure.CodeLimit
	case exit == 18 || exit == 55 || exit == 56 || exit == 52:
		return fmt.Sprintf("the server is gone in the middle (curl: exit code %d)", exit), failure.CodeReset
	case exit == 7:
		return "the server does not answer at its address (curl: exit code 7)", failure.CodeUnreachable
	case exit == 28:
		return fmt.Sprintf("nothing came for %d s, or no connection within 10 s (curl: exit code 28)", stallTime),
			failure.CodeTimeout
	case exit == 6:
		return "the name of the server is not known on this host (curl: exit code 6)", failure.CodeInput
	case exit == 67 && !strings.Contains(text, ": 530"):
		// OOPS of vsftpd: its configuration
		return "the server refuses this login (curl: exit code 67)", failure.CodeInternal
	case exit == 67, exit == 22 && curlRefused.MatchString(text):
		return fmt.Sprintf("the server refuses the user or the password (curl: exit code %d), which was tried once", exit),
			failure.CodeRefused
	case exit == 9, exit == 78, exit == 22 && curlMissing.MatchString(text):
		return fmt.Sprintf("what is copied is not in the share, or its user may not see it (curl: exit code %d)", exit),
			failure.CodeInput
	case exit == 25, exit == 22 && curlForbidden.MatchString(text):
		return fmt.Sprintf("the server does not allow this user to write there (curl: exit code %d)", exit), failure.CodeInput
	}
	return fmt.Sprintf("curl ended with exit code %d", exit), failure.CodeInternal
}

// What curl prints of an HTTP server's answers (option --fail).
var (
	curlRefused   = regexp.MustCompile(`error: 40[17]\b`)
	curlMissing   = regexp.MustCompile(`error: 404\b`)
	curlForbidden = regexp.MustCompile(`error: (403|405|501)\b`)
)
