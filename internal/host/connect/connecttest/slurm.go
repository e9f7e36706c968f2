//go:build linux

package connecttest

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"linerate/internal/testenv"
)

// Cluster is a real Slurm: slurmctld and munged in this namespace, and a slurmd for each node with a network, a host
// name and mounts of its own. Its partitions are all (the default), down, and other, which has only the first node. One
// more node than Nodes is configured and never starts: its name is Down.
type Cluster struct {
	Nodes     []string // host names
	Addresses []string // of the nodes, on one network
	Down      string
	dir       string
}

// Slurm starts a cluster and points SLURM_CONF at it.
func Slurm(t *testing.T, nodes int) *Cluster {
	t.Helper()
	testenv.Need(t, testenv.Slurm)
	testenv.NeedRoot(t)
	for _, p := range [][2]string{{"slurmctld", "slurmctld"}, {"slurmd", "slurmd"}, {"srun", "slurm-client"},
		{"munged", "munge"}, {"ip", "iproute2"}, {"unshare", "util-linux"}} {
		if firstOf("/usr/sbin/"+p[0], "/usr/bin/"+p[0], "/sbin/"+p[0], "/bin/"+p[0]) == "" {
			testenv.Missing(t, fmt.Sprintf("the program %s (Debian: %s)", p[0], p[1]))
		}
	}
	// Not the test's TempDir: munged requires that every folder above its socket belongs to it or to root, and short
	// names.
	dir, err := os.MkdirTemp("/tmp", "lrslurm")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	c := &Cluster{dir: dir}
	n := os.Getpid()%16000*4 + int(namespaces.Add(1))
	// A /28 of the range for network tests (RFC 2544), which differs between concurrent processes.
	address := func(host int) string { return fmt.Sprintf("198.18.%d.%d", n/16%256, n%16*16+host) }
	bridge := fmt.Sprintf("lrs%d", n)
	IP(t, "link", "add", bridge, "type", "bridge")
	t.Cleanup(func() { exec.Command("ip", "link", "del", bridge).Run() })
	IP(t, "address", "add", address(1)+"/28", "dev", bridge)
	IP(t, "link", "set", bridge, "up")
	c.munge(t)
	var lines string
	for i := range nodes + 1 {
		name, at := fmt.Sprintf("n%d", i+1), address(i+2)
		if i < nodes {
			c.Nodes, c.Addresses = append(c.Nodes, name), append(c.Addresses, at)
		} else {
			c.Down = name
		}
		lines += fmt.Sprintf("NodeName=%s NodeAddr=%s CPUs=4\n", name, at)
	}
	host, err := os.Hostname()
	if err != nil {
		t.Fatal(err)
	}
	host, _, _ = strings.Cut(host, ".")
	port := 20000 + n%6000*2 // below those that the system assigns
	// This plugin needs neither cgroups nor systemd, which nodes in a container do not have.
	c.write(t, "cgroup.conf", "CgroupPlugin=cgroup/v1\n")
	conf := c.write(t, "slurm.conf", fmt.Sprintf(`ClusterName=linerate
SlurmctldHost=%s(%s)
SlurmctldPort=%d
SlurmdPort=%d
SlurmUser=root
AuthType=auth/munge
AuthInfo=socket=%[5]s/munge.sock
StateSaveLocation=%[5]s/state
SlurmdSpoolDir=%[5]s/spool.%%n
SlurmctldPidFile=%[5]s/slurmctld.pid
SlurmdPidFile=%[5]s/slurmd.%%n.pid
ProctrackType=proctrack/pgid
TaskPlugin=task/none
MpiDefault=none
JobAcctGatherType=jobacct_gather/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
ReturnToService=2
KillWait=1
SlurmdParameters=config_overrides
%[6]sPartitionName=all Nodes=%[7]s Default=YES MaxTime=60 State=UP
PartitionName=down Nodes=%[7]s State=DOWN
PartitionName=other Nodes=n1 MaxTime=60 State=UP
`, host, address(1), port, port+1, dir, lines, strings.Join(append(c.Nodes[:nodes:nodes], c.Down), ",")))
	if err := os.Mkdir(filepath.Join(dir, "state"), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("SLURM_CONF", conf)
	t.Setenv("SLURM_JOB_ID", "")
	c.start(t, "slurmctld", exec.Command("slurmctld", "-D", "-i"))
	for i, name := range c.Nodes {
		ns := namespace(t)
		near := fmt.Sprintf("%s-%d", bridge, i)
		IP(t, "link", "add", near, "type", "veth", "peer", "name", "eth0", "netns", ns)
		IP(t, "link", "set", near, "master", bridge, "up")
		IP(t, "-n", ns, "address", "add", c.Addresses[i]+"/28", "dev", "eth0")
		IP(t, "-n", ns, "link", "set", "eth0", "up")
		c.start(
			t,
			name,
			exec.Command("ip", "netns", "exec", ns, "unshare", "--uts", "--mount", "--propagation", "private", "sh", "-c",
				`hostname "$1" && mkdir "$2/private.$1" "$2/private" 2>/dev/null; mount --bind "$2/private.$1" "$2/private" && exec slurmd -D`,
				"sh", name, dir),
		)
	}
	for end := time.Now().Add(2 * time.Minute); ; time.Sleep(50 * time.Millisecond) {
		out, err := exec.Command("sinfo", "-h", "-N", "-p", "all", "-t", "idle", "-o", "%N").Output()
		if err == nil && len(strings.Fields(string(out))) >= nodes {
			break
		}
		if time.Now().After(end) {
			t.Fatalf("Slurm did not start: %v: %s\n%s", err, out, c.Logs())
		}
	}
	// This is done last, so that Slurm does not expect the node to come up.
	if out, err := exec.Command("scontrol", "update", "NodeName="+c.Down, "State=DOWN", "Reason=power supply").
		CombinedOutput(); err != nil {
		t.Fatalf("scontrol: %v: %s", err, out)
	}
	return c
}

// Private returns a folder that each node has for itself: its files are not shared.
func (c *Cluster) Private() string { return filepath.Join(c.dir, "private") }

// munge starts a munged for the test, with which Slurm's daemons and programs authenticate each other.
func (c *Cluster) munge(t *testing.T) {
	key := make([]byte, 128)
	for i := range key {
		key[i] = byte(i * 7)
	}
	path := c.write(t, "munge.key", string(key))
	if err := os.Chmod(path, 0o600); err != nil {
		t.Fatal(err)
	}
	c.start(
		t,
		"munged",
		exec.Command("munged", "--foreground", "--force", "--key-file="+path, "--socket="+c.dir+"/munge.sock",
			"--pid-file="+c.dir+"/munged.pid", "--seed-file="+c.dir+"/munged.seed", "--log-file="+c.dir+"/munged.own.log"),
	)
	for end := time.Now().Add(time.Minute); ; time.Sleep(20 * time.Millisecond) {
		if _, err := os.Stat(c.dir + "/munge.sock"); err == nil {
			return
		}
		if time.Now().After(end) {
			t.Fatalf("munged did not start: %s", c.Logs())
		}
	}
}

func (c *Cluster) write(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(c.dir, name)
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

// start starts a daemon, which ends with the test.
func (c *Cluster) start(t *testing.T, name string, cmd *exec.Cmd) {
	t.Helper()
	log, err := os.Create(filepath.Join(c.dir, name+".log"))
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	cmd.Stdout, cmd.Stderr = log, log
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
		cmd.Wait()
	})
}

// Logs returns the end of each daemon's log.
func (c *Cluster) Logs() string {
	var b strings.Builder
	files, _ := filepath.Glob(c.dir + "/*.log")
	for _, f := range files {
		text, _ := os.ReadFile(f)
		fmt.Fprintf(&b, "%s:\n%s\n", filepath.Base(f), text[max(0, len(text)-1500):])
	}
	return b.String()
}

// Steps lists the job steps in Slurm, one a line.
func (c *Cluster) Steps(t testing.TB) string {
	return c.ask(t, "squeue", "-h", "--steps", "-o", "%i %j %N")
}

// Jobs lists the jobs in Slurm, one a line.
func (c *Cluster) Jobs(t testing.TB) string { return c.ask(t, "squeue", "-h", "-o", "%i %j %T %r") }

func (c *Cluster) ask(t testing.TB, argv ...string) string {
	t.Helper()
	out, err := exec.Command(argv[0], argv[1:]...).Output()
	if err != nil {
		t.Fatalf("%s: %v", argv[0], err)
	}
	return strings.TrimSpace(string(out))
}
