package run

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"net/netip"
	"slices"
	"strconv"
	"strings"

	"linerate/internal/agent"
	"linerate/internal/base/unit"
	"linerate/internal/design/fabric"
	"linerate/internal/design/plan"
	"linerate/internal/record"
)

// Copy is the method that copies files as a person does.
const Copy = record.MethodCopy

// What a copy goes over, beside the kinds of shares.
const (
	copyPath = "path"
	copySSH  = "ssh"
	copyHTTP = "http"
	copySMB  = "smb"
	copyFTP  = "ftp"
	copyNFS  = "nfs"
)

// What copy does where nobody says.
const copyAmount = unit.GiB

// copyPlace is an end of a copy.
type copyPlace struct {
	host, path string
}

// copyCell is what a cell of copy has in place of a path.
type copyCell struct {
	ends    [2]copyPlace // from and to
	legs    [][2]int     // source and target of each direction, among ends
	over    string
	asks    string        // host that the tool runs on
	served  int           // of http, smb, ftp and ssh: the end that is not the tool's
	at      netip.Addr    // that it is served at
	share   *fabric.Share // of the user's own server; nil: linerate gives it out
	login   string        // the variable with its password; empty: the tool knows it by itself
	instead string        // what it stands for, in a lab; empty: for itself
	stores  []string      // other hosts that have a part in it
	locals  map[string]netip.Addr
	path    *plan.Path // nil: all on one host, or not known
	drives  [2]*fabric.Drive
	tool    string
	cache   string
	streams int
	files   int
	threads int
	amount  unit.Bytes
	lab     bool
	take    bool // a file that is there may be the source

	made []copyLegState // of a run: what is there
}

// copyLegState is a direction whose ends are there.
type copyLegState struct {
	source, target agent.CopyPlaced
	share          *agent.Shared
}

// hosts are all that take part.
func (c *copyCell) hosts() (all []string) {
	for _, e := range c.ends {
		all = once(all, e.host)
	}
	for _, h := range append([]string{c.asks}, c.stores...) {
		if h != "" {
			all = once(all, h)
		}
	}
	return all
}

// copies expands an experiment of copy: a cell for every combination of values.
func copies(p *plan.Plan, e *fabric.Experiment, o Options) []*Cell {
	var cells []*Cell
	for _, settings := range product(e.Axes) {
		maps.Copy(settings, o.Settings)
		b := &copyCell{lab: o.Lab, take: o.Sources && !o.Lab}
		c := &Cell{Samples: DefaultSamples, Window: settings["time"], Repeat: repeats(e, o), copy: b}
		direction := cmp.Or(settings["direction"], "out")
		delete(settings, "direction")
		delete(settings, "time")
		x := &record.Experiment{Name: e.Name, Method: Copy, Direction: direction, Variant: p.Variant, Settings: settings}
		c.Exp = x
		err := b.read(settings, direction)
		x.NotRun = cmp.Or(unsupported(e, settings, o), b.choose(p, e, x, settings["transport"], o))
		if err != nil && x.NotRun == "" {
			x.NotRun = err.Error()
		}
		if b.path != nil {
			c.Path = *b.path
		}
		x.ID = record.ExperimentID(x)
		cells = append(cells, c)
	}
	return cells
}

// read turns the settings of a cell into what is copied; all that is wrong with them comes together.
func (b *copyCell) read(settings map[string]string, direction string) error {
	var wrong []string
	count := func(key string, to *int) {
		if text := settings[key]; text != "" {
			if n, err := strconv.Atoi(text); err != nil || n < 1 {
				wrong = append(wrong, key+": "+text+" is no number from 1")
			} else {
				*to = n
			}
		}
	}
	b.streams = 1
	count("streams", &b.streams)
	count("threads", &b.threads)
	b.files = b.streams
	count("files", &b.files)
	b.amount = copyAmount
	if text := settings["amount"]; text != "" {
		n, err := unit.ParseBytes(text)
		if err != nil || n < 1 {
			wrong = append(wrong, "amount: "+text+" is no size such as 3.2GB")
		}
		b.amount = n
	}
	if b.files < b.streams {
		wrong = append(wrong, fmt.Sprintf("files: %d are less than the %d streams, each of which copies one at least", b.files, b.streams))
	}
	if int64(b.amount) < int64(b.files) {
		wrong = append(wrong, fmt.Sprintf("amount: %v are less than a byte for each of %d files", b.amount, b.files))
	}
	if b.streams > agent.MostCopyStreams {
		wrong = append(wrong, fmt.Sprintf("streams: %d are above %d, the most that one host copies at once", b.streams, agent.MostCopyStreams))
	}
	b.tool, b.cache = settings["tool"], cmp.Or(settings["cache"], agent.CopyCold)
	if names, _ := agent.CopyTools(); b.tool != "" && !slices.Contains(names, b.tool) {
		wrong = append(wrong, fmt.Sprintf("tool: %s is none of %s", b.tool, strings.Join(names, ", ")))
	}
	b.legs = map[string][][2]int{"out": {{0, 1}}, "in": {{1, 0}}, "both": {{0, 1}, {1, 0}}}[direction]
	if len(wrong) > 0 {
		return errors.New(strings.Join(wrong, "; "))
	}
	return nil
}

// CheckCopy says what is wrong with the settings of an experiment made by hand.
func CheckCopy(e *fabric.Experiment) (all []error) {
	for _, settings := range product(e.Axes) {
		b := &copyCell{}
		if err := b.read(settings, cmp.Or(settings["direction"], "out")); err != nil && !slices.ContainsFunc(all, func(x error) bool { return x.Error() == err.Error() }) {
			all = append(all, err)
		}
	}
	return all
}

// copyStandIns is what a lab copies over in place of what its hosts cannot have.
func copyStandIns(transport string) (over, instead string) {
	switch transport {
	case copySMB, copyNFS, copyHTTP:
		return transport, ""
	case "smb-direct":
		return copySMB, "smb-direct, which needs RDMA"
	case "":
		return copyHTTP, ""
	}
	return copyHTTP, transport
}

// choose finds the ends, what it goes over and which host copies, or says why that is not known.
func (b *copyCell) choose(p *plan.Plan, e *fabric.Experiment, x *record.Experiment, transport string, o Options) string {
	if len(e.From) != 1 || len(e.To) != 1 {
		return "it needs one place from which and one to which is copied; write from: HOST.DRIVE and to: HOST.DRIVE"
	}
	x.From, x.To = e.From[0], e.To[0]
	if e.Grouped() {
		return "copy among several hosts at once is not part of this version; a list, from: [n1.a, n2.a], measures one after another"
	}
	for i, name := range []string{e.From[0], e.To[0]} {
		b.ends[i].host, b.drives[i] = hostOf(name), driveOf(p, name)
		if p.Host(b.ends[i].host) == nil {
			return fmt.Sprintf("%s is no drive of a host; write HOST.DRIVE", name)
		}
		x.Ends = append(x.Ends, record.End{Host: b.ends[i].host})
		if o.Lab {
			b.ends[i].path = agent.TemporaryFolder // what the file names is of other hosts
		} else if b.drives[i] != nil {
			b.ends[i].path = b.drives[i].Path
		}
	}
	pathless := func(i int) string {
		return fmt.Sprintf("%s has no path: what of it may be used is not known; write path: FOLDER under drives", []string{e.From[0], e.To[0]}[i])
	}
	if b.ends[0].host == b.ends[1].host {
		b.over, b.asks = copyPath, b.ends[0].host
		for i := range b.ends {
			if b.ends[i].path == "" {
				return pathless(i)
			}
		}
		return ""
	}
	if transport == "local" {
		return fmt.Sprintf("transport: local stays on one host, and it goes from %s to %s", b.ends[0].host, b.ends[1].host)
	}
	path, why := between(p, b.ends[0].host, b.ends[1].host, e.Via)
	if why == "" {
		b.path, b.locals = &path, map[string]netip.Addr{path.From: path.FromPort.Address.Addr(), path.To: path.ToPort.Address.Addr()}
		x.Ends = ends(path)
		for _, l := range path.Links {
			x.Links = append(x.Links, l.Name)
		}
	}
	if !o.Lab {
		for i, d := range b.drives {
			if here := b.ends[1-i].host; d != nil && d.Mounts[here] != "" { // the other host sees it
				if b.ends[1-i].path == "" {
					return pathless(1 - i)
				}
				b.over, b.asks, b.stores = copyPath, here, []string{b.ends[i].host}
				b.ends[i] = copyPlace{here, d.Mounts[here]}
				return ""
			}
		}
	}
	for i := range b.ends {
		if b.ends[i].path == "" {
			return pathless(i)
		}
	}
	b.served = servedEnd(b.drives, transport)
	if asks, there := p.Host(b.ends[1-b.served].host).Reach, p.Host(b.ends[b.served].host).Reach; why != "" && !(transport == copySSH && asks == "local" && strings.HasPrefix(there, "ssh ")) {
		return why // ssh of this machine knows the way
	}
	b.over = transport
	d := b.drives[b.served]
	if o.Lab {
		b.over, b.instead = copyStandIns(transport)
	} else if b.over == "" && d != nil {
		b.over = cmp.Or(d.Export, onlyShare(d))
	}
	switch {
	case !o.Lab && ownShare(d, b.over):
		return b.useShare(d)
	case b.over == copySSH, b.over == copyHTTP, (b.over == copySMB || b.over == copyNFS) && (o.Lab || d != nil && d.Export == b.over):
	default:
		other := b.ends[1-b.served].host
		name := []string{e.From[0], e.To[0]}[b.served]
		return fmt.Sprintf("how %s gets at %s over %s is not known; mount it there and write mounts: {%s: PATH} under drives, or export: smb, nfs or http, with which linerate gives it out itself, or transport: ssh",
			other, name, cmp.Or(transport, "the network"), other)
	}
	b.asks, b.at = b.ends[1-b.served].host, b.locals[b.ends[b.served].host]
	return ""
}

// ownShare says whether the user's own server gives a drive out over a protocol that copy has a tool for. An export is linerate's.
func ownShare(d *fabric.Drive, over string) bool {
	return d != nil && d.Export != over && strings.Contains(d.Shares[over], "/") && slices.Contains(ownKinds(), over)
}

// ownKinds are the protocols of shares over which copy has a tool.
func ownKinds() []string {
	_, over := agent.CopyTools()
	return slices.DeleteFunc(fabric.ShareKinds(), func(k string) bool {
		for _, kinds := range over {
			if slices.Contains(kinds, k) {
				return false
			}
		}
		return true
	})
}

// onlyShare is the protocol of a drive that has shares of one alone, over which copy has a tool.
func onlyShare(d *fabric.Drive) (kind string) {
	for _, k := range ownKinds() {
		if ownShare(d, k) {
			if kind != "" {
				return ""
			}
			kind = k
		}
	}
	return kind
}

// useShare takes the share of the user's own server; else it says why not.
func (b *copyCell) useShare(d *fabric.Drive) string {
	share, err := fabric.ParseShare(b.over, d.Shares[b.over])
	if err != nil {
		return fmt.Sprintf("shares of %s: %s: %v", d.Name, b.over, err)
	}
	b.share = &share
	b.login, _ = strings.CutPrefix(d.Login, "env:")
	b.asks, b.at = b.ends[1-b.served].host, b.locals[b.ends[b.served].host]
	return ""
}

// servedEnd is the end that the other host copies from or to: the one that a file says is given out; else over ssh the target, and otherwise the source.
func servedEnd(drives [2]*fabric.Drive, transport string) int {
	for i, d := range drives {
		if d != nil && (transport == "" && (d.Export != "" || len(d.Shares) > 0) || d.Export == transport && transport != "" || d.Shares[transport] != "") {
			return i
		}
	}
	if transport == copySSH {
		return 1
	}
	return 0
}
