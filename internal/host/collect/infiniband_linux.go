package collect

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	linux "linerate/internal/device/linux/parse"
	"linerate/internal/facts"
	"linerate/internal/facts/parse/iproute"
	"linerate/internal/facts/parse/rdma"
)

// modules adds the loaded modules and their versions.
func (c *collector) modules() {
	c.file("proc/modules", "/proc/modules", linux.KeepModules)
	c.read(linux.VersionsSource, func() ([]byte, error) {
		list, err := os.ReadDir("/sys/module")
		if err != nil {
			return nil, err
		}
		out := []byte{}
		for _, m := range list {
			name := "/sys/module/" + m.Name() + "/version"
			if v, err := os.ReadFile(name); err == nil {
				out = append(out, grepLines(name, v)...)
			}
		}
		return out, nil
	})
}

// grepLines writes a file as "grep -r ." does: each line that is not empty, after the file's name and a colon.
func grepLines(name string, text []byte) (out []byte) {
	for line := range bytes.Lines(text) {
		if line = bytes.TrimSpace(line); len(line) > 0 {
			out = append(append(append(append(out, name...), ':'), line...), '\n')
		}
	}
	return out
}

// rdmaClass is the folder of RDMA devices below /sys. rdmaSource is the start of the name of a source of such a device,
// before the device's name.
const (
	rdmaClass  = "/class/infiniband"
	rdmaSource = "grep -r . /sys" + rdmaClass + "/"
)

// infiniband adds the RDMA devices. root is /sys.
func (c *collector) infiniband(root string, links []iproute.Link) {
	names := c.rdmaNames(root, links)
	for _, name := range names {
		c.read(rdmaSource+name, func() ([]byte, error) { return c.rdmaDevice(root, rdmaClass+"/"+name) })
		if _, err := os.Readlink(root + rdmaClass + "/" + name + "/device"); err == nil { // a software device has none
			c.read("readlink -f /sys"+rdmaClass+"/"+name+"/device", func() ([]byte, error) {
				path, err := filepath.EvalSymlinks(root + rdmaClass + "/" + name + "/device")
				return []byte(path + "\n"), err
			})
		}
		c.marks(name)
	}
	if len(names) > 0 {
		// Only the device's driver knows the port's MTU.
		c.read("ibv_devinfo", func() ([]byte, error) { return ask(c.ctx, "ibverbs-utils", "ibv_devinfo") })
		for _, object := range []string{"system", "resource"} {
			c.read("rdma "+object+" show", func() ([]byte, error) { return ask(c.ctx, "iproute2", "rdma", object, "show") })
		}
	}
}

// rdmaNames adds the names of the RDMA devices, and returns them.
func (c *collector) rdmaNames(root string, links []iproute.Link) (names []string) {
	if links == nil {
		c.unknown("ls /sys/class/infiniband", errors.New("the interfaces are not known, and with them not whether the "+
			"/sys that is mounted here is of the same network namespace"))
		return nil
	}
	if !sysfsOfLinks(root, links) {
		c.unknown("ls /sys/class/infiniband", errors.New("the /sys that is mounted here shows another network namespace "+
			"than the one that is looked at"))
		return nil
	}
	c.read("ls /sys/class/infiniband", func() ([]byte, error) {
		list, err := os.ReadDir(root + rdmaClass)
		if _, none := os.Stat(root + "/class"); errors.Is(err, fs.ErrNotExist) && none == nil {
			err = nil // a kernel without modules of RDMA has no device
		}
		if err != nil {
			return nil, err
		}
		for _, e := range list {
			names = append(names, e.Name())
		}
		if len(names) == 0 {
			return nil, nil
		}
		return []byte(strings.Join(names, "\n") + "\n"), nil
	})
	return names
}

// rdmaStatistics adds the counters of the RDMA devices, and the rest of their files.
func (c *collector) rdmaStatistics(root string, links []iproute.Link) {
	for _, name := range c.rdmaNames(root, links) {
		c.read(rdmaSource+name, func() ([]byte, error) { return c.rdmaDevice(root, rdmaClass+"/"+name) })
	}
}

// marks reads the configured DSCP value of RDMA CM, where the device's folder for that exists. linerate does not create
// it.
func (c *collector) marks(name string) {
	const of = "/sys/kernel/config/rdma_cm/"
	ports, _ := os.ReadDir(of + name + "/ports")
	for _, p := range ports {
		for _, file := range []string{"default_roce_tos", "default_roce_mode"} {
			path := of + name + "/ports/" + p.Name() + "/" + file
			c.file(path[1:], path, nil)
		}
	}
}

// emptyGIDs is the number of empty entries in a row after which the rest of a port's table is assumed to be empty: the
// kernel fills it from the front, and that of a soft device has 1,024 entries, each a file.
const emptyGIDs = 32

// rdmaDevice reads the files of a device from which facts are read.
func (c *collector) rdmaDevice(root, dir string) ([]byte, error) {
	var out []byte
	// add writes a file's lines; an unreadable file is unknown if it must exist.
	add := func(name string, must bool) string {
		text, err := os.ReadFile(root + name)
		if err == nil && len(bytes.TrimSpace(text)) == 0 {
			err = errors.New("it is empty")
		}
		if err != nil {
			if must {
				c.unknown("sys"+name, err)
			}
			return ""
		}
		out = append(out, grepLines("/sys"+name, text)...)
		return strings.TrimSpace(string(text))
	}
	for _, name := range []string{"node_type", "node_guid", "fw_ver", "hca_type", "board_id"} {
		add(dir+"/"+name, name != "hca_type" && name != "board_id") // those two are the driver's own
	}
	ports, err := os.ReadDir(root + dir + "/ports")
	if err != nil {
		return out, err
	}
	for _, p := range ports {
		port := dir + "/ports/" + p.Name()
		layer := add(port+"/link_layer", true)
		add(port+"/sm_lid", layer == "InfiniBand")
		add(dir+"/tc/"+p.Name()+"/traffic_class", false)
		for _, name := range []string{"state", "phys_state", "rate"} {
			add(port+"/"+name, true)
		}
		empty := 0
		for _, index := range gidIndexes(root + port) {
			if c.head.Level == facts.Statistics && empty > emptyGIDs {
				break
			}
			gid, err := os.ReadFile(root + port + "/gids/" + index)
			switch {
			case err != nil:
				c.unknown("sys"+port+"/gids/"+index, err)
				continue
			case zeroGID(gid) && index != "0": // the first one shows that the table was read
				empty++
				continue
			}
			empty = 0
			add(port+"/gids/"+index, true)
			if zeroGID(gid) {
				continue
			}
			add(port+"/gid_attrs/types/"+index, true)
			if layer != "InfiniBand" {
				add(port+"/gid_attrs/ndevs/"+index, true)
			}
		}
		for _, folder := range []string{"counters", "hw_counters"} {
			list, _ := os.ReadDir(root + port + "/" + folder)
			for _, e := range list {
				add(port+"/"+folder+"/"+e.Name(), false)
			}
		}
	}
	return out, nil
}

// gidIndexes returns the entries of a port's table of GIDs, by number.
func gidIndexes(port string) (out []string) {
	list, _ := os.ReadDir(port + "/gids")
	for _, e := range list {
		out = append(out, e.Name())
	}
	slices.SortFunc(out, rdma.CompareNumbered)
	return out
}

func zeroGID(text []byte) bool {
	return len(bytes.Trim(text, "0:\n")) == 0
}

// sysfsOfLinks reports whether the mounted sysfs shows the network namespace of these links: a process that entered one
// may still see that of another. It compares until one link is the same in both, because links may appear or disappear
// meanwhile.
func sysfsOfLinks(root string, links []iproute.Link) bool {
	list, err := os.ReadDir(root + "/class/net")
	if err != nil {
		return true // there is no evidence against it
	}
	shown, same, nic := 0, 0, false
	for _, e := range list {
		if _, err := os.Stat(root + "/class/net/" + e.Name() + "/ifindex"); err == nil { // not bonding_masters
			shown++
		}
	}
	for _, l := range links {
		if sameLink(root+"/class/net/"+l.Name+"/", l) {
			same++
			nic = nic || l.Name != "lo"
		}
	}
	return nic || same == len(links) && same == shown
}
