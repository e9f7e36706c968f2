package agent

import (
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"os/user"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"linerate/internal/agent/copies"
	"linerate/internal/agent/process"
	"linerate/internal/base/failure"
	"linerate/internal/base/unit"
	"linerate/internal/host/connect/connecttest"
	"linerate/internal/testenv"
	"linerate/internal/traffic"
)

// theirServer is a user's own server: a folder, which belongs to the server's user, and how to connect.
type theirServer struct {
	share  copies.Shared
	folder string
	prefix string // of the folder in the share
	log    string // a file in which it writes logins
	failed string // what the log has for each login that it refused
}

// theirFolder is a folder of user daemon, as which the servers below write.
func theirFolder(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	daemon, err := user.Lookup("daemon")
	if err != nil {
		testenv.Missing(t, err.Error())
	}
	uid, _ := strconv.Atoi(daemon.Uid)
	gid, _ := strconv.Atoi(daemon.Gid)
	testenv.Check(t, errors.Join(os.Chown(dir, uid, gid), os.Chmod(dir, 0o750), os.Chmod(filepath.Dir(dir), 0o755)))
	return dir
}

// startTheirs starts a program that serves at a port of 127.0.0.1, and waits until it does.
func startTheirs(t *testing.T, port int, argv ...string) {
	t.Helper()
	at, err := process.Look(argv[0])
	if err != nil {
		testenv.Missing(t, "the program "+argv[0])
	}
	cmd := exec.Command(at, argv[1:]...)
	var said strings.Builder
	cmd.Stdout, cmd.Stderr = &said, &said
	testenv.Check(t, cmd.Start())
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	for end := time.Now().Add(time.Minute); ; time.Sleep(20 * time.Millisecond) {
		c, err := net.Dial("tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(port)))
		if err == nil {
			c.Close()
			return
		}
		if time.Now().After(end) {
			t.Fatalf("%s does not serve: %v", argv[0], err)
		}
	}
}

// aPort is a port at which nothing listens now.
func aPort(t *testing.T) int {
	t.Helper()
	at := testenv.Must(process.FreePort(loopback))(t)
	return int(at.Port())
}

// theirSMB is Samba with a share isos, and a user alice of its own.
func theirSMB(t *testing.T) theirServer {
	dir, port := t.TempDir(), aPort(t)
	s := theirServer{folder: theirFolder(t), log: filepath.Join(dir, "log"), failed: "NT_STATUS_WRONG_PASSWORD"}
	s.share = copies.Shared{Kind: copies.SMB, At: "//127.0.0.1/isos", Port: port, User: "alice", Password: "right",
		Theirs: true}
	conf := filepath.Join(dir, "smb.conf")
	text := fmt.Sprintf("[global]\nserver role = standalone server\ninterfaces = 127.0.0.1\nbind interfaces only = "+
		"yes\nsmb ports = %[2]d\ndisable netbios = yes\nload printers = no\n"+
		"private dir = %[1]s\nlock directory = %[1]s\nstate directory = %[1]s\ncache directory = %[1]s\npid directory = "+
		"%[1]s\nncalrpc dir = %[1]s/ncalrpc\nlog file = %[1]s/log\n"+
		"log level = 1 auth_audit:2\nusername map = %[1]s/users\n[isos]\npath = %[3]s\nread only = no\n", dir, port, s.folder)
	for name, content := range map[string]string{"smb.conf": text, "users": "daemon = alice\n"} {
		testenv.WriteFile(t, filepath.Join(dir, name), []byte(content), 0o600)
	}
	set, err := process.Look("smbpasswd")
	if err != nil {
		testenv.Missing(t, "the program smbpasswd")
	}
	cmd := exec.Command(set, "-c", conf, "-s", "-a", "daemon")
	cmd.Stdin = strings.NewReader("right\nright\n")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	startTheirs(t, port, "smbd", "-F", "--no-process-group", "-s", conf)
	return s
}

// theirFTP is vsftpd, to which one name and password may log in.
func theirFTP(t *testing.T) theirServer {
	dir, port := t.TempDir(), aPort(t)
	s := theirServer{folder: theirFolder(t), log: filepath.Join(dir, "log"), failed: "FAIL LOGIN"}
	s.share = copies.Shared{Kind: copies.FTP, At: fmt.Sprintf("ftp://127.0.0.1:%d", port), User: "anonymous",
		Password: "right", Theirs: true}
	program := "/usr/sbin/vsftpd"
	if _, err := os.Stat(program); err != nil {
		program = filepath.Join(connecttest.Debs(t, "vsftpd"), program)
	}
	text := fmt.Sprintf(
		"listen=YES\nlisten_address=127.0.0.1\nlisten_port=%d\nbackground=NO\nanonymous_enable=YES\nlocal_enable=NO\n"+
			"write_enable=YES\nanon_upload_enable=YES\nanon_world_readable_only=NO\nanon_umask=022\nftp_username=daemon\n"+
			"anon_root=%s\nsecure_email_list_enable=YES\nemail_password_file=%s/passwords\nxferlog_enable=YES\n"+
			"xferlog_std_format=NO\nvsftpd_log_file=%[3]s/log\nsecure_chroot_dir=%[3]s/empty\nconnect_from_port_20=NO\n"+
			"seccomp_sandbox=NO\n", port, filepath.Dir(s.folder), dir)
	s.prefix = filepath.Base(s.folder) // vsftpd refuses a root to which the user may write
	testenv.Check(t, os.Mkdir(filepath.Join(dir, "empty"), 0o755))
	for name, content := range map[string]string{"conf": text, "passwords": "right\n"} {
		testenv.WriteFile(t, filepath.Join(dir, name), []byte(content), 0o600)
	}
	startTheirs(t, port, program, filepath.Join(dir, "conf"))
	return s
}

// theirHTTP is Python's own server, from which files can only be read.
func theirHTTP(t *testing.T) theirServer {
	port := aPort(t)
	s := theirServer{folder: theirFolder(t)}
	s.share = copies.Shared{Kind: copies.HTTP, At: fmt.Sprintf("http://127.0.0.1:%d", port), Theirs: true}
	startTheirs(t, port, "python3", "-m", "http.server", "--bind", "127.0.0.1", "--directory", s.folder,
		strconv.Itoa(port))
	return s
}

// A user's own server can read and write what is made in its folder, and what arrives is what was copied. A refused
// login or a wrong folder is an error after one login, whatever the number of copies.
func TestCopyTheirServer(t *testing.T) {
	testenv.Need(t, testenv.Live)
	testenv.NeedRoot(t)
	for name, start := range map[string]func(*testing.T) theirServer{"smb": theirSMB, "ftp": theirFTP, "http": theirHTTP} {
		t.Run(name, func(t *testing.T) {
			their := start(t)
			c := mustStart(t)
			var folders []string // of all ends, which the agent removes behind its last answer
			make := func(source, target string) (copies.Placed, copies.Placed) {
				a := testenv.Must(c.CopyEnd(t.Context(), copies.EndRequest{Op: copies.Source, Path: source, Amount: unit.MiB + 17,
					Files: 40, Streams: 2, Seed: 1, Open: source == their.folder}))(t)
				b, err := c.CopyEnd(t.Context(), copies.EndRequest{Op: copies.Target, Path: target, Amount: a.Bytes, Streams: 2,
					Open: target == their.folder})
				if err != nil {
					t.Fatal(err)
				}
				folders = append(folders, a.Folder, b.Folder)
				return a, b
			}
			q := copies.Copy{}
			for _, pull := range []bool{true, false} {
				if !pull && name == "http" {
					continue
				}
				v := their.share
				source, target := make(t.TempDir(), their.folder)
				v.Prefix = path.Join(their.prefix, filepath.Base(target.Folder))
				if pull {
					source, target = make(their.folder, t.TempDir())
					v.Prefix, v.What = path.Join(their.prefix, filepath.Base(source.Folder)), "\x00pull"
				}
				q.Share = &v
				out := copied(t, c, q, source, target, 2, inShare)
				for _, e := range out.Streams {
					if e.Wrong != "" {
						t.Errorf("%s: %+v", out.Command, e)
					}
				}
				s, err := c.CopyEnd(t.Context(), copies.EndRequest{Op: copies.Sync, End: target.End})
				if err != nil || s.Files != 40 {
					t.Errorf("synced: %+v, %v", s, err)
				}
				same(t, c, source, target)
			}
			source, target := make(their.folder, t.TempDir())
			refused := func(v copies.Shared, code, says string) {
				t.Helper()
				q := copies.Copy{Share: &v, Threads: map[string]int{"ftp": 8}[name],
					AtNS: traffic.Now() + c.Clock().Nanoseconds + int64(jobLead), Limit: 10 * time.Minute}
				for n := range 2 {
					q.Streams = append(q.Streams, copies.Stream{Pull: true, Here: filepath.Join(target.Folder, copies.StreamFolder(n)),
						There: copies.StreamFolder(n), First: n, Step: 2, Files: 20})
				}
				_, err := c.Copy(t.Context(), q)
				var e *failure.Error
				if !errors.As(err, &e) || e.Code != code || !strings.Contains(e.Text, says) ||
					strings.Contains(err.Error(), "wrong1") {
					t.Errorf("%v, want %s: %s", err, code, says)
				}
			}
			v := their.share
			v.Prefix = "elsewhere"
			refused(v, failure.CodeInput, "the share has to begin at the path of its drive")
			if their.failed != "" {
				v.Prefix, v.Password = path.Join(their.prefix, filepath.Base(source.Folder)), "wrong1"
				refused(v, failure.CodeRefused, "refuses the user or the password")
				if log, err := os.ReadFile(their.log); err != nil || strings.Count(string(log), their.failed) != 1 {
					t.Errorf("the server's log has %d refused logins, want 1 (%v):\n%s", strings.Count(string(log), their.failed),
						err, log)
				}
			}
			c.Close()
			removed(t, folders...)
			if left, err := os.ReadDir(their.folder); err != nil || len(left) > 0 {
				t.Errorf("left with the server: %v, %v", left, err)
			}
		})
	}
}
