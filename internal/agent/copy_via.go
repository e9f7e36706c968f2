package agent

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

	"linerate/internal/traffic"
)

// What a copy goes over.
const (
	overPath = "path" // both folders are seen by the host that copies: its own, or mounted there
	overSSH  = "ssh"
)

// copyTool is a tool that people copy with.
type copyTool struct {
	name    string
	over    []string // path, ssh, or kinds of shares
	install string   // how a host gets it
	systems []string // where it is; nil: everywhere
	threads bool     // it has several files under way at once, if it is asked to
	argv    func(copyAsk) ([]string, error)
	// look asks the user's own server for the stream's folder, once before anything is copied; nil: it is not asked.
	look func(copyAsk) ([]string, error)
	// wrong says from exit code and output why it is no copy; nil: the exit code is 0, or it is none.
	wrong func(exit int, text string) (why, code string)
	// own copies without a tool.
	own func(context.Context, Copy, CopyStream) error
}

// copyAsk is what a command line is made of.
type copyAsk struct {
	Copy
	CopyStream
	number  int
	private string // a folder of this user's, for what is not to be seen on a command line
}

// OwnClient is the name of linerate's own client of HTTP among the tools.
const OwnClient = "own"

// copyTools is the table; of those for one way the first that the host has is taken where nobody says.
func copyTools() []copyTool {
	return []copyTool{
		{name: "robocopy", over: []string{overPath}, install: "it is part of Windows", systems: []string{"windows"}, threads: true, argv: robocopyArgv, wrong: robocopyWrong},
		{name: "cp", over: []string{overPath}, install: "it is part of every Unix", argv: cpArgv},
		{name: "smbclient", over: []string{shareSMB}, install: "Debian: apt-get install smbclient", argv: smbclientArgv, look: smbclientLook, wrong: smbclientWrong},
		{name: "curl", over: []string{shareHTTP, shareFTP}, install: "Debian: apt-get install curl", threads: true, argv: curlArgv, look: curlLook, wrong: curlWrong},
		{name: "nfs-cp", over: []string{shareNFS}, install: "Debian: apt-get install libnfs-utils", argv: nfsCopyArgv, look: nfsLook, wrong: nfsCopyWrong},
		{name: OwnClient, over: []string{shareHTTP}, own: copyHTTP},
		{name: "scp", over: []string{overSSH}, install: "Debian: apt-get install openssh-client", argv: scpArgv},
		{name: "sftp", over: []string{overSSH}, install: "Debian: apt-get install openssh-client", argv: sftpArgv},
		{name: "rsync", over: []string{overSSH, overPath}, install: "Debian: apt-get install rsync, on both hosts", argv: rsyncArgv},
	}
}

// CopyTools are the names of the tools, and what each copies over: path, ssh, smb, http, ftp, nfs.
func CopyTools() (names []string, over map[string][]string) {
	over = map[string][]string{}
	for _, t := range copyTools() {
		names = append(names, t.name)
		over[t.name] = t.over
	}
	return names, over
}

// over is what a copy goes over.
func (q Copy) over() string {
	switch {
	case q.Share != nil:
		return q.Share.Kind
	case q.SSH != "":
		return overSSH
	}
	return overPath
}

// toolFor is the tool that was asked for, or the first that this host has, and why it is that one.
func toolFor(q Copy) (copyTool, string, error) {
	over := q.over()
	var missing []string
	for _, t := range copyTools() {
		if q.Via != "" && t.name != q.Via || !slices.Contains(t.over, over) || t.systems != nil && !slices.Contains(t.systems, runtime.GOOS) && q.Via == "" {
			continue
		}
		if t.argv != nil {
			if _, err := exec.LookPath(t.name); err != nil {
				missing = append(missing, fmt.Sprintf("%s is not on this host's PATH (%s)", t.name, t.install))
				continue
			}
		}
		if q.Threads > 1 && !t.threads {
			return copyTool{}, "", &traffic.Error{Code: traffic.CodeInput, Subject: "threads", Text: t.name + " copies one file after another; take streams, which are several copies at once, or robocopy or curl"}
		}
		why := ""
		if len(missing) > 0 {
			why = strings.Join(missing, "; ")
		}
		return t, why, nil
	}
	if len(missing) > 0 {
		return copyTool{}, "", &traffic.Error{Code: traffic.CodeUnsupported, Subject: "via", Text: strings.Join(missing, "; ")}
	}
	var fit []string
	for _, t := range copyTools() {
		if slices.Contains(t.over, over) {
			fit = append(fit, t.name)
		}
	}
	return copyTool{}, "", &traffic.Error{Code: traffic.CodeInput, Subject: "via", Text: fmt.Sprintf("%s does not copy over %s; %s do", q.Via, over, strings.Join(fit, ", "))}
}

// mostArguments is how many files a command line names.
const mostArguments = 10_000

func (a copyAsk) few() error {
	if a.Files > mostArguments {
		return &traffic.Error{Code: traffic.CodeLimit, Subject: "files", Text: fmt.Sprintf("%d of one stream are above %d, what a command line names; take rsync or more streams", a.Files, mostArguments)}
	}
	return nil
}

// ends are where it is copied from and to.
func (a copyAsk) ends() (from, to string) {
	if a.Pull {
		return a.There, a.Here
	}
	return a.Here, a.There
}

func cpArgv(a copyAsk) ([]string, error) {
	from, to := a.ends()
	if a.Name == "" && a.Files > mostNamed {
		return []string{"cp", "-R", from + "/.", to + "/"}, nil
	}
	argv := []string{"cp", "--"}
	for _, n := range a.names() {
		argv = append(argv, filepath.Join(from, n))
	}
	return append(argv, to+string(filepath.Separator)), nil
}

// mostNamed is up to how many files are named, as a person would; more are copied as a folder.
const mostNamed = 16

// robocopyArgv names no retries: by itself it tries a million times, half a minute apart.
func robocopyArgv(a copyAsk) ([]string, error) {
	from, to := a.ends()
	argv := []string{"robocopy", from, to}
	if a.Name != "" || a.Files <= mostNamed {
		argv = append(argv, a.names()...)
	}
	argv = append(argv, "/R:0", "/W:0", "/NP", "/NFL", "/NDL", "/BYTES")
	if a.Threads > 1 {
		argv = append(argv, "/MT:"+strconv.Itoa(a.Threads))
	}
	return argv, nil
}

// robocopyFiles is the row of files in the summary that robocopy ends with: total, copied, skipped, mismatch, failed, extras.
var robocopyFiles = regexp.MustCompile(`(?m)^\s*Files :\s+(\d+)\s+(\d+)\s+(\d+)\s+(\d+)\s+(\d+)\s+(\d+)\s*$`)

// robocopyWrong reads its exit code, whose bits say what it did: 1 copied, 2 extras, 4 mismatches, 8 failures, 16 nothing done.
func robocopyWrong(exit int, text string) (why, code string) {
	rows := robocopyFiles.FindStringSubmatch(text)
	if exit >= 0 && exit < 8 && rows != nil && rows[5] == "0" && rows[2] == rows[1] {
		return "", ""
	}
	if rows != nil {
		return fmt.Sprintf("robocopy ended with exit code %d: of %s files it copied %s and failed at %s", exit, rows[1], rows[2], rows[5]), traffic.CodeInternal
	}
	return fmt.Sprintf("robocopy ended with exit code %d, without its summary", exit), traffic.CodeInternal
}

// smbclientAt is smbclient at a folder of the share. At a terminal it would ask for a password; here it has what it is told, or what it knows by itself.
func smbclientAt(a copyAsk) ([]string, error) {
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
		return nil, &traffic.Error{Code: traffic.CodeInput, Subject: a.Here, Text: `smbclient's commands cannot name a path with ", ; or a line's end`}
	}
	if in := a.Share.in(a.There); in != "" {
		argv = append(argv, "-D", in)
	}
	return argv, nil
}

// smbclientLook goes into the folder and out again.
func smbclientLook(a copyAsk) ([]string, error) {
	argv, err := smbclientAt(a)
	return append(argv, "-c", "pwd"), err
}

func smbclientArgv(a copyAsk) ([]string, error) {
	argv, err := smbclientAt(a)
	if err != nil {
		return nil, err
	}
	commands := []string{fmt.Sprintf(`lcd "%s"`, a.Here), "prompt OFF"}
	do := "put"
	if a.Pull {
		do = "get"
	}
	if a.Name != "" || a.Files <= mostNamed {
		for _, n := range a.names() {
			commands = append(commands, fmt.Sprintf(`%s "%s"`, do, n))
		}
	} else {
		commands = append(commands, "m"+do+" file-*")
	}
	return append(argv, "-c", strings.Join(commands, "; ")), nil
}

// smbclientWrong looks for the status of a refusal, too: a command that failed is not always in its exit code.
func smbclientWrong(exit int, text string) (why, code string) {
	status := regexp.MustCompile(`NT_STATUS_[A-Z_]+`).FindString(text)
	switch {
	case status == "NT_STATUS_LOGON_FAILURE" || status == "NT_STATUS_ACCESS_DENIED" && strings.Contains(text, "session setup failed"):
		return "the server refuses the user or the password (" + status + "), which was tried once", traffic.CodeRefused
	case status == "NT_STATUS_ACCESS_DENIED":
		return "the server does not allow this user to do that (" + status + ")", traffic.CodeInput
	case status == "NT_STATUS_BAD_NETWORK_NAME":
		return "the server has no share of that name (" + status + ")", traffic.CodeInput
	case status == "NT_STATUS_OBJECT_NAME_NOT_FOUND" || status == "NT_STATUS_OBJECT_PATH_NOT_FOUND":
		return "what is copied is not in the share (" + status + ")", traffic.CodeInput
	case status == "NT_STATUS_CONNECTION_REFUSED" || status == "NT_STATUS_HOST_UNREACHABLE" || status == "NT_STATUS_IO_TIMEOUT" || status == "NT_STATUS_NOT_FOUND":
		return "the server does not answer at its address (" + status + ")", traffic.CodeUnreachable
	case status == "NT_STATUS_DISK_FULL":
		return fullTarget + " (" + status + ")", traffic.CodeLimit
	case status != "" && status != "NT_STATUS_OK":
		return "the server says " + status, traffic.CodeInternal
	case exit != 0:
		return fmt.Sprintf("smbclient ended with exit code %d", exit), traffic.CodeInternal
	}
	return "", ""
}

// stallTime is how long a copy of curl may stand still.
const stallTime = 30

// curlConfig writes a configuration for curl, for what its lines hold is nobody else's, and returns its command.
func curlConfig(a copyAsk, name string, more ...string) ([]string, error) {
	lines := []string{"fail", "silent", "show-error", `noproxy = "*"`, "connect-timeout = 10", "speed-limit = 1", "speed-time = " + strconv.Itoa(stallTime)}
	if a.Share.User != "" && a.Share.Password != "" {
		lines = append(lines, "user = "+curlQuoted(a.Share.User+":"+a.Share.Password))
	} else if a.Share.Theirs {
		lines = append(lines, "netrc-optional")
	}
	config, err := private(a.private, fmt.Sprintf("%s-%d", name, a.number), strings.Join(append(lines, more...), "\n")+"\n")
	return []string{"curl", "-q", "-K", config}, err
}

func curlQuoted(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`).Replace(s) + `"`
}

// curlLook asks for the names in the folder over FTP; over HTTP, which has no folders, for the head of the first file, or, where files are written, for what may be done there.
func curlLook(a copyAsk) ([]string, error) {
	switch {
	case a.Share.Kind == shareFTP:
		return curlConfig(a, "look", "list-only", "url = "+curlQuoted(a.Share.url(a.There, "")+"/"))
	case a.Pull:
		return curlConfig(a, "look", "head", "url = "+curlQuoted(a.Share.url(a.There, a.names()[0])))
	}
	return curlConfig(a, "look", `request = "OPTIONS"`, "url = "+curlQuoted(a.Share.url(a.There, "")+"/"))
}

func curlArgv(a copyAsk) ([]string, error) {
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

// curlWrong reads its exit codes (curl(1), EXIT CODES), and the answer of linerate's own server to a file for which there is no room.
func curlWrong(exit int, text string) (why, code string) {
	switch {
	case exit == 0:
		return "", ""
	case strings.Contains(text, "error: 507"), exit == 23 && strings.Contains(text, noSpace):
		return fullTarget, traffic.CodeLimit
	case exit == 18 || exit == 55 || exit == 56 || exit == 52:
		return fmt.Sprintf("the server is gone in the middle (curl: exit code %d)", exit), traffic.CodeReset
	case exit == 7:
		return "the server does not answer at its address (curl: exit code 7)", traffic.CodeUnreachable
	case exit == 28:
		return fmt.Sprintf("nothing came for %d s, or no connection within 10 s (curl: exit code 28)", stallTime), traffic.CodeTimeout
	case exit == 6:
		return "the name of the server is not known on this host (curl: exit code 6)", traffic.CodeInput
	case exit == 67 && !strings.Contains(text, ": 530"):
		return "the server lets nobody in like this (curl: exit code 67)", traffic.CodeInternal // OOPS of vsftpd: its configuration
	case exit == 67, exit == 22 && curlRefused.MatchString(text):
		return fmt.Sprintf("the server refuses the user or the password (curl: exit code %d), which was tried once", exit), traffic.CodeRefused
	case exit == 9, exit == 78, exit == 22 && curlMissing.MatchString(text):
		return fmt.Sprintf("what is copied is not in the share, or its user may not see it (curl: exit code %d)", exit), traffic.CodeInput
	case exit == 25, exit == 22 && curlForbidden.MatchString(text):
		return fmt.Sprintf("the server does not allow this user to write there (curl: exit code %d)", exit), traffic.CodeInput
	}
	return fmt.Sprintf("curl ended with exit code %d", exit), traffic.CodeInternal
}

// What curl says of an HTTP server's answers (option --fail).
var curlRefused, curlMissing, curlForbidden = regexp.MustCompile(`error: 40[17]\b`), regexp.MustCompile(`error: 404\b`), regexp.MustCompile(`error: (403|405|501)\b`)

// noSpace is what the tools print of ENOSPC, fullTarget what is said of it.
const noSpace, fullTarget = "No space left on device", "the file system of the target is full; lower amount, or make room"

// remote is a path behind ssh, as scp and rsync write it.
func (a copyAsk) remote(path string) string {
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

func scpArgv(a copyAsk) ([]string, error) {
	argv := []string{"scp", "-B", "-q", "--"}
	if a.Pull {
		if a.Name != "" || a.Files == 1 {
			return append(argv, a.remote(a.There+"/"+a.names()[0]), a.Here+"/"), nil
		}
		return append(argv, a.remote(a.There+"/file-*"), a.Here+"/"), nil // one connection for all of them
	}
	if err := a.few(); err != nil {
		return nil, err
	}
	for _, n := range a.names() {
		argv = append(argv, filepath.Join(a.Here, n))
	}
	return append(argv, a.remote(a.There+"/")), nil
}

func sftpArgv(a copyAsk) ([]string, error) {
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

func rsyncArgv(a copyAsk) ([]string, error) {
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

// shown is a command line as a person reads it.
func shown(argv []string) string {
	var words []string
	for _, w := range argv {
		if strings.ContainsAny(w, " \t\"'") {
			w = strconv.Quote(w)
		}
		words = append(words, w)
	}
	const most = 400
	text := printable(strings.Join(words, " "))
	if len(text) > most {
		text = strings.ToValidUTF8(text[:most], "") + ".."
	}
	return text
}
