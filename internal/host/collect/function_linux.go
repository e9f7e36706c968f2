package collect

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"linerate/internal/facts/parse"
	"linerate/internal/facts/parse/iproute"
	"linerate/internal/facts/parse/pci"
)

// functions adds the devices of SR-IOV functions, and the content of the IOMMU groups of adapters and functions.
func (c *collector) functions(root string, links []iproute.Link) {
	devices := map[string]bool{}
	var out []byte
	for _, l := range links {
		dir := root + "/class/net/" + l.Name
		if l.Device == "" || !sameLink(dir+"/", l) {
			continue
		}
		if path, err := filepath.EvalSymlinks(dir + "/device"); err == nil && pci.Address.MatchString(filepath.Base(path)) {
			devices[filepath.Base(path)] = true
		}
		list, _ := filepath.Glob(dir + "/device/virtfn*")
		slices.SortFunc(list, byNumber)
		for _, link := range list[:min(len(list), parse.MaxFunctions)] {
			if to, err := os.Readlink(link); err == nil {
				devices[filepath.Base(to)] = true
				out = append(out, "/sys"+strings.TrimPrefix(link, root)+" -> "+to+"\n"...)
			}
		}
	}
	if out != nil {
		c.read("ls -l /sys/class/net/*/device/virtfn*", func() ([]byte, error) { return out, nil })
	}
	groups := map[string]bool{}
	for address := range devices {
		if to, err := os.Readlink(root + "/bus/pci/devices/" + address + "/iommu_group"); err == nil {
			groups[filepath.Base(to)] = true
		}
	}
	var names []string
	for g := range groups {
		names = append(names, g)
	}
	slices.SortFunc(names, byNumber)
	var members []byte
	for _, g := range names {
		files, _ := filepath.Glob(root + "/kernel/iommu_groups/" + g + "/devices/*/class")
		for _, file := range files {
			if text, err := os.ReadFile(file); err == nil {
				members = append(members, grepLines("/sys"+strings.TrimPrefix(file, root), text)...)
			}
		}
	}
	if members != nil {
		c.read("grep . /sys/kernel/iommu_groups/*/devices/*/class", func() ([]byte, error) { return members, nil })
	}
}
