package copies

import (
	"context"
	"fmt"
	"os/exec"
	"path/filepath"
	"regexp"
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

// robocopyArgv asks for no retries: by default robocopy tries a million times, every half minute.
func robocopyArgv(a task) ([]string, error) {
	from, to := a.ends()
	argv := []string{"robocopy", from, to}
	if a.named() {
		argv = append(argv, a.names()...)
	}
	argv = append(argv, "/R:0", "/W:0", "/NP", "/NFL", "/NDL", "/BYTES")
	if a.Threads > 1 {
		argv = append(argv, "/MT:"+strconv.Itoa(a.Threads))
	}
	return argv, nil
}

// robocopyFiles is the row of files in robocopy's summary: total, copied, skipped, mismatch, failed, extras.
var robocopyFiles = regexp.MustCompile(`(?m)^\s*Files :\s+(\d+)\s+(\d+)\s+(\d+)\s+(\d+)\s+(\d+)\s+(\d+)\s*$`)

// robocopyWrong reads the exit code, whose bits are: 1 copied, 2 extras, 4 mismatches, 8 failures, 16 nothing done.
func robocopyWrong(exit int, text string) (why, code string) {
	rows := robocopyFiles.FindStringSubmatch(text)
	if exit >= 0 && exit < 8 && rows != nil && rows[5] == "0" && rows[2] == rows[1] {
		return "", ""
	}
	if rows != nil {
		return fmt.Sprintf("robocopy ended with exit code %d: of %s files it copied %s and failed at %s", exit, rows[1],
			rows[2], rows[5]), failure.CodeInternal
	}
	return fmt.Sprintf("robocopy ended with exit code %d, without its summary", exit), failure.CodeInternal
}

// smbclientAt is smbclient in a folder of the share. Without a terminal it does not ask for a password: it uses the one
// that it gets, or a ticket of Kerberos.
func smbclientAt(a task) ([]string, error) {
	argv := []string{"smbclient", a.Share.At}
	if a.Share.Port > 0 {
		argv = append(argv, "-p", strconv.Itoa(a.Share.Port))
	}
	if a.Share.User != "" && a.Share.Password != "" {
		text := fmt.Sprintf("username=%s\npassword=%s\n", a.Share.User, a.Share.Password)
		if a.Share.Domain != "" {
			text += "domain=" + a.Share.Domain + "\n"
		}
		auth, err := private(a.private, fmt.Sprintf("auth-%d", a.number), text)
		if err != nil {
			return nil, err
		}
		argv = append(argv, "-A", auth)
	} else if a.Share.User != "" {
		user := a.Share.User
		if a.Share.Domain != "" {
			user = a.Share.Domain + `\` + user
		}
		argv = append(argv, "-U", user)
	}
	if strings.ContainsAny(a.Here+a.There+a.Name+a.Share.Prefix, "\";\n") {
		return nil, &failure.Error{Code: failure.CodeInput, Subject: a.Here,
			Text: `smbclient's commands cannot name a path with ", ; or a line's end`}
	}
	if in := a.Share.in(a.There); in != "" {
		argv = append(argv, "-D", in)
	}
	return argv, nil
}

// smbclientLook changes to the folder and ends.
func smbclientLook(a task) ([]string, error) {
	argv, err := smbclientAt(a)
	return append(argv, "-c", "pwd"), err
}

func smbclientArgv(a task) ([]string, error) {
	argv, err := smbclientAt(a)
	if err != nil {
		return nil, err
	}
	commands := []string{fmt.Sprintf(`lcd "%s"`, a.Here), "prompt OFF"}
	do := "put"
	if a.Pull {
		do = "get"
	}
	if a.named() {
		for _, n := range a.names() {
			commands = append(commands, fmt.Sprintf(`%s "%s"`, do, n))
		}
	} else {
		commands = append(commands, "m"+do+" file-*")
	}
	return append(argv, "-c", strings.Join(commands, "; ")), nil
}

// smbclientWrong reads the status, too: the exit code does not show every command that has failed.
func smbclientWrong(exit int, text string) (why, code string) {
	status := regexp.MustCompile(`NT_STATUS_[A-Z_]+`).FindString(text)
	in := " (" + status + ")"
	switch strings.TrimPrefix(status, "NT_STATUS_") {
	case "LOGON_FAILURE":
		return "the server refuses the user or the password" + in + ", which was tried once", failure.CodeRefused
	case "ACCESS_DENIED":
		if strings.Contains(text, "session setup failed") {
			return "the server refuses the user or the password" + in + ", which was tried once", failure.CodeRefused
		}
		return "the server does not allow this user to do that" + in, failure.CodeInput
	case "BAD_NETWORK_NAME":
		return "the server has no share of that name" + in, failure.CodeInput
	case "OBJECT_NAME_NOT_FOUND", "OBJECT_PATH_NOT_FOUND":
		return "what is copied is not in the share" + in, failure.CodeInput
	case "CONNECTION_REFUSED", "HOST_UNREACHABLE", "IO_TIMEOUT", "NOT_FOUND":
		return "the server does not answer at its address" + in, failure.CodeUnreachable
	case "DISK_FULL":
		return fullTarget + in, failure.CodeLimit
	case "", "OK":
		if exit != 0 {
			return fmt.Sprintf("smbclient ended with exit code %d", exit), failure.CodeInternal
		}
		return "", ""
	}
	return "the server says " + status, failure.CodeInternal
}

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

const (
	// noSpace is what the tools print of ENOSPC.
	noSpace = "No space left on device"
	// fullTarget is linerate's message for it.
	fullTarget = "the file system of the target is full; lower amount, or make room"
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
