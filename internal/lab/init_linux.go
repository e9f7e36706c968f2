package lab

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"

	"linerate/internal/base/unit"
	"linerate/internal/host/connect"
	"linerate/internal/lab/layout"
)

// labInit is the running lab, seen from its init.
type labInit struct {
	order   order
	step    *stepper
	reports *json.Encoder
	nl      *netlink.Handle // of the namespace of the bridges, which is the init's own
	hosts   []*host
	byName  map[string]*host
	guests  map[string]*guestHost
	spawner *spawner
	info    Info
	notes   notes

	volumes sync.Mutex
	made    []string // volumes, by name

	gone sync.Once
}

// InitMain is the lab's init: process 1 of the lab's pid namespace. It returns the exit code of the program if the lab
// could not be built, and does not return otherwise.
func InitMain() int {
	if os.Getpid() != 1 {
		fmt.Fprintln(os.Stderr, "lab-init is a part of linerate lab up and is not started by hand")
		return 2
	}
	in := bufio.NewReaderSize(os.Stdin, 64<<10)
	line, err := in.ReadBytes('\n')
	if err != nil {
		return 1 // the controller has died before it sent anything
	}
	l := &labInit{step: &stepper{role: "init"}, reports: json.NewEncoder(os.Stdout), byName: map[string]*host{},
		guests: map[string]*guestHost{}}
	if err := json.Unmarshal(line, &l.order); err != nil {
		l.reports.Encode(report{Error: "the order for the lab's init: " + err.Error()})
		return 1
	}
	go l.lifeline(in)
	stop := make(chan os.Signal, 1)
	signal.Notify(stop, syscall.SIGTERM, syscall.SIGINT)
	go func() {
		<-stop
		l.end()
	}()
	if err := l.build(); err != nil {
		l.reports.Encode(report{Error: err.Error()})
		return 1
	}
	socket, err := net.ListenUnix("unix",
		&net.UnixAddr{Name: filepath.Join(l.order.Dir, connect.LabSocketFile), Net: "unix"})
	if err != nil {
		l.reports.Encode(report{Error: "the lab's socket: " + err.Error()})
		return 1
	}
	l.did("serve")
	l.reports.Encode(report{Info: &l.info})
	go l.watchFolder()
	l.serve(socket)
	return 1
}

// lifeline ends the lab when the controller dies, unless the lab is detached.
func (l *labInit) lifeline(in *bufio.Reader) {
	if line, err := in.ReadString('\n'); err == nil && line == stay+"\n" {
		return
	}
	l.end()
}

// folderInterval is the interval at which the init checks that its folder exists.
const folderInterval = 2 * time.Second

// watchFolder ends a lab whose folder was removed, because it could no longer be found and ended.
func (l *labInit) watchFolder() {
	for range time.Tick(folderInterval) {
		if _, err := os.Stat(filepath.Join(l.order.Dir, connect.LabStateFile)); errors.Is(err, os.ErrNotExist) {
			l.end()
		}
	}
}

// end removes the lab's folder and ends the init, and with it everything else.
func (l *labInit) end() {
	l.gone.Do(func() {
		_ = removeFolder(l.order.Dir)
		os.Exit(0)
	})
	select {}
}

// did counts a step and reports it to the controller.
func (l *labInit) did(step string) {
	l.reports.Encode(report{Step: step})
	l.step.at()
}

// build starts everything in the order of dependencies.
func (l *labInit) build() error {
	plan := l.order.Layout
	l.info = Info{ID: l.order.ID, Fabric: plan.Fabric, Busy: l.order.Busy, Rootless: l.order.Rootless,
		Shaped: []string{}, Share: l.order.Share}
	for _, n := range plan.Notes {
		l.notes.add(n.Kind, n.Subject, "%s", n.Text)
	}
	if err := l.mounts(); err != nil {
		return err
	}
	l.did("mounts")
	var err error
	if l.nl, err = netlink.NewHandle(unix.NETLINK_ROUTE); err != nil {
		return fmt.Errorf("netlink: %w", err)
	}
	if err := loopbackUp(l.nl); err != nil {
		return l.refused("bring up lo", err)
	}
	l.spawner = newSpawner()
	if err := l.chooseScale(); err != nil {
		return err
	}
	l.did("calibrate")
	for _, n := range plan.Hosts {
		if n.Guest {
			l.newGuest(n)
			continue
		}
		h, err := newHost(n, l.order.Dir)
		if err != nil {
			return l.refused("host "+n.Name, err)
		}
		l.hosts, l.byName[n.Name] = append(l.hosts, h), h
		l.info.Hosts = append(l.info.Hosts, n.Name)
		l.did("host " + n.Name)
	}
	if err := l.network(plan); err != nil {
		return err
	}
	if err := l.bootGuests(); err != nil {
		return err
	}
	for _, n := range plan.Hosts {
		if n.Guest {
			continue
		}
		if err := l.settings(l.byName[n.Name], n.Settings); err != nil {
			return fmt.Errorf("host %s: %w", n.Name, err)
		}
		l.did("settings " + n.Name)
	}
	l.awaitGuests()
	if err := l.guestScale(); err != nil {
		return err
	}
	if err := l.shape(plan); err != nil {
		return err
	}
	l.did("shape")
	if err := l.carriers(plan); err != nil {
		return err
	}
	l.did("carriers")
	for _, h := range l.hosts {
		for _, d := range h.degraded {
			l.notes.add("host", h.name, "%s", d)
		}
	}
	l.info.Emulated = l.notes.sentences(len(plan.Hosts))
	return nil
}

// mounts makes the lab's mounts private and shows the lab's processes in /proc.
func (l *labInit) mounts() error {
	// Slave, not private: an unmount on the machine also applies here, but not the other way round.
	if err := unix.Mount("", "/", "", unix.MS_SLAVE|unix.MS_REC, ""); err != nil {
		return l.refused("mount namespace", err)
	}
	if err := unix.Mount("proc", "/proc", "proc", unix.MS_NOSUID|unix.MS_NODEV|unix.MS_NOEXEC, ""); err != nil {
		l.notes.add("", "", "/proc shows the machine's processes: the kernel refused a /proc of the lab's own (%v)", err)
	}
	return nil
}

// refused adds to an error what an ordinary user can do about it.
func (l *labInit) refused(what string, err error) error {
	if l.order.Rootless &&
		(errors.Is(err, syscall.EPERM) || errors.Is(err, syscall.EACCES) || errors.Is(err, syscall.ENOSPC)) {
		return fmt.Errorf("%s: %w", what, namespaceError(err, true))
	}
	return fmt.Errorf("%s: %w", what, err)
}

// order is the controller's message to the init on standard input, one JSON object on the first line.
type order struct {
	ID       string         `json:"id"`
	Dir      string         `json:"dir"`
	Token    string         `json:"token"`
	Layout   *layout.Layout `json:"layout"`
	Scale    float64        `json:"scale"`
	Busy     unit.BitRate   `json:"busy"`
	Rootless bool           `json:"rootless"`
	Guests   *GuestParts    `json:"guests,omitempty"`
	Share    *Share         `json:"share,omitempty"`
}

// stay is the second line: the lab stays when its controller ends. The end of the input without it ends the lab.
const stay = "stay"

// report is one line from the init to its controller.
type report struct {
	Step  string `json:"step,omitempty"`
	Error string `json:"error,omitempty"`
	Info  *Info  `json:"info,omitempty"` // the last one: the lab is up
}

// stepVariable names the environment variable with which a test makes a process of the lab die at a step of Up:
// "controller 3" or "init 7". As with kill -9, nothing is cleaned up.
const stepVariable = "LINERATE_LAB_DIE_AT"

// stepper counts the steps of one process.
type stepper struct {
	role string
	n    int
}

// at is called after each step.
func (s *stepper) at() {
	s.n++
	role, n, ok := strings.Cut(os.Getenv(stepVariable), " ")
	if !ok || role != s.role || n != strconv.Itoa(s.n) {
		return
	}
	// The init of a pid namespace cannot be killed from inside; exit_group runs no handler either.
	if s.role == "controller" {
		unix.Kill(os.Getpid(), unix.SIGKILL)
		select {}
	}
	unix.Exit(137)
}
