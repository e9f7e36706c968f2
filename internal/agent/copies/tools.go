package copies

import (
	"context"
	"fmt"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"linerate/internal/agent/process"
	"linerate/internal/base/failure"
)

// What a copy goes over.
const (
	overPath = "path" // both folders are on the host that copies, or mounted there
	overSSH  = "ssh"
)

// tool is a tool that people copy with.
type tool struct {
	name    string
	over    []string // path, ssh, or kinds of shares
	install string   // how a host gets it
	systems []string // where it is; nil: everywhere
	threads bool     // it can copy several files at once
	argv    func(task) ([]string, error)
	// look queries the user's own server for the stream's folder, once before anything is copied; nil: there is no query.
	look func(task) ([]string, error)
	// wrong is why it is not a copy, by exit code and output; nil: it is one if the exit code is 0.
	wrong func(exit int, text string) (why, code string)
	// own copies without a tool.
	own func(context.Context, Copy, Stream) error
}

// task is what a command line is made of.
type task struct {
	Copy
	Stream
	number  int
	private string // a folder of this user's, for what must not be on a command line
}

// OwnClient is the name of linerate's own client of HTTP among the tools.
const OwnClient = "own"

// tools is the table. By default the first tool is used that the host has and that copies over what is asked for.
func tools() []tool {
	return []tool{
		{name: "robocopy", over: []string{overPath}, install: "it is part of Windows", systems: []string{"windows"},
			threads: true, argv: robocopyArgv, wrong: robocopyWrong},
		{name: "cp", over: []string{overPath}, install: "it is part of every Unix", argv: cpArgv},
		{name: "smbclient", over: []string{SMB}, install: "Debian: apt-get install smbclient", argv: smbclientArgv,
			look: smbclientLook, wrong: smbclientWrong},
		{name: "curl", over: []string{HTTP, FTP}, install: "Debian: apt-get install curl", threads: true,
			argv: curlArgv, look: curlLook, wrong: curlWrong},
		{name: "nfs-cp", over: []string{NFS}, install: "Debian: apt-get install libnfs-utils", argv: nfsCopyArgv,
			look: nfsLook, wrong: nfsCopyWrong},
		{name: OwnClient, over: []string{HTTP}, own: copyHTTP},
		{name: "scp", over: []string{overSSH}, install: "Debian: apt-get install openssh-client", argv: scpArgv},
		{name: "sftp", over: []string{overSSH}, install: "Debian: apt-get install openssh-client", argv: sftpArgv},
		{name: "rsync", over: []string{overSSH, overPath}, install: "Debian: apt-get install rsync, on both hosts",
			argv: rsyncArgv},
	}
}

// Tools are the names of the tools, and what each copies over: path, ssh, smb, http, ftp, nfs.
func Tools() (names []string, over map[string][]string) {
	over = map[string][]string{}
	for _, t := range tools() {
		names = append(names, t.name)
		over[t.name] = t.over
	}
	return names, over
}

// over is the kind of connection between the two folders.
func (q Copy) over() string {
	switch {
	case q.Share != nil:
		return q.Share.Kind
	case q.SSH != "":
		return overSSH
	}
	return overPath
}

// toolFor is the tool that is asked for, or the first that this host has, and which tools before it are missing.
func toolFor(q Copy) (tool, string, error) {
	over := q.over()
	var missing []string
	for _, t := range tools() {
		if q.Via != "" && t.name != q.Via || !slices.Contains(t.over, over) || t.systems != nil &&
			!slices.Contains(t.systems, runtime.GOOS) && q.Via == "" {
			continue
		}
		if t.argv != nil {
			if _, err := exec.LookPath(t.name); err != nil {
				missing = append(missing, fmt.Sprintf("%s is not on this host's PATH (%s)", t.name, t.install))
				continue
			}
		}
		if q.Threads > 1 && !t.threads {
			return tool{}, "", failure.Errorf(failure.CodeInput, "threads", "%s copies one file after another; take streams, "+
				"which are several copies at once, or robocopy or curl", t.name)
		}
		return t, strings.Join(missing, "; "), nil
	}
	if len(missing) > 0 {
		return tool{}, "", failure.Errorf(failure.CodeUnsupported, "via", "%s", strings.Join(missing, "; "))
	}
	var fit []string
	for _, t := range tools() {
		if slices.Contains(t.over, over) {
			fit = append(fit, t.name)
		}
	}
	return tool{}, "", failure.Errorf(failure.CodeInput, "via", "%s does not copy over %s; %s do", q.Via, over,
		strings.Join(fit, ", "))
}

const (
	// mostNamed is the most files that are named on a command line, as a user would; more are copied as a folder.
	mostNamed = 16
	// mostArguments is the most files that a command line can name.
	mostArguments = 10_000
)

// named reports whether the command line names the files.
func (a task) named() bool { return a.Name != "" || a.Files <= mostNamed }

// ends are the folders that it copies from and to.
func (a task) ends() (from, to string) {
	if a.Pull {
		return a.There, a.Here
	}
	return a.Here, a.There
}

func cpArgv(a task) ([]string, error) {
	from, to := a.ends()
	if !a.named() {
		return []string{"cp", "-R", from + "/.", to + "/"}, nil
	}
	argv := []string{"cp", "--"}
	for _, n := range a.names() {
		argv = append(argv, filepath.Join(from, n))
	}
	return append(argv, to+string(filepath.Separator)), nil
}

const (
	// noSpace is what the tools print of ENOSPC.
	noSpace = "No space left on device"
	// fullTarget is linerate's message for it.
	fullTarget = "the file system of the target is full; lower amount, or make room"
)

// shown is a command line as messages have it.
func shown(argv []string) string {
	var words []string
	for _, w := range argv {
		if strings.ContainsAny(w, " \t\"'") {
			w = strconv.Quote(w)
		}
		words = append(words, w)
	}
	const most = 400
	text := process.Printable(strings.Join(words, " "))
	if len(text) > most {
		text = strings.ToValidUTF8(text[:most], "") + ".."
	}
	return text
}
