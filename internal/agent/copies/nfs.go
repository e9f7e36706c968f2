package copies

import (
	"fmt"
	"path/filepath"
	"regexp"
	"strings"

	"linerate/internal/base/failure"
)

// nfsURL is a URL of libnfs (README of libnfs, "NFS URL-format"): NFS 4, which needs neither rpcbind nor mountd. The
// port is among the arguments, because version 4.0 does not accept it behind the address.
func (a task) nfsURL(name string) string {
	at, path, _ := strings.Cut(strings.TrimPrefix(a.Share.url(a.There, name), "nfs://"), "/")
	args := "?version=4"
	if a.Share.Port > 0 {
		at = strings.TrimSuffix(at, fmt.Sprintf(":%d", a.Share.Port))
		args += fmt.Sprintf("&nfsport=%d", a.Share.Port)
	}
	return "nfs://" + at + "/" + path + args
}

// nfsLook lists the folder.
func nfsLook(a task) ([]string, error) { return []string{"nfs-ls", a.nfsURL("")}, nil }

// nfsCopyArgv is nfs-cp, which copies one file. For several files a shell calls it for one after another.
func nfsCopyArgv(a task) ([]string, error) {
	if strings.ContainsAny(a.Share.Prefix+a.There+a.Name, "?&#%") {
		return nil, &failure.Error{Code: failure.CodeInput, Subject: a.There,
			Text: "libnfs' URLs cannot name a path with ?, &, # or %"}
	}
	var all [][]string
	for _, n := range a.names() {
		from, to := filepath.Join(a.Here, n), a.nfsURL(n)
		if a.Pull {
			from, to = to, from
		}
		all = append(all, []string{"nfs-cp", from, to})
	}
	if len(all) == 1 {
		return all[0], nil
	}
	var lines strings.Builder
	for _, argv := range all {
		for i, word := range argv {
			if i > 0 {
				word = " '" + strings.ReplaceAll(word, "'", `'\''`) + "'"
			}
			lines.WriteString(word)
		}
		lines.WriteString(" || exit\n")
	}
	script, err := private(a.private, fmt.Sprintf("nfs-cp-%d", a.number), lines.String())
	return []string{"sh", script}, err
}

var nfsError = regexp.MustCompile(`NFS[34]ERR_[A-Z_]+`)

// nfsNotWritten is what nfs-cp prints of a file that it could not write at either end. libnfs 4.0 cannot write over NFS
// 4 (pull request 319 of sahlberg/libnfs corrects it).
const nfsNotWritten = "Failed to write to dest file"

// nfsCopyWrong reads what libnfs prints: NFS's own name of an error.
func nfsCopyWrong(exit int, text string) (why, code string) {
	status := nfsError.FindString(text)
	switch {
	case strings.HasSuffix(status, "ERR_NOSPC") || strings.HasSuffix(status, "ERR_DQUOT") ||
		strings.Contains(text, noSpace):
		return fullTarget, failure.CodeLimit
	case strings.HasSuffix(status, "ERR_NOENT"):
		return "what is copied is not in the share (" + status + ")", failure.CodeInput
	case strings.HasSuffix(status, "ERR_ACCESS") || strings.HasSuffix(status, "ERR_PERM") ||
		strings.HasSuffix(status, "ERR_ACCES"):
		return "the server does not allow this user to do that (" + status + ")", failure.CodeInput
	case exit == 0 && status == "":
		return "", ""
	case strings.Contains(text, nfsNotWritten):
		return "nfs-cp could not write, and does not say why: the target may be full; and libnfs before 5 (Debian 12 has " +
				"4.0) writes no more than 4 KB at once over NFS 4, so that it copies from an export, but not to one",
			failure.CodeInternal
	case status != "":
		return "the server says " + status, failure.CodeInternal
	}
	return fmt.Sprintf("nfs-cp ended with exit code %d", exit), failure.CodeInternal
}
