//go:build linux

package connecttest

import (
	"bytes"
	"fmt"
	"net"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"linerate/internal/testenv"
)

// Server is a real sshd in a network namespace of its own.
type Server struct {
	Dest      string // its name for the ssh on PATH
	Namespace string
	Address   string
	Home      string // of the sessions
	Config    string // the client's configuration file; tests append to it
	Process   *os.Process
	Log       *Log
}

// Log is the server's output.
type Log struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (l *Log) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.buf.Write(p)
}

func (l *Log) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.buf.String()
}

// Cheap are lines of a client's configuration with the cheapest modern key exchange and cipher: the suite makes some
// hundred connections, and copies the program over most.
const Cheap = "KexAlgorithms curve25519-sha256\nCiphers aes128-gcm@openssh.com\n"

// SSHD starts a server and puts an ssh on PATH that connects to it as Server.Dest with the test's own keys. The user's
// ssh configuration, keys and agent are not used. The lines of more are appended to sshd's configuration.
func SSHD(t *testing.T, more ...string) *Server {
	t.Helper()
	return SSHDAfter(t, ":", more...)
}

// SSHDAfter is SSHD with a shell script that runs first in the server's own mount namespace: only the server's sessions
// see its mounts. $HOME is their home.
func SSHDAfter(t *testing.T, script string, more ...string) *Server {
	t.Helper()
	name := Namespace(t)
	sshd := firstOf("/usr/sbin/sshd", "/usr/local/sbin/sshd")
	if sshd == "" {
		testenv.Missing(t, "the program sshd (Debian: openssh-server)")
	}
	ssh, err := exec.LookPath("ssh")
	if err != nil {
		testenv.Missing(t, "the program ssh (Debian: openssh-client)")
	}
	if _, err := exec.LookPath("unshare"); err != nil {
		testenv.Missing(t, "the program unshare (Debian: util-linux)")
	}
	dir := t.TempDir()
	file := func(name, text string, mode os.FileMode) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), mode); err != nil {
			t.Fatal(err)
		}
		return path
	}
	hostKey, userKey := key(t, dir, "host"), key(t, dir, "user")
	me, err := user.Current()
	if err != nil {
		t.Fatal(err)
	}
	address := connectSSH(t, name)
	// bash reads .bashrc for a command over ssh unless SHLVL shows a parent shell. A user's .bashrc may wait for locks,
	// which a session that is killed meanwhile leaves behind.
	config := "SetEnv SHLVL=1\n" + fmt.Sprintf(
		"ListenAddress %s:22\nHostKey %s\nAuthorizedKeysFile %s.pub\nPidFile none\nStrictModes no\nUsePAM no\n"+
			"PermitRootLogin prohibit-password\nPasswordAuthentication no\nKbdInteractiveAuthentication no\nMaxStartups "+
			"100\nMaxSessions 100\nSubsystem sftp internal-sftp\n",
		address,
		hostKey,
		userKey,
	)
	for _, line := range more {
		config += line + "\n"
	}
	public, err := os.ReadFile(hostKey + ".pub")
	if err != nil {
		t.Fatal(err)
	}
	s := &Server{Dest: "far", Namespace: name, Address: address, Home: me.HomeDir, Log: new(Log)}
	known := file("known_hosts", address+" "+string(public), 0o600)
	s.Config = file(
		"ssh_config",
		Cheap+fmt.Sprintf(
			"Host far\nHostName %s\nUser %s\nIdentityFile %s\nIdentitiesOnly yes\nIdentityAgent none\nUserKnownHostsFile "+
				"%s\nGlobalKnownHostsFile /dev/null\n",
			address,
			me.Username,
			userKey,
			known,
		),
		0o600,
	)
	os.Mkdir("/run/sshd", 0o755) // sshd needs it; the package's service makes it
	// Each of these programs executes the next in its own process: a kill hits sshd.
	cmd := exec.Command("unshare", "--mount", "--propagation", "private", "sh", "-e", "-c", script+"\nexec \"$@\"", "sh",
		"ip", "netns", "exec", name, sshd, "-D", "-e", "-f", file("sshd_config", config, 0o600))
	// sshd uses the home in the user database, whatever the test's environment has.
	cmd.Env = append(os.Environ(), "HOME="+s.Home)
	cmd.Stderr, cmd.WaitDelay = s.Log, time.Second
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	s.Process = cmd.Process
	t.Cleanup(func() { cmd.Process.Kill(); cmd.Wait() })
	bin := filepath.Join(dir, "bin")
	if err := os.Mkdir(bin, 0o700); err != nil {
		t.Fatal(err)
	}
	file("bin/ssh", fmt.Sprintf("#!/bin/sh\nexec %s -F %s \"$@\"\n", ssh, s.Config), 0o700)
	t.Setenv("PATH", bin+":"+os.Getenv("PATH"))
	waitPort(t, address+":22", s.Log)
	return s
}

// AppendConfig adds lines to the client's configuration of the host.
func (s *Server) AppendConfig(t testing.TB, lines string) {
	t.Helper()
	f, err := os.OpenFile(s.Config, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := f.WriteString(lines); err != nil {
		t.Fatal(err)
	}
}

func key(t *testing.T, dir, name string) string {
	path := filepath.Join(dir, name)
	if out, err := exec.Command("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", name, "-f", path).
		CombinedOutput(); err != nil {
		t.Fatalf("ssh-keygen: %v: %s", err, out)
	}
	return path
}

// connectSSH connects this namespace and the named one by a veth pair and returns the address at the other end. The
// addresses are of the range for network tests (RFC 2544), one /30 a process.
func connectSSH(t *testing.T, name string) string {
	n := os.Getpid()*4 + int(namespaces.Load())
	net4 := fmt.Sprintf("198.19.%d.%d", n/64%256, n%64*4)
	base := net.ParseIP(net4).To4()
	near := fmt.Sprintf("%d.%d.%d.%d", base[0], base[1], base[2], base[3]+1)
	far := fmt.Sprintf("%d.%d.%d.%d", base[0], base[1], base[2], base[3]+2)
	link := fmt.Sprintf("lrt%d", n%1000000)
	IP(t, "link", "add", link, "type", "veth", "peer", "name", "far", "netns", name)
	t.Cleanup(func() { exec.Command("ip", "link", "del", link).Run() })
	IP(t, "address", "add", near+"/30", "dev", link)
	IP(t, "link", "set", link, "up")
	IP(t, "-n", name, "address", "add", far+"/30", "dev", "far")
	IP(t, "-n", name, "link", "set", "far", "up")
	return far
}

func waitPort(t *testing.T, address string, log *Log) {
	for end := time.Now().Add(time.Minute); ; time.Sleep(20 * time.Millisecond) {
		c, err := net.DialTimeout("tcp", address, time.Second)
		if err == nil {
			c.Close()
			return
		}
		if time.Now().After(end) {
			t.Fatalf("sshd on %s: %v: %s", address, err, log)
		}
	}
}
