package facts

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"linerate/internal/base/lazyregexp"
)

// sonicConf is SONiC's configuration: values by table, key and field, and what commands set.
type sonicConf struct {
	values map[string]Proof // "PORT|Ethernet0|mtu": the value stands in value
	value  map[string]string
	keys   map[string][]string // of a table, in order
	fields map[string][]string // of "QUEUE|Ethernet0|3", in order
	// reloaded: the tables of SONiC's own template are set, beside what is here.
	reloaded bool
	whole    bool                    // it is all that the switch has
	pfc      map[string]map[int]bool // by port: priorities that commands switched on or off
	pfcAt    map[string]Proof
}

func newSONiCConf() *sonicConf {
	return &sonicConf{values: map[string]Proof{}, value: map[string]string{}, keys: map[string][]string{}, fields: map[string][]string{}, pfc: map[string]map[int]bool{}, pfcAt: map[string]Proof{}}
}

func (c *sonicConf) set(table, key, field, value string, p Proof) {
	in := table + "|" + key
	if c.fields[in] == nil {
		c.keys[table] = append(c.keys[table], key)
	}
	at := in + "|" + field
	if _, there := c.value[at]; !there {
		c.fields[in] = append(c.fields[in], field)
	}
	c.values[at], c.value[at] = p, value
}

// get is a value with the line that says it; an older release writes a reference as [DSCP_TO_TC_MAP|AZURE].
func (c *sonicConf) get(table, key, field string) (string, Proof) {
	at := table + "|" + key + "|" + field
	v := strings.Trim(c.value[at], "[]")
	return v[strings.LastIndexByte(v, '|')+1:], c.values[at]
}

// sonicTables are those of which something is taken: all of config_db.json may have thousands of others.
var sonicTables = []string{"DSCP_TO_TC_MAP", "DOT1P_TO_TC_MAP", "TC_TO_QUEUE_MAP", "PORT_QOS_MAP", "SCHEDULER", "QUEUE", "WRED_PROFILE", "PORT", "CABLE_LENGTH",
	"PFC_WD", "BUFFER_PG", "PORTCHANNEL_MEMBER"}

// readTables takes the tables of a configuration: of config_db.json, of sonic-cfggen -d --print-data, or of a part for `config load`.
func (c *sonicConf) readTables(f *Facts, text []byte) error {
	n, err := jsonTree(text)
	if err != nil {
		return err
	}
	found := 0
	for _, t := range n.kids {
		if !slices.Contains(sonicTables, t.key) {
			continue
		}
		found++
		if c.keys[t.key] == nil {
			c.keys[t.key] = []string{} // the table is there, if empty
		}
		for _, k := range t.kids {
			if len(k.kids) == 0 { // a key without fields
				c.set(t.key, k.key, "", "", f.proof(k.line()))
			}
			for _, v := range k.kids {
				c.set(t.key, k.key, v.key, v.str(), f.proof(v.line()))
			}
		}
	}
	if found == 0 {
		return fmt.Errorf("none of its tables says something of ports or classes (%s ..)", strings.Join(sonicTables[:4], ", "))
	}
	return nil
}

// lines are all values, to be held against those that are saved.
func (c *sonicConf) lines() (out []confLine) {
	out = []confLine{}
	for at, p := range c.values {
		out = append(out, confLine{at + "=" + c.value[at], p})
	}
	slices.SortFunc(out, func(a, b confLine) int { return strings.Compare(a.key, b.key) })
	return out
}

// readSONiCRunning reads what the switch runs with: `sonic-cfggen -d --print-data`. There is no capture of one; the names of tables and fields
// are those of sonic-buildimage's templates and of the YANG models.
func readSONiCRunning(f *Facts, _ []string, text []byte) error {
	c := newSONiCConf()
	if err := c.readTables(f, text); err != nil {
		return err
	}
	c.whole = true
	f.said.sonic, f.said.running = c, c.lines()
	return nil
}

// readSONiCSaved reads what the switch starts with, config_db.json. What it runs with, where that is known, is what counts.
func readSONiCSaved(f *Facts, _ []string, text []byte) error {
	c := newSONiCConf()
	if err := c.readTables(f, text); err != nil {
		return err
	}
	f.said.startup = c.lines()
	if f.said.running == nil {
		c.whole = true
		f.said.sonic = c
	}
	return nil
}

// readSONiCPart reads tables for `config load`, beside what commands set.
func readSONiCPart(f *Facts, _ []string, text []byte) error {
	if f.said.sonic == nil {
		f.said.sonic = newSONiCConf()
	}
	return f.said.sonic.readTables(f, text)
}

var (
	sonicPFCCommand   = lazyregexp.New(`config interface pfc priority (\S+) (\d) (on|off)`)
	sonicMTUCommand   = lazyregexp.New(`config interface mtu (\S+) (\d+)`)
	sonicCableCommand = lazyregexp.New(`config interface cable_length (\S+) (\d+m)`)
	sonicWatchCommand = lazyregexp.New(`config pfcwd start (.+)$`)
	sonicECNCommand   = lazyregexp.New(`config ecn -profile (\S+)(.*)$`)
)

// readSONiCScript reads commands: `config interface pfc priority Ethernet0 3 on`. Their forms are those of the command reference.
func readSONiCScript(f *Facts, _ []string, text []byte) error {
	if f.said.sonic == nil {
		f.said.sonic = newSONiCConf()
	}
	c := f.said.sonic
	found := 0
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSpace(line)
		p := f.proof(line)
		if strings.HasPrefix(line, "#") {
			continue
		}
		found++
		switch {
		case strings.Contains(line, "config qos reload"):
			c.reloaded = true
		case sonicPFCCommand.MatchString(line):
			m := sonicPFCCommand.FindStringSubmatch(line)
			class, _ := strconv.Atoi(m[2])
			if c.pfc[m[1]] == nil {
				c.pfc[m[1]] = map[int]bool{}
			}
			c.pfc[m[1]][class] = m[3] == "on"
			if m[3] == "on" {
				c.pfcAt[m[1]] = p
			}
		case sonicMTUCommand.MatchString(line):
			m := sonicMTUCommand.FindStringSubmatch(line)
			c.set("PORT", m[1], "mtu", m[2], p)
		case sonicCableCommand.MatchString(line):
			m := sonicCableCommand.FindStringSubmatch(line)
			c.set("CABLE_LENGTH", "AZURE", m[1], m[2], p)
		case sonicWatchCommand.MatchString(line):
			action := ""
			for i, w := range strings.Fields(sonicWatchCommand.FindStringSubmatch(line)[1]) {
				if sonicPorts.MatchString(w) {
					c.set("PFC_WD", w, "action", "drop", p)
				} else if w == "all" && i > 0 {
					action = w
				}
			}
			if action == "all" {
				c.set("PFC_WD", "GLOBAL", "all", "drop", p)
			}
		case sonicECNCommand.MatchString(line):
			m := sonicECNCommand.FindStringSubmatch(line)
			w := strings.Fields(m[2])
			for i := 0; i+1 < len(w); i += 2 {
				if field := map[string]string{"-gmin": "green_min_threshold", "-gmax": "green_max_threshold"}[w[i]]; field != "" {
					c.set("WRED_PROFILE", m[1], field, w[i+1], p)
				}
			}
		default:
			found--
		}
	}
	if found == 0 {
		return toolError(text)
	}
	return nil
}
