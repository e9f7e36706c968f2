package copies

import (
	"context"
	"crypto/rand"
	"fmt"
	"net"
	"net/netip"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"linerate/internal/agent/process"
	"linerate/internal/base/failure"
)

// serveNFS shares the folder of an end by nfs-ganesha, NFS 4 alone, at one address and a port of the system's choice,
// with one other address. It needs no rpcbind, no mountd and no kernel. Its files are in a folder of its own. It ends
// with this process: its keeper removes what is left.
func serveNFS(ctx context.Context, local, peer netip.Addr, e *End) (*share, error) {
	refuse := func(code, text string) (*share, error) {
		return nil, &failure.Error{Code: code, Subject: "ganesha.nfsd", Text: text}
	}
	if runtime.GOOS != "linux" {
		return refuse(failure.CodeUnsupported,
			"nfs-ganesha is started on Linux alone; elsewhere export the folder yourself, and mount it")
	}
	if why := handlesRefused(e.placed.Folder); why != "" {
		return refuse(failure.CodeUnsupported,
			"nfs-ganesha opens files by their handles, which "+why+"; run it as root on a file system of the machine's, or "+
				"copy over http")
	}
	if at := rpcbindHere(); at != "" {
		return refuse(failure.CodeUnsupported,
			"rpcbind answers at "+at+", and nfs-ganesha would write itself down there in place of the host's own NFS server; "+
				"export the folder yourself, and mount it, or copy over http")
	}
	program, err := lookServer("ganesha.nfsd", "nfs-ganesha nfs-ganesha-vfs")
	if err != nil {
		return nil, err
	}
	if err := e.shareable(); err != nil {
		return nil, err
	}
	if strings.ContainsAny(e.placed.Folder, "\"\n\\") || !peer.IsValid() {
		return nil, &failure.Error{Code: failure.CodeInput, Subject: e.placed.Folder,
			Text: "nfs-ganesha's configuration cannot name it, or the address that asks is not known"}
	}
	place, err := process.NewFolder(rand.Text())
	if err != nil {
		return nil, err
	}
	fail := func(code string, err error) (*share, error) {
		place.Remove()
		return refuse(code, err.Error())
	}
	at, err := process.FreePort(local)
	if err != nil {
		return fail(failure.CodeAddress, err)
	}
	v := Shared{Kind: NFS, At: "nfs://" + at.String(), Port: int(at.Port()), Prefix: "linerate-" + rand.Text(),
		What: "nfs-ganesha, NFS 4"}
	text := fmt.Sprintf(
		`NFS_CORE_PARAM { NFS_Port = %[1]d; NFS_Protocols = 4; Bind_addr = %[2]s; Enable_NLM = false; Enable_RQUOTA = false; Enable_UDP = false; }
NFSV4 { Graceless = true; Minor_Versions = 0, 1, 2; Delegations = false; Only_Numeric_Owners = true; RecoveryBackend = fs; RecoveryRoot = "%[3]s/recovery"; }
NFS_KRB5 { Active_krb5 = false; CCacheDir = "%[3]s"; }
LOG { Default_Log_Level = WARN; }
EXPORT {
  Export_Id = 1; Path = "%[4]s"; Pseudo = "/%[5]s"; Protocols = 4; Transports = TCP; SecType = sys; Squash = no_root_squash; Access_Type = None;
  FSAL { Name = VFS; }
  CLIENT { Clients = %[6]s; Access_Type = %[7]s; }
}
`,
		v.Port, local, place.Dir, e.placed.Folder, v.Prefix, peer, map[bool]string{true: "RO", false: "RW"}[e.source])
	if err := writeFiles(place.Dir, map[string]string{"ganesha.conf": text}, "recovery"); err != nil {
		return fail(failure.CodeInternal, err)
	}
	end, err := place.Serve(ctx, at, program, "-F", "-f", filepath.Join(place.Dir, "ganesha.conf"), "-L", "/dev/stderr",
		"-p", filepath.Join(place.Dir, "pid"))
	if err != nil {
		return nil, err
	}
	return &share{Shared: v, end: end}, nil
}

// rpcbindHere is the address at which the host's rpcbind answers; empty: it does not run.
func rpcbindHere() string {
	for _, at := range [][2]string{{"unix", "/run/rpcbind.sock"}, {"unix", "/var/run/rpcbind.sock"},
		{"tcp", "127.0.0.1:111"}} {
		if c, err := net.DialTimeout(at[0], at[1], time.Second); err == nil {
			c.Close()
			return at[1]
		}
	}
	return ""
}
