package render

import (
	"fmt"
	"slices"
	"strings"

	"linerate/internal/design/plan"
	"linerate/internal/device/config"
	"linerate/internal/device/guide"
)

// fewestEqual is the number of equal hosts from which they share a README. For fewer, pages whose commands run as they
// are printed are the shorter way.
const fewestEqual = 4

// group finds the hosts whose READMEs differ only in their own values, and gives them one README together.
func (s *Set) group() {
	pages := map[string][]*member{}
	var order []string
	for i := range s.Devices {
		h := s.Plan.Host(s.Devices[i].Name)
		if h == nil {
			continue
		}
		m := newMember(s.Plan, h, &s.Devices[i])
		if m == nil {
			continue
		}
		if pages[m.page] == nil {
			order = append(order, m.page)
		}
		pages[m.page] = append(pages[m.page], m)
	}
	for _, page := range order {
		if equal := pages[page]; len(equal) >= fewestEqual {
			s.Groups = append(s.Groups, s.sharedReadme(equal))
		}
	}
}

// member is a host whose README may be shared.
type member struct {
	host   *plan.Host
	device *config.Device
	mask   mask
	page   string // its README with a key for each of its own values; equal hosts have equal pages
}

// newMember returns a host with its values masked; nil if a key is a word of its README already.
func newMember(p *plan.Plan, h *plan.Host, d *config.Device) *member {
	m := &member{host: h, device: d, mask: maskOf(p, h)}
	own := d.File(readmeName)
	if own == nil {
		return nil
	}
	text := own.Text()
	for _, v := range m.mask {
		if strings.Contains(text, v.key) {
			return nil
		}
	}
	f := config.File{Lines: readme(m.mask.sheet(sheetOf(p, d)))}
	m.page = f.Text()
	return m
}

// sharedReadme writes the README of equal hosts, and removes their own.
func (s *Set) sharedReadme(equal []*member) config.Group {
	p, first := s.Plan, equal[0]
	g := config.Group{Name: first.host.Name + "-" + equal[len(equal)-1].host.Name}
	for s.Device(g.Name) != nil { // its folder has this name
		g.Name += "-README"
	}
	var hosts []*plan.Host
	for _, m := range equal {
		g.Hosts, hosts = append(g.Hosts, m.host.Name), append(hosts, m.host)
		m.device.Files = slices.DeleteFunc(m.device.Files, func(f config.File) bool { return f.Name == readmeName })
	}
	// A value that is the same on all hosts is written as it is.
	var differ []string
	shown := mask{}
	for i, v := range first.mask {
		if !strings.Contains(first.page, v.key) {
			continue
		}
		if slices.ContainsFunc(equal, func(m *member) bool { return m.mask[i] != v }) {
			differ, shown = append(differ, v.key), append(shown, v)
		}
	}
	page := shown.sheet(sheetOf(p, first.device))
	page.title = fmt.Sprintf("%s, %d equal hosts: %s", guide.Names(p, hosts), len(hosts),
		strings.Replace(page.title, hostKey+": ", "", 1))
	page.title = strings.Replace(page.title, " on "+machineKey, "", 1)
	page.intro = fmt.Sprintf("This page is for %d equal hosts: %s. Each has a folder with its own scripts, which set it "+
		"up for the fabric %s (%s). On this page, replace %s by the host's own values, from the table below. ../README.md "+
		"has the order of all devices. `linerate config %s --explain %s` explains each line.", len(hosts),
		guide.Names(p, hosts), p.Name, p.File(), strings.Join(differ, ", "), p.Arguments(), hostKey)
	page.values = valueTables(equal, differ)
	for i := range page.device.Steps {
		page.device.Steps[i].Do = strings.ReplaceAll(page.device.Steps[i].Do, "this folder", "the folder ../"+hostKey)
	}
	g.Readme = config.File{Name: g.Name + "/" + readmeName, Lines: readme(page)}
	return g
}

// mostColumns is the number of columns of a table of values; further ones are in a table of their own.
const mostColumns = 7

// valueTables returns the own values of each host, by key.
func valueTables(equal []*member, keys []string) (tables [][][]string) {
	keys = keys[1:] // hostKey begins every table
	for first := true; first || len(keys) > 0; first = false {
		these := keys[:min(len(keys), mostColumns-1)]
		keys = keys[len(these):]
		rows := [][]string{append([]string{hostKey}, these...)}
		for _, m := range equal {
			row := []string{m.host.Name}
			for _, k := range these {
				row = append(row, m.mask.value(k))
			}
			rows = append(rows, row)
		}
		tables = append(tables, rows)
	}
	return tables
}
