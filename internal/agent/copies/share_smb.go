package copies

import (
	"context"
	"crypto/rand"
	"fmt"
	"net/netip"
	"os"
	"os/user"
	"path/filepath"
	"runtime"
	"strings"

	"linerate/internal/agent/process"
	"linerate/internal/base/failure"
	"linerate/internal/host/connect"
)

// shareName is the name of the share.
const shareName = "linerate"

// serveSMB shares the folder of an end by Samba: a server with folders, a user and a password of its own, at one
// address and a port of the system's choice. It ends with this process: its keeper removes what is left.
func serveSMB(ctx context.Context, local netip.Addr, e *End) (*share, error) {
	if runtime.GOOS != "linux" {
		return nil, &failure.Error{Code: failure.CodeUnsupported, Subject: "smb",
			Text: "Samba is started on Linux alone; elsewhere share the folder yourself, and mount it"}
	}
	// Samba changes its groups for each user. It panics where it may not: as root of a user's own namespaces, as in a lab
	// without root.
	groups, _ := os.ReadFile("/proc/self/setgroups")
	if os.Geteuid() != 0 || strings.TrimSpace(string(groups)) == "deny" {
		return nil, &failure.Error{Code: failure.CodeUnsupported, Subject: "smbd",
			Text: "Samba has to be root, and to be allowed to change its groups, which this process is not; run it as root, " +
				"or copy over http"}
	}
	smbd, err := lookServer("smbd", "samba")
	if err != nil {
		return nil, err
	}
	if err := e.shareable(); err != nil {
		return nil, err
	}
	me, err := user.Current()
	if err != nil {
		return nil, &failure.Error{Code: failure.CodeInternal, Subject: "smb", Text: err.Error()}
	}
	place, err := process.NewFolder(rand.Text())
	if err != nil {
		return nil, err
	}
	fail := func(code, text string) (*share, error) {
		place.Remove()
		return nil, &failure.Error{Code: code, Subject: "smbd", Text: text}
	}
	at, err := process.FreePort(local)
	if err != nil {
		return fail(failure.CodeAddress, err.Error())
	}
	v := Shared{Kind: SMB, At: fmt.Sprintf("//%s/%s", local, shareName), Port: int(at.Port()),
		User: "lr" + strings.ToLower(rand.Text()[:10]), Password: rand.Text(), What: "Samba's smbd"}
	dir := place.Dir
	conf := filepath.Join(dir, "smb.conf")
	// The file users maps the random user to the user of this process: Samba needs one that the system knows.
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
	err = writeFiles(dir, map[string]string{"smb.conf": text, "users": me.Username + " = " + v.User + "\n"},
		"private", "lock", "state", "cache", "pid", "ncalrpc")
	if err != nil {
		return fail(failure.CodeInternal, err.Error())
	}
	set, err := lookServer("smbpasswd", "samba")
	if err != nil {
		place.Remove()
		return nil, err
	}
	self, err := connect.Open(ctx, connect.Spec{Kind: connect.Local})
	if err != nil {
		return fail(failure.CodeInternal, err.Error())
	}
	said, err := connect.RunCommand(ctx, self,
		connect.Command{Argv: []string{set, "-c", conf, "-s", "-a", me.Username}, Env: place.Env(), Dir: dir,
			Stdin: strings.NewReader(v.Password + "\n" + v.Password + "\n")})
	if err != nil || said.Exit != 0 {
		return fail(failure.CodeInternal, fmt.Sprintf("its user could not be made (smbpasswd: exit code %d, %v): %s",
			said.Exit, err, process.LastLines(said.Stderr, said.Stdout)))
	}
	end, err := place.Serve(ctx, at, smbd, "-F", "--no-process-group", "-s", conf, "--debug-stdout")
	if err != nil {
		return nil, err
	}
	return &share{Shared: v, end: end}, nil
}
