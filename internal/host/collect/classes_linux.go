package collect

import (
	"errors"
	"os"
	"path/filepath"
	"strings"

	"linerate/internal/facts/parse/iproute"
	"linerate/internal/facts/parse/pci"
)

// trafficClasses adds what the interfaces with a device report of their traffic classes, and the firmware settings and
// port state of NVIDIA's adapters, where their tools are installed. root is /sys.
func (c *collector) trafficClasses(root string, links []iproute.Link) {
	seen := map[string]bool{}
	for _, l := range links {
		dir := root + "/class/net/" + l.Name
		if l.Device == "" || !sameLink(dir+"/", l) {
			continue
		}
		driver, _ := os.Readlink(dir + "/device/driver")
		nvidia := strings.HasPrefix(filepath.Base(driver), "mlx")
		c.classFiles(root, dir)
		c.dcb(l.Name)
		if !nvidia {
			continue
		}
		if _, err := lookProgram("mlnx_qos"); err == nil { // without it, dcb has reported everything
			c.read("mlnx_qos -i "+l.Name, func() ([]byte,
				error) {
				return ask(c.ctx, "mlnx-tools of NVIDIA", "mlnx_qos", "-i", l.Name)
			})
		}
		if device, err := os.Readlink(dir + "/device"); err == nil && pci.Address.MatchString(filepath.Base(device)) &&
			!seen[filepath.Base(device)] {
			seen[filepath.Base(device)] = true
			c.firmware(filepath.Base(device))
		}
	}
}

// classFiles adds the files of NVIDIA's own driver, and the mode of IP over InfiniBand. Most interfaces have none of
// them.
func (c *collector) classFiles(root, dir string) {
	name := strings.TrimPrefix(dir, root+"/class/net/")
	files := []string{"mode", "qos/trust"}
	for _, point := range []string{"roce_np", "roce_rp"} {
		for _, priority := range "01234567" {
			files = append(files, "ecn/"+point+"/enable/"+string(priority))
		}
	}
	for _, f := range files {
		if _, err := os.Stat(dir + "/" + f); err == nil { // a folder is listed, a file is read
			c.file("sys/class/net/"+name+"/"+f, dir+"/"+f, nil)
		}
	}
}

// dcb runs iproute2's dcb. An interface whose driver has no DCB reports that at the first query.
func (c *collector) dcb(name string) {
	before := len(c.head.Unknown)
	for _, object := range []string{"pfc", "ets", "app", "apptrust", "buffer", "dcbx"} {
		c.read("dcb -N "+object+" show dev "+name, func() ([]byte, error) {
			return ask(c.ctx, "iproute2", "dcb", "-N", object, "show", "dev", name)
		})
		if object == "pfc" && len(c.head.Unknown) > before {
			return
		}
	}
}

// firmware runs NVIDIA's tools on an adapter, if they are installed; mstflint is their free edition.
func (c *collector) firmware(address string) {
	programs := [][]string{{"mlxconfig", "-d", address, "-e", "query"}, {"mlxlink", "-d", address, "-c"}}
	for _, argv := range programs {
		if _, err := lookProgram(argv[0]); err != nil {
			free := strings.Replace(argv[0], "mlx", "mst", 1)
			if _, err := lookProgram(free); err != nil {
				c.unknown(strings.Join(argv, " "), errors.New("neither "+argv[0]+" (NVIDIA's MFT) nor "+free+
					" (Debian: mstflint) is here"))
				continue
			}
			argv[0] = free
		}
		c.read(strings.Join(argv, " "), func() ([]byte, error) { return ask(c.ctx, "mstflint", argv...) })
	}
}
