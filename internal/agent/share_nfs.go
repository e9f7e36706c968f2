package agent

import (
	"context"
	"crypto/rand"
	"fmt"
	"net"
	"net/netip"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"linerate/internal/traffic"
)

// serveNFS gives the folder of an end out by nfs-ganesha, NFS 4 alone: it needs no rpcbind, no mountd and no kernel, at one address, a port of the system's choice, and to the one
// address that asks. Its files are in a folder of its own; it ends with this process: its keeper sees to that.
func serveNFS(ctx context.Context, local, peer netip.Addr, e *copyEnd) (*shared, error) {
	refuse := func(code, text string) (*shared, error) {
		return nil, &traffic.Error{Code: code, Subject: "ganesha.nfsd", Text: text}
	}
	if runtime.GOOS != "linux" {
		return refuse(traffic.CodeUnsupported, "nfs-ganesha is started on Linux alone; elsewhere export the folder yourself, and mount it")
	}
	if why := handlesRefused(e.placed.Folder); why != "" {
		return refuse(traffic.CodeUnsupported, "nfs-ganesha opens files by their handles, which "+why+"; run it as root on a file system of the machine's, or copy over http")
	}
	if at := rpcbindHere(); at != "" {
		return refuse(traffic.CodeUnsupported, "rpcbind answers at "+at+", and nfs-ganesha would write itself down there in place of the host's own NFS server; export the folder yourself, and mount it, or copy over http")
	}
	program, err := lookServer("ganesha.nfsd", "nfs-ganesha nfs-ganesha-vfs")
	if err != nil {
		return nil, err
	}
	if e.placed.Name != "" {
		return nil, &traffic.Error{Code: traffic.CodeInput, Subject: e.placed.Folder, Text: "a folder of yours is not given out whole for one file; name a folder as source, in which one is made, or copy over http"}
	}
	if strings.ContainsAny(e.placed.Folder, "\"\n\\") || !peer.IsValid() {
		return nil, &traffic.Error{Code: traffic.CodeInput, Subject: e.placed.Folder, Text: "nfs-ganesha's configuration cannot name it, or the address that asks is not known"}
	}
	place, err := newAppFolder(App{Name: rand.Text()})
	if err != nil {
		return nil, err
	}
	fail := func(code, text string) (*shared, error) {
		place.remove()
		return refuse(code, text)
	}
	v := Shared{Kind: shareNFS, Prefix: "linerate-" + rand.Text(), What: "nfs-ganesha, NFS 4"}
	if v.Port, err = freeSharePort(local); err != nil {
		return fail(traffic.CodeAddress, err.Error())
	}
	v.At = "nfs://" + netip.AddrPortFrom(local, uint16(v.Port)).String()
	conf := filepath.Join(place.dir, "ganesha.conf")
	text := fmt.Sprintf(`NFS_CORE_PARAM { NFS_Port = %[1]d; NFS_Protocols = 4; Bind_addr = %[2]s; Enable_NLM = false; Enable_RQUOTA = false; Enable_UDP = false; }
NFSV4 { Graceless = true; Minor_Versions = 0, 1, 2; Delegations = false; Only_Numeric_Owners = true; RecoveryBackend = fs; RecoveryRoot = "%[3]s/recovery"; }
NFS_KRB5 { Active_krb5 = false; CCacheDir = "%[3]s"; }
LOG { Default_Log_Level = WARN; }
EXPORT {
  Export_Id = 1; Path = "%[4]s"; Pseudo = "/%[5]s"; Protocols = 4; Transports = TCP; SecType = sys; Squash = no_root_squash; Access_Type = None;
  FSAL { Name = VFS; }
  CLIENT { Clients = %[6]s; Access_Type = %[7]s; }
}
`, v.Port, local, place.dir, e.placed.Folder, v.Prefix, peer, map[bool]string{true: "RO", false: "RW"}[e.source])
	if err := os.Mkdir(filepath.Join(place.dir, "recovery"), 0o700); err != nil {
		return fail(traffic.CodeInternal, err.Error())
	}
	if err := os.WriteFile(conf, []byte(text), 0o600); err != nil {
		return fail(traffic.CodeInternal, err.Error())
	}
	end, err := place.serve(ctx, netip.AddrPortFrom(local, uint16(v.Port)), program, "-F", "-f", conf, "-L", "/dev/stderr", "-p", filepath.Join(place.dir, "pid"))
	if err != nil {
		return nil, err
	}
	return &shared{Shared: v, end: end}, nil
}

// rpcbindHere is where the host's rpcbind answers; empty: nowhere.
func rpcbindHere() string {
	for _, at := range [][2]string{{"unix", "/run/rpcbind.sock"}, {"unix", "/var/run/rpcbind.sock"}, {"tcp", "127.0.0.1:111"}} {
		if c, err := net.DialTimeout(at[0], at[1], time.Second); err == nil {
			c.Close()
			return at[1]
		}
	}
	return ""
}
