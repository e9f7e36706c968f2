package loopback

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime"
	"strings"
	"syscall"
	"time"

	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"
)

// room is the namespace of a port.
type room struct {
	port Port
	file *os.File
	nl   *netlink.Handle
	in   bool // the port is in it
}

// owner holds both namespaces and the previous state of the ports.
type owner struct {
	home  *os.File // the namespace in which the ports were found
	nl    *netlink.Handle
	rooms [2]room
	out   *json.Encoder
	end   chan struct{} // closed when the controller has finished or died
}

// OwnerMain is the process that holds the namespaces. It returns the exit code of the program.
func OwnerMain() int {
	// Only the end of its input ends it: signals to the terminal's group are for the controller.
	signal.Ignore(syscall.SIGINT, syscall.SIGHUP, syscall.SIGQUIT, syscall.SIGPIPE)
	runtime.LockOSThread()
	o := &owner{out: json.NewEncoder(os.Stdout), end: make(chan struct{})}
	in := bufio.NewReader(os.Stdin)
	line, err := in.ReadBytes('\n')
	if err != nil {
		fmt.Fprintln(os.Stderr, OwnerCommand+" is a part of linerate measure --loop and is not started by hand")
		return 2
	}
	var q order
	if err := json.Unmarshal(line, &q); err != nil {
		o.out.Encode(said{Error: "the order for the owner of the ports: " + err.Error()})
		return 1
	}
	stop := make(chan os.Signal, 1)
	signal.Notify(stop, syscall.SIGTERM)
	go func() {
		gone := make(chan struct{})
		go func() { io.Copy(io.Discard, in); close(gone) }()
		select {
		case <-stop:
		case <-gone:
		}
		close(o.end)
	}()
	if err := o.take(q.Ports); err != nil {
		if !errors.Is(err, errEnded) {
			o.out.Encode(said{Error: err.Error()})
		}
	} else {
		var files []string
		for _, r := range o.rooms {
			files = append(files, fmt.Sprintf("/proc/%d/fd/%d", os.Getpid(), r.file.Fd()))
		}
		o.out.Encode(said{Files: files})
		<-o.end
	}
	problems := o.giveBack()
	if err := o.out.Encode(said{Over: true, Problems: problems}); err != nil { // no controller can report it
		text := fmt.Sprintf("linerate: %s and %s are back, as they were", q.Ports[0].Name, q.Ports[1].Name)
		if len(problems) > 0 {
			text = "linerate: not put back: " + strings.Join(problems, "; ")
		}
		fmt.Fprintln(os.Stderr, text)
	}
	if len(problems) > 0 {
		return 1
	}
	return 0
}

var errEnded = errors.New("the controller is done")

// take moves both ports and brings their link up.
func (o *owner) take(ports [2]Port) (err error) {
	if o.home, err = os.Open("/proc/thread-self/ns/net"); err != nil {
		return err
	}
	if o.nl, err = netlink.NewHandle(unix.NETLINK_ROUTE); err != nil {
		return fmt.Errorf("netlink: %w", err)
	}
	for i := range o.rooms {
		o.rooms[i].port = ports[i]
		if err := o.make(&o.rooms[i]); err != nil {
			return err
		}
	}
	for i := range o.rooms {
		r := &o.rooms[i]
		if err := o.move(r); err != nil {
			return fmt.Errorf("%s: %w", r.port.Name, err)
		}
	}
	// They go up only when both are moved: a veth would have no carrier before.
	for i := range o.rooms {
		if err := o.rooms[i].up(i); err != nil {
			return fmt.Errorf("%s: in its namespace: %w", o.rooms[i].port.Name, err)
		}
	}
	if err := o.carrier(); err != nil {
		return err
	}
	return o.reached()
}

// make makes the namespace of a port, with lo up.
func (o *owner) make(r *room) error {
	return o.within(nil, func() (err error) {
		if err := unix.Unshare(unix.CLONE_NEWNET); err != nil {
			return fmt.Errorf("the kernel made no network namespace: %w; root of a container needs CAP_SYS_ADMIN there", err)
		}
		if r.file, err = os.Open("/proc/thread-self/ns/net"); err != nil {
			return err
		}
		if r.nl, err = netlink.NewHandle(unix.NETLINK_ROUTE); err != nil {
			return fmt.Errorf("netlink: %w", err)
		}
		lo, err := r.nl.LinkByName("lo")
		if err == nil {
			err = r.nl.LinkSetUp(lo)
		}
		return err
	})
}

// within runs f in a namespace (nil: f enters one itself) and returns to its own.
func (o *owner) within(file *os.File, f func() error) error {
	if file != nil {
		if err := unix.Setns(int(file.Fd()), unix.CLONE_NEWNET); err != nil {
			return fmt.Errorf("enter the network namespace: %w", err)
		}
	}
	err := f()
	if home := unix.Setns(int(o.home.Fd()), unix.CLONE_NEWNET); home != nil {
		// The end of the process ends the namespaces: the kernel returns the adapters, and the controller restores them.
		fmt.Fprintln(os.Stderr, "linerate: return to the first network namespace:", home)
		os.Exit(1)
	}
	return err
}

func (o *owner) move(r *room) error {
	link, err := o.nl.LinkByName(r.port.Name)
	if err != nil {
		return err
	}
	if link.Attrs().Index != r.port.Index {
		return errors.New("another interface has its name by now; start again")
	}
	if err := o.nl.LinkSetNsFd(link, int(r.file.Fd())); err != nil {
		return fmt.Errorf("the kernel did not move it into a network namespace: %w", err)
	}
	r.in = true
	return nil
}

func (r *room) up(n int) error {
	link, err := r.nl.LinkByName(r.port.Name)
	if err != nil {
		return err
	}
	if err := r.nl.AddrAdd(link, &netlink.Addr{IPNet: ipNet(Address(n).String())}); err != nil {
		return fmt.Errorf("the address %s: %w", Address(n), err)
	}
	if err := r.nl.LinkSetUp(link); err != nil {
		return fmt.Errorf("up: %w", err)
	}
	return nil
}

// giveBack restores the ports.
func (o *owner) giveBack() (problems []string) {
	for i := range o.rooms {
		r := &o.rooms[i]
		if !r.in {
			continue
		}
		link, err := r.nl.LinkByName(r.port.Name)
		if err == nil {
			err = r.nl.LinkSetNsFd(link, int(o.home.Fd()))
		}
		if err != nil {
			problems = append(problems, fmt.Sprintf("%s: it could not be moved back: %v", r.port.Name, err))
			r.in = false
		}
	}
	for i := range o.rooms {
		if r := &o.rooms[i]; r.in {
			problems = append(problems, restore(o.nl, r.port, time.Second)...)
		}
	}
	return problems
}
