package facts

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
)

// trafficClasses adds what the interfaces with a device say of their traffic classes, and what the firmware of cards of NVIDIA
// keeps and its port says, where their tools are here. root is /sys.
func (c *collector) trafficClasses(root string, links []ipLink) {
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
		if _, err := lookProgram("mlnx_qos"); err == nil { // without it dcb has said what there is
			c.read("mlnx_qos -i "+l.Name, func() ([]byte, error) { return ask(c.ctx, "mlnx-tools of NVIDIA", "mlnx_qos", "-i", l.Name) })
		}
		if device, err := os.Readlink(dir + "/device"); err == nil && pciAddress.MatchString(filepath.Base(device)) && !seen[filepath.Base(device)] {
			seen[filepath.Base(device)] = true
			c.firmware(filepath.Base(device))
		}
	}
}

// classFiles are those of NVIDIA's own driver, and the mode of IP over InfiniBand; most interfaces have none of them.
func (c *collector) classFiles(root, dir string) {
	name := strings.TrimPrefix(dir, root+"/class/net/")
	files := []string{"mode", "qos/trust"}
	for _, point := range []string{"roce_np", "roce_rp"} {
		for _, priority := range "01234567" {
			files = append(files, "ecn/"+point+"/enable/"+string(priority))
		}
	}
	for _, f := range files {
		if _, err := os.Stat(dir + "/" + f); err == nil { // folders are looked through, files are read
			c.file("sys/class/net/"+name+"/"+f, dir+"/"+f, nil)
		}
	}
}

// dcb asks iproute2's dcb. An interface whose driver has no DCB says so at the first question.
func (c *collector) dcb(name string) {
	before := len(c.head.unknown)
	for _, object := range []string{"pfc", "ets", "app", "apptrust", "buffer", "dcbx"} {
		c.read("dcb -N "+object+" show dev "+name, func() ([]byte, error) {
			return ask(c.ctx, "iproute2", "dcb", "-N", object, "show", "dev", name)
		})
		if object == "pfc" && len(c.head.unknown) > before {
			return
		}
	}
}

// firmware asks NVIDIA's tools about a card, if they are here; mstflint is the free edition of the same.
func (c *collector) firmware(address string) {
	programs := [][]string{{"mlxconfig", "-d", address, "-e", "query"}, {"mlxlink", "-d", address, "-c"}}
	for _, argv := range programs {
		if _, err := lookProgram(argv[0]); err != nil {
			free := strings.Replace(argv[0], "mlx", "mst", 1)
			if _, err := lookProgram(free); err != nil {
				c.unknown(strings.Join(argv, " "), errors.New("neither "+argv[0]+" (NVIDIA's MFT) nor "+free+" (Debian: mstflint) is here"))
				continue
			}
			argv[0] = free
		}
		c.read(strings.Join(argv, " "), func() ([]byte, error) { return ask(c.ctx, "mstflint", argv...) })
	}
}
