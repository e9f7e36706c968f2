package copies

import (
	"fmt"
	"path/filepath"
	"strings"

	"linerate/internal/base/failure"
)

// remote is a path behind ssh, as scp and rsync write it.
func (a task) remote(path string) string {
	user, host, named := strings.Cut(a.SSH, "@")
	if !named {
		user, host = "", a.SSH
	}
	if strings.Contains(host, ":") && !strings.HasPrefix(host, "[") {
		host = "[" + host + "]"
	}
	if named {
		host = user + "@" + host
	}
	return host + ":" + path
}

func scpArgv(a task) ([]string, error) {
	argv := []string{"scp", "-B", "-q", "--"}
	if a.Pull {
		if a.Name != "" || a.Files == 1 {
			return append(argv, a.remote(a.There+"/"+a.names()[0]), a.Here+"/"), nil
		}
		return append(argv, a.remote(a.There+"/file-*"), a.Here+"/"), nil // one connection for all of them
	}
	if a.Files > mostArguments {
		return nil, failure.Errorf(failure.CodeLimit, "files",
			"%d of one stream are above %d, what a command line names; take rsync or more streams", a.Files, mostArguments)
	}
	for _, n := range a.names() {
		argv = append(argv, filepath.Join(a.Here, n))
	}
	return append(argv, a.remote(a.There+"/")), nil
}

func sftpArgv(a task) ([]string, error) {
	var lines []string
	quoted := func(s string) string { return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(s) + `"` }
	for _, n := range a.names() {
		here, there := quoted(filepath.Join(a.Here, n)), quoted(a.There+"/"+n)
		if a.Pull {
			lines = append(lines, "get "+there+" "+here)
		} else {
			lines = append(lines, "put "+here+" "+there)
		}
	}
	batch, err := private(a.private, fmt.Sprintf("sftp-%d", a.number), strings.Join(lines, "\n")+"\n")
	return []string{"sftp", "-q", "-b", batch, "-o", "BatchMode=yes", a.SSH}, err
}

func rsyncArgv(a task) ([]string, error) {
	from, to := a.ends()
	argv := []string{"rsync", "-r", "--whole-file", "--protect-args"}
	if a.SSH != "" {
		argv = append(argv, "-e", "ssh -o BatchMode=yes")
		if a.Pull {
			from = a.remote(from)
		} else {
			to = a.remote(to)
		}
	}
	if a.Name != "" {
		return append(argv, from+"/"+a.Name, to+"/"), nil
	}
	return append(argv, from+"/", to+"/"), nil
}
