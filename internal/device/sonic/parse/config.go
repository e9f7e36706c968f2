package parse

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"linerate/internal/base/lazyregexp"
	"linerate/internal/facts"
	"linerate/internal/facts/parse"
	"linerate/internal/facts/parse/show"
)

// sonicConf is SONiC's configuration: values by table, key and field, and the settings of commands.
type sonicConf struct {
	values map[string]facts.Proof // "PORT|Ethernet0|mtu": the line; value has the value
	value  map[string]string
	keys   map[string][]string // of a table, in order
	fields map[string][]string // of "QUEUE|Ethernet0|3", in order
	// reloaded: the tables of SONiC's own template are also set.
	reloaded bool
	whole    bool                    // the text is complete
	pfc      map[string]map[int]bool // by port: priorities that commands enabled or disabled
	pfcAt    map[string]facts.Proof
}

func newSONiCConf() *sonicConf {
	return &sonicConf{values: map[string]facts.Proof{}, value: map[string]string{}, keys: map[string][]string{},
		fields: map[string][]string{}, pfc: map[string]map[int]bool{}, pfcAt: map[string]facts.Proof{}}
}

func (c *sonicConf) set(table, key, field, value string, p facts.Proof) {
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

// get returns a value with its line; older releases write a reference as [DSCP_TO_TC_MAP|AZURE].
func (c *sonicConf) get(table, key, field string) (string, facts.Proof) {
	at := table + "|" + key + "|" + field
	v := strings.Trim(c.value[at], "[]")
	return v[strings.LastIndexByte(v, '|')+1:], c.values[at]
}

// sonicTables are the tables with facts: config_db.json may have thousands of other entries.
var sonicTables = []string{"DSCP_TO_TC_MAP", "DOT1P_TO_TC_MAP", "TC_TO_QUEUE_MAP", "PORT_QOS_MAP", "SCHEDULER", "QUEUE",
	"WRED_PROFILE", "PORT", "CABLE_LENGTH", "PFC_WD", "BUFFER_PG", "PORTCHANNEL_MEMBER"}

// readTables reads the tables of a configuration: of config_db.json, of sonic-cfggen -d --print-data, or of a part for
// `config load`.
func (c *sonicConf) readTables(f *parse.Builder, text []byte) error {
	n, err := parse.JSONTree(text)
	if err != nil {
		return err
	}
	found := 0
	for _, t := range n.Kids {
		if !slices.Contains(sonicTables, t.Key) {
			continue
		}
		found++
		if c.keys[t.Key] == nil {
			c.keys[t.Key] = []string{} // the table exists, even if empty
		}
		for _, k := range t.Kids {
			if len(k.Kids) == 0 { // a key without fields
				c.set(t.Key, k.Key, "", "", f.Proof(k.Line()))
			}
			for _, v := range k.Kids {
				c.set(t.Key, k.Key, v.Key, v.Str(), f.Proof(v.Line()))
			}
		}
	}
	if found == 0 {
		return fmt.Errorf("none of its tables says something of ports or classes (%s ..)",
			strings.Join(sonicTables[:4], ", "))
	}
	return nil
}

// lines returns all values, to compare them with the saved ones.
func (c *sonicConf) lines() (out []show.ConfLine) {
	out = []show.ConfLine{}
	for at, p := range c.values {
		out = append(out, show.ConfLine{Key: at + "=" + c.value[at], Proof: p})
	}
	slices.SortFunc(out, func(a, b show.ConfLine) int { return strings.Compare(a.Key, b.Key) })
	return out
}

// readSONiCRunning reads the running configuration: `sonic-cfggen -d --print-data`. No snapshot of one exists; the
// names of tables and fields are those of sonic-buildimage's templates and the YANG models.
func readSONiCRunning(f *parse.Builder, _ []string, text []byte) error {
	c := newSONiCConf()
	if err := c.readTables(f, text); err != nil {
		return err
	}
	c.whole = true
	parse.StateOf[sonicState](f).conf, show.StateOf(f).Running = c, c.lines()
	return nil
}

// readSONiCSaved reads the startup configuration, config_db.json. The running one, if known, takes precedence.
func readSONiCSaved(f *parse.Builder, _ []string, text []byte) error {
	c := newSONiCConf()
	if err := c.readTables(f, text); err != nil {
		return err
	}
	show.StateOf(f).Startup = c.lines()
	if show.StateOf(f).Running == nil {
		c.whole = true
		parse.StateOf[sonicState](f).conf = c
	}
	return nil
}

// readSONiCPart reads tables for `config load`.
func readSONiCPart(f *parse.Builder, _ []string, text []byte) error {
	return sonicAsked(f).readTables(f, text)
}

var (
	sonicPFCCommand   = lazyregexp.New(`config interface pfc priority (\S+) (\d) (on|off)`)
	sonicMTUCommand   = lazyregexp.New(`config interface mtu (\S+) (\d+)`)
	sonicCableCommand = lazyregexp.New(`config interface cable_length (\S+) (\d+m)`)
	sonicWatchCommand = lazyregexp.New(`config pfcwd start (.+)$`)
	sonicECNCommand   = lazyregexp.New(`config ecn -profile (\S+)(.*)$`)
)

// readSONiCScript reads commands: `config interface pfc priority Ethernet0 3 on`. Their forms are those of the command
// reference.
func readSONiCScript(f *parse.Builder, _ []string, text []byte) error {
	c := sonicAsked(f)
	found := 0
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSpace(line)
		p := f.Proof(line)
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
		return parse.ToolError(text)
	}
	return nil
}

// sonicState is the outputs of SONiC that are combined later.
type sonicState struct {
	conf     *sonicConf
	profiles map[string]*sonicProfile // of show ecn
}

// sonicAsked returns the configuration that is being read, and creates it if needed.
func sonicAsked(f *parse.Builder) *sonicConf {
	s := parse.StateOf[sonicState](f)
	if s.conf == nil {
		s.conf = newSONiCConf()
	}
	return s.conf
}
