package main

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"linerate/internal/cli"
	"linerate/internal/host/connect/connecttest"
	"linerate/internal/record/runfolder"
	"linerate/internal/testenv"
)

// farHost is a host of the lab with a real sshd in it.
type farHost struct {
	name, config string
	server       *exec.Cmd
	log          *output
}

// sshHosts starts an sshd in each host of a lab and writes an ssh for the controller that knows them, with keys of the
// test's own.
// It returns the folder of that ssh.
func (s *spoiled) sshHosts(t *testing.T, addresses map[string]string) (bin string, hosts map[string]*farHost) {
	t.Helper()
	ssh, err := exec.LookPath("ssh")
	if err != nil {
		missing(t, "the program ssh (Debian: openssh-client)")
	}
	if _, err := os.Stat("/usr/sbin/sshd"); err != nil {
		missing(t, "the program sshd (Debian: openssh-server)")
	}
	if os.Geteuid() != 0 {
		missing(t, "root, as whom sshd starts the sessions")
	}
	write := func(name, text string, mode os.FileMode) string {
		path := s.path("ssh", name)
		testenv.Check(t, os.WriteFile(path, []byte(text), mode))
		return path
	}
	bin = s.path("ssh", "bin")
	testenv.Check(t, os.MkdirAll(bin, 0o700))
	for _, key := range []string{"host", "user"} {
		if out, err := exec.Command("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", key, "-f",
			s.path("ssh", key)).CombinedOutput(); err != nil {
			t.Fatalf("ssh-keygen: %v: %s", err, out)
		}
	}
	public := testenv.Must(os.ReadFile(s.path("ssh", "host.pub")))(t)
	testenv.Check(t, os.Mkdir(s.path("far"), 0o700))
	os.Mkdir("/run/sshd", 0o755) // sshd wants it; the package's service makes it at its start
	client, known := connecttest.Cheap, ""
	hosts = map[string]*farHost{}
	for name, address := range addresses {
		h := &farHost{name: name}
		// SHLVL keeps the user's own .bashrc out, as in reachtest.SSHD. Agents are sent into a folder of the test's own:
		// other tests of this machine have theirs at the same time.
		h.config = write(name+".conf", fmt.Sprintf("SetEnv SHLVL=1 XDG_RUNTIME_DIR=%s\n",
			s.path("far"))+fmt.Sprintf("ListenAddress %s:22\nHostKey %s\nAuthorizedKeysFile %s\nPidFile none\nStrictModes "+
			"no\nUsePAM no\n"+
			"PermitRootLogin prohibit-password\nPasswordAuthentication no\nKbdInteractiveAuthentication no\nSubsystem sftp "+
			"internal-sftp\n", address, s.path("ssh", "host"), s.path("ssh", "user.pub")), 0o600)
		s.start(t, h)
		t.Cleanup(func() { h.stop() })
		hosts[name] = h
		known += address + " " + string(public)
		client += fmt.Sprintf("Host %s\n HostName %s\n User root\n", name, address)
	}
	client += fmt.Sprintf("Host *\n IdentityFile %s\n IdentitiesOnly yes\n IdentityAgent none\n UserKnownHostsFile "+
		"%s\n GlobalKnownHostsFile /dev/null\n", s.path("ssh", "user"), write("known_hosts", known, 0o600))
	write("bin/ssh", fmt.Sprintf("#!/bin/sh\nexec %s -F %s \"$@\"\n", ssh, write("config", client, 0o600)), 0o700)
	return bin, hosts
}

// start starts the sshd of a host.
func (s *spoiled) start(t *testing.T, h *farHost) {
	t.Helper()
	h.log = &output{}
	h.server = s.command(t, "lab", "exec", s.id+"/"+h.name, "--", "/usr/sbin/sshd", "-D", "-e", "-f", h.config)
	h.server.Stderr, h.server.WaitDelay = h.log, time.Second
	testenv.Check(t, h.server.Start())
	h.log.wait(t, "Server listening")
}

// stop ends the sshd; sessions that it has go with it.
func (h *farHost) stop() {
	if h.server.ProcessState == nil {
		h.server.Process.Signal(os.Interrupt) // lab exec hands the end of its command on
		stop := time.AfterFunc(time.Minute, func() { h.server.Process.Kill() })
		h.server.Wait()
		stop.Stop()
	}
}

// noFolders waits until no folder of an agent is left on the hosts.
func (s *spoiled) noFolders(t *testing.T) {
	t.Helper()
	for end := time.Now().Add(time.Minute); ; time.Sleep(50 * time.Millisecond) {
		left := testenv.Must(os.ReadDir(s.path("far")))(t)
		if len(left) == 0 {
			return
		}
		if time.Now().After(end) {
			t.Errorf("left on the hosts: %v", left)
			return
		}
	}
}

// Between hosts over ssh, without --lab: nothing in the report is simulated, and nothing is left on the hosts.
// Then one host refuses: its pair says what was tried, the others' results are kept.
func TestOverSSH(t *testing.T) {
	t.Parallel()
	needLab(t)
	p := newPlace(t)
	fabric := copyFile(t, "testdata/ssh.yaml", p.path("four.yaml"))
	s := p.labUp(t, fabric, "1")
	bin, hosts := s.sshHosts(t, map[string]string{"a": "10.30.1.2", "b": "10.30.2.2", "c": "10.30.3.2"})
	controller := func(t *testing.T, args ...string) answer {
		return s.linerate(t, controllerArgs(s, bin, p.program(t), fabric, args...)...)
	}
	mine := len(p.processes(t))
	far := "" // that experiment's combination

	t.Run("all answer", func(t *testing.T) {
		a := controller(t, "-o", p.path("all"), "--json").ends(t, cli.ExitDone)
		r := a.run(t)
		if r.Lab != nil {
			t.Errorf("the run says that it was in the lab: %+v", r.Lab)
		}
		for _, e := range r.Experiments {
			if e.Name == "far" {
				far = e.ID
			}
			if e.Failed != "" || e.NotRun != "" || e.Method == "throughput" &&
				(e.Goodput == nil || e.Goodput.Median <= 0 || e.Verdict == nil) || e.Method == "latency" && e.Latency == nil {
				t.Errorf("%s: failed %q, not run %q, goodput %+v, latency %+v", e.Name, e.Failed, e.NotRun, e.Goodput, e.Latency)
			}
			if e.Ceiling == nil {
				continue
			}
			for _, hop := range e.Ceiling.Hops {
				for _, in := range hop.Inputs {
					if in.Origin == "simulated" {
						t.Errorf("%s: %s of %s is simulated", e.Name, in.Name, hop.Component)
					}
				}
			}
		}
		for _, h := range r.Hosts {
			if h.Connection != "ssh "+h.Name || h.Kernel == "" || h.Error != "" {
				t.Errorf("host %+v", h)
			}
		}
		if err := runfolder.Verify(p.path("all")); err != nil {
			t.Error(err)
		}
		s.noFolders(t)
		p.atMost(t, mine, 30*time.Second) // sshd ends its own, when it has a turn
	})

	t.Run("one dies", func(t *testing.T) {
		cmd, errs := s.command(t, controllerArgs(s, bin, p.program(t), fabric, "-o", p.path("dies"))...), &output{}
		cmd.Stdout, cmd.Stderr = io.Discard, errs
		testenv.Check(t, cmd.Start())
		stop := time.AfterFunc(patience, func() { cmd.Process.Kill() })
		defer stop.Stop()
		errs.wait(t, "1/3  ")
		for end := time.Now().Add(patience); ; time.Sleep(20 * time.Millisecond) {
			if found, _ := filepath.Glob(p.path("dies") + "/snapshots/*during*" + far + "*"); far != "" && len(found) > 0 {
				break
			}
			if time.Now().After(end) {
				t.Fatalf("experiment far, %q, is not measured: %s", far, errs)
			}
		}
		s.killAgent(t, hosts["b"])
		cmd.Wait()
		if code := cmd.ProcessState.ExitCode(); code != cli.ExitIncomplete {
			t.Errorf("exit code %d, want %d:\n%s", code, cli.ExitIncomplete, errs)
		}
		onlyFarFailed(t, p.path("dies"))
		s.noFolders(t)
	})

	// The controller interrupted, and killed without a chance to say anything to the hosts.
	for _, c := range []struct {
		name   string
		signal syscall.Signal
	}{{"interrupted", syscall.SIGINT}, {"killed", syscall.SIGKILL}} {
		t.Run(c.name, func(t *testing.T) {
			cmd, errs := s.command(t, controllerArgs(s, bin, p.program(t), fabric, "-o", p.path(c.name))...), &output{}
			cmd.Stdout, cmd.Stderr = io.Discard, errs
			testenv.Check(t, cmd.Start())
			stop := time.AfterFunc(patience, func() { cmd.Process.Kill() })
			defer stop.Stop()
			errs.wait(t, "1/3  ")
			syscall.Kill(p.controllerPID(t, p.path(c.name)), c.signal)
			cmd.Wait()
			if code := cmd.ProcessState.ExitCode(); c.signal == syscall.SIGINT && code != cli.ExitInterrupted {
				t.Errorf("exit code %d, want %d:\n%s", code, cli.ExitInterrupted, errs)
			}
			p.atMost(t, mine, time.Minute)
			s.noFolders(t)
			if kept := cutOff(t, p.path(c.name)); len(kept) < 1 {
				t.Error("the first repeat was not kept")
			}
		})
	}

	hosts["b"].stop()
	t.Run("one refuses", func(t *testing.T) {
		a := controller(t, "-o", p.path("one")).ends(t, cli.ExitIncomplete)
		words := unwrapped(a.out) // as if no line were broken
		testenv.Contains(t, "the reason", words, "ssh", "exit code 255", "Connection refused", "try")
		if t.Failed() {
			t.Log(a)
		}
		onlyFarFailed(t, p.path("one"))
		s.noFolders(t)
	})

	t.Run("back again", func(t *testing.T) {
		s.start(t, hosts["b"])
		kept := cutOff(t, p.path("one"))
		a := controller(t, "--resume", "-o", p.path("one"), "--json").ends(t, cli.ExitDone)
		r := a.run(t)
		all := repeatsOf(t, r)
		if len(kept) != 2 || len(all) != 3 || !r.Complete {
			t.Errorf("%d repeats were kept, %d are there; complete %v", len(kept), len(all), r.Complete)
		}
		for k, v := range kept {
			if all[k] != v {
				t.Errorf("repeat %s is not what was kept:\n%s\n%s", k, v, all[k])
			}
		}
		for _, e := range r.Experiments {
			if e.Failed != "" {
				t.Errorf("%s still counts as failed: %s", e.Name, e.Failed)
			}
		}
		for _, h := range r.Hosts {
			if h.Error != "" {
				t.Errorf("%s still has an error: %s", h.Name, h.Error)
			}
		}
		if err := runfolder.Verify(p.path("one")); err != nil {
			t.Error(err)
		}
	})
}

func controllerArgs(s *spoiled, bin, program, fabric string, args ...string) []string {
	return append([]string{"lab", "exec", s.id + "/ctl", "--", "env", "-C", s.dir, "HOME=" + s.dir,
		"PATH=" + bin + ":" + os.Getenv("PATH"), program, "run", fabric}, args...)
}

// controllerPID finds the run that writes into a folder, which lab exec started.
func (p *place) controllerPID(t *testing.T, dir string) int {
	t.Helper()
	folders, _ := filepath.Glob("/proc/[0-9]*")
	for _, f := range folders {
		line, _ := os.ReadFile(f + "/cmdline")
		exe, _ := os.Readlink(f + "/exe")
		args := strings.Split(string(line), "\x00")
		if exe == p.program(t) && len(args) > 1 && args[1] == "run" && slices.Contains(args, dir) {
			pid, _ := strconv.Atoi(filepath.Base(f))
			return pid
		}
	}
	t.Fatalf("no run writes into %s", dir)
	return 0
}

// onlyFarFailed checks that a run kept all but what its dead host took part in.
func onlyFarFailed(t *testing.T, dir string) {
	t.Helper()
	o := testenv.Must(runfolder.Open(dir, ""))(t)
	for _, e := range o.Run.Experiments {
		if failed := e.Name == "far"; failed != (e.Failed != "") || failed == (len(e.Repeats) == 1) {
			t.Errorf("%s: failed %q, %d repeats", e.Name, e.Failed, len(e.Repeats))
		}
	}
}

// killAgent ends the agent on a host by kill -9: the one in the network namespace of its sshd, sent to where noFolders
// looks.
func (s *spoiled) killAgent(t *testing.T, h *farHost) {
	t.Helper()
	var space string
	agents := map[string]int{} // by network namespace
	folders, _ := filepath.Glob("/proc/[0-9]*")
	for _, f := range folders {
		line, _ := os.ReadFile(f + "/cmdline")
		net, _ := os.Readlink(f + "/ns/net")
		pid, _ := strconv.Atoi(filepath.Base(f))
		if exe, _ := os.Readlink(f + "/exe"); strings.HasSuffix(exe, "/sshd") && strings.Contains(string(line), h.config) {
			space = net
		} else if strings.HasPrefix(exe, s.path("far", ".linerate-")) {
			agents[net] = pid
		}
	}
	if pid := agents[space]; space != "" && pid > 0 {
		syscall.Kill(pid, syscall.SIGKILL)
		return
	}
	t.Errorf("no agent runs on %s", h.name)
}
