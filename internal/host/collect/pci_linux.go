package collect

import (
	"os"
	"path/filepath"
	"strings"

	"linerate/internal/facts/parse/iproute"
	"linerate/internal/facts/parse/pci"
)

// pciTree adds the position of each adapter, and the links between it and the CPU. root is /sys.
func (c *collector) pciTree(root string, links []iproute.Link) {
	seen, payloads := map[string]bool{}, map[string]bool{}
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
		c.pciOn(root, path, pciFiles, seen)
		c.payloads(root, path, payloads)
	}
}

// payloads adds the packet size of every PCI Express device on a path of /sys/devices.
func (c *collector) payloads(root, path string, seen map[string]bool) {
	for _, e := range strings.Split(path, "/") {
		dir := root + "/bus/pci/devices/" + e
		if _, err := os.Stat(dir + "/current_link_speed"); err != nil || !pci.Address.MatchString(e) || seen[e] {
			continue
		}
		seen[e] = true
		c.read("setpci -s "+e+" "+pci.PayloadRegisters, func() ([]byte, error) {
			space, err := os.ReadFile(dir + "/config")
			if err != nil {
				return nil, err
			}
			return pci.PayloadOf(space)
		})
	}
}

// pciSpeeds adds only the speed of the links between adapters and CPU.
func (c *collector) pciSpeeds(root string, links []iproute.Link) {
	seen := map[string]bool{}
	for _, l := range links {
		dir := root + "/class/net/" + l.Name
		if l.Device == "" || !sameLink(dir+"/", l) {
			continue
		}
		path, err := filepath.EvalSymlinks(dir + "/device")
		if err != nil {
			continue
		}
		var express []string // devices on other buses have no such file
		for _, e := range strings.Split(path, "/") {
			if _, err := os.Stat(root + "/bus/pci/devices/" + e + "/current_link_speed"); err == nil {
				express = append(express, e)
			}
		}
		c.pciOn(root, strings.Join(express, "/"), []string{"current_link_speed", "current_link_width"}, seen)
	}
}

// pciOn adds files of every device on a path of /sys/devices.
func (c *collector) pciOn(root, path string, files []string, seen map[string]bool) {
	for _, e := range strings.Split(path, "/") {
		if !pci.Address.MatchString(e) || seen[e] {
			continue
		}
		seen[e] = true
		c.read("grep -r . /sys/bus/pci/devices/"+e, func() ([]byte, error) {
			var out []byte
			for _, name := range files {
				file := "/bus/pci/devices/" + e + "/" + name
				if text, err := os.ReadFile(root + file); err == nil {
					out = append(out, grepLines("/sys"+file, text)...)
				}
			}
			return out, nil
		})
	}
}
