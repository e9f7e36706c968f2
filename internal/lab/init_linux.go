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
	"sync"
	"syscall"
	"time"

	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"

	"linerate/internal/host/connect"
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

// InitMain is the lab's init: process 1 of the lab's pid namespace. It returns the exit code of the program when the lab
// could not be built, and does not return otherwise.
func InitMain() int {
	if os.Getpid() != 1 {
		fmt.Fprintln(os.Stderr, "lab-init is a part of linerate lab up and is not started by hand")
		return 2
	}
	in := bufio.NewReaderSize(os.Stdin, 64<<10)
	line, err := in.ReadBytes('\n')
	if err != nil {
		return 1 // the controller has died before it said anything
	}
	l := &labInit{step: &stepper{role: "init"}, reports: json.NewEncoder(os.Stdout), byName: map[string]*host{}, guests: map[string]*guestHost{}}
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
	socket, err := net.ListenUnix("unix", &net.UnixAddr{Name: filepath.Join(l.order.Dir, connect.LabSocketFile), Net: "unix"})
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

// lifeline ends the lab when the controller dies, unless the lab was told to stay.
func (l *labInit) lifeline(in *bufio.Reader) {
	if line, err := in.ReadString('\n'); err == nil && line == stay+"\n" {
		return
	}
	l.end()
}

// folderInterval is how often the init looks whether its folder is there.
const folderInterval = 2 * time.Second

// watchFolder ends a lab whose folder was removed: nobody could find it any more to take it down.
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
		os.RemoveAll(l.order.Dir)
		os.Exit(0)
	})
	select {}
}

// did counts a step and tells the controller.
func (l *labInit) did(step string) {
	l.reports.Encode(report{Step: step})
	l.step.at()
}

// build brings everything up, in an order in which each part finds what it needs.
func (l *labInit) build() error {
	plan := l.order.Layout
	l.info = Info{ID: l.order.ID, Fabric: plan.Fabric, Busy: l.order.Busy, Rootless: l.order.Rootless, Shaped: []string{}, Share: l.order.Share}
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

// mounts makes the lab's mounts its own and shows the lab's processes in /proc.
func (l *labInit) mounts() error {
	// Slave, not private: what the machine unmounts meanwhile is unmounted here as well, and nothing goes the other way.
	if err := unix.Mount("", "/", "", unix.MS_SLAVE|unix.MS_REC, ""); err != nil {
		return l.refused("mount namespace", err)
	}
	if err := unix.Mount("proc", "/proc", "proc", unix.MS_NOSUID|unix.MS_NODEV|unix.MS_NOEXEC, ""); err != nil {
		l.notes.add("", "", "/proc shows the machine's processes: the kernel refused a /proc of the lab's own (%v)", err)
	}
	return nil
}

// refused adds what an ordinary user can do about a refusal.
func (l *labInit) refused(what string, err error) error {
	if l.order.Rootless && (errors.Is(err, syscall.EPERM) || errors.Is(err, syscall.EACCES) || errors.Is(err, syscall.ENOSPC)) {
		return fmt.Errorf("%s: %w", what, namespaceError(err, true))
	}
	return fmt.Errorf("%s: %w", what, err)
}
