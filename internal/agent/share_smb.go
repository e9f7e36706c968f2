package agent

import (
	"context"
	"crypto/rand"
	"fmt"
	"net"
	"net/netip"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"runtime"
	"strings"

	"linerate/internal/host/connect"
	"linerate/internal/traffic"
)

// shareName is the share that Samba has.
const shareName = "linerate"

// lookSbin finds a program of Samba that may be where only administrators look.
func lookSbin(name string) (string, error) { return lookServer(name, "samba") }

// lookServer finds a program of a Debian package that may be where only administrators look.
func lookServer(name, pack string) (string, error) {
	if at, err := exec.LookPath(name); err == nil {
		return at, nil
	}
	for _, dir := range []string{"/usr/sbin", "/usr/local/sbin", "/sbin"} {
		if at, err := exec.LookPath(filepath.Join(dir, name)); err == nil {
			return at, nil
		}
	}
	return "", &traffic.Error{Code: traffic.CodeUnsupported, Subject: name, Text: "it is not on this host (Debian: apt-get install " + pack + ")"}
}

// serveSMB gives the folder of an end out by Samba: a server of its own, with folders, a user and a password of its own, at one address and a port of the system's choice. It
// ends with this process: its keeper sees to that.
func serveSMB(ctx context.Context, local netip.Addr, e *copyEnd) (*shared, error) {
	if runtime.GOOS != "linux" {
		return nil, &traffic.Error{Code: traffic.CodeUnsupported, Subject: "smb", Text: "Samba is started on Linux alone; elsewhere share the folder yourself, and mount it"}
	}
	// It changes its groups for each user, and ends in a panic where it may not: as root of a user's own namespaces, which a lab without root is.
	groups, _ := os.ReadFile("/proc/self/setgroups")
	if os.Geteuid() != 0 || strings.TrimSpace(string(groups)) == "deny" {
		return nil, &traffic.Error{Code: traffic.CodeUnsupported, Subject: "smbd", Text: "Samba has to be root, and to be allowed to change its groups, which this process is not; run it as root, or copy over http"}
	}
	smbd, err := lookSbin("smbd")
	if err != nil {
		return nil, err
	}
	if e.placed.Name != "" {
		return nil, &traffic.Error{Code: traffic.CodeInput, Subject: e.placed.Folder, Text: "a folder of yours is not given out whole for one file; name a folder as source, in which one is made, or copy over http"}
	}
	me, err := user.Current()
	if err != nil {
		return nil, &traffic.Error{Code: traffic.CodeInternal, Subject: "smb", Text: err.Error()}
	}
	place, err := newAppFolder(App{Name: rand.Text()})
	if err != nil {
		return nil, err
	}
	fail := func(code, text string) (*shared, error) {
		place.remove()
		return nil, &traffic.Error{Code: code, Subject: "smbd", Text: text}
	}
	v := Shared{Kind: shareSMB, At: fmt.Sprintf("//%s/%s", local, shareName), User: "lr" + strings.ToLower(rand.Text()[:10]), Password: rand.Text(), What: "Samba's smbd"}
	if v.Port, err = freeSharePort(local); err != nil {
		return fail(traffic.CodeAddress, err.Error())
	}
	dir := place.dir
	for _, name := range []string{"private", "lock", "state", "cache", "pid", "ncalrpc"} {
		if err := os.Mkdir(filepath.Join(dir, name), 0o700); err != nil {
			return fail(traffic.CodeInternal, err.Error())
		}
	}
	conf := filepath.Join(dir, "smb.conf")
	// The random user stands for the one that this process is: Samba wants one that the system knows.
	text := fmt.Sprintf(`[global]
server role = standalone server
workgroup = LINERATE
interfaces = %[1]s
bind interfaces only = yes
smb ports = %[2]d
disable netbios = yes
private dir = %[3]s/private
lock directory = %[3]s/lock
state directory = %[3]s/state
cache directory = %[3]s/cache
pid directory = %[3]s/pid
ncalrpc dir = %[3]s/ncalrpc
passdb backend = tdbsam:%[3]s/private/passdb.tdb
username map = %[3]s/users
log file = %[3]s/log
load printers = no
printcap name = /dev/null
disable spoolss = yes
server min protocol = SMB3
restrict anonymous = 2
[%[4]s]
path = %[5]s
valid users = %[6]s
force user = %[6]s
read only = %[7]s
guest ok = no
strict sync = yes
`, local, v.Port, dir, shareName, e.placed.Folder, me.Username, map[bool]string{true: "yes", false: "no"}[e.source])
	for name, content := range map[string]string{"smb.conf": text, "users": me.Username + " = " + v.User + "\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
			return fail(traffic.CodeInternal, err.Error())
		}
	}
	set, err := lookSbin("smbpasswd")
	if err != nil {
		place.remove()
		return nil, err
	}
	self, err := connect.Open(ctx, connect.Spec{Kind: connect.Local})
	if err != nil {
		return fail(traffic.CodeInternal, err.Error())
	}
	said, err := connect.RunCommand(ctx, self, connect.Command{Argv: []string{set, "-c", conf, "-s", "-a", me.Username}, Env: place.env(nil), Dir: dir, Stdin: strings.NewReader(v.Password + "\n" + v.Password + "\n")})
	if err != nil || said.Exit != 0 {
		return fail(traffic.CodeInternal, fmt.Sprintf("its user could not be made (smbpasswd: exit code %d, %v): %s", said.Exit, err, LastLines(said.Stderr, said.Stdout)))
	}
	end, err := place.serve(ctx, netip.AddrPortFrom(local, uint16(v.Port)), smbd, "-F", "--no-process-group", "-s", conf, "--debug-stdout")
	if err != nil {
		return nil, err
	}
	return &shared{Shared: v, end: end}, nil
}

// freeSharePort is one that nobody listens at just now.
func freeSharePort(local netip.Addr) (int, error) {
	ln, err := net.Listen("tcp", netip.AddrPortFrom(local, 0).String())
	if err != nil {
		return 0, err
	}
	defer ln.Close()
	return ln.Addr().(*net.TCPAddr).Port, nil
}
