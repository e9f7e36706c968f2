package facts

import (
	"os"
	"path/filepath"
	"strings"
)

// pciTree adds where each card is, and the links between it and the processor. root is /sys.
func (c *collector) pciTree(root string, links []ipLink) {
	seen := map[string]bool{}
	for _, l := range links {
		dir := root + "/class/net/" + l.Name
		if l.Device == "" || !sameLink(dir+"/", l) {
			continue
		}
		path, err := filepath.EvalSymlinks(dir + "/device")
		if err != nil {
			c.unknown("readlink -f /sys/class/net/"+l.Name+"/device", err)
			continue
		}
		path = "/sys" + strings.TrimPrefix(path, root)
		c.read("readlink -f /sys/class/net/"+l.Name+"/device", func() ([]byte, error) { return []byte(path + "\n"), nil })
		for _, e := range strings.Split(path, "/") {
			if !pciAddress.MatchString(e) || seen[e] {
				continue
			}
			seen[e] = true
			c.read("grep -r . /sys/bus/pci/devices/"+e, func() ([]byte, error) {
				var out []byte
				for _, name := range pciFiles {
					file := "/bus/pci/devices/" + e + "/" + name
					if text, err := os.ReadFile(root + file); err == nil {
						out = append(out, grepLines("/sys"+file, text)...)
					}
				}
				return out, nil
			})
		}
	}
}
