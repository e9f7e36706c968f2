package main

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"linerate/internal/cli/manual"
	"linerate/internal/design/fabric"
	"linerate/internal/design/plan"
	"linerate/internal/facts"
	"linerate/internal/host/connect"
	"linerate/internal/run"
)

// What the two ends of a command line are called in its experiment.
const (
	copySource = "source"
	copyTarget = "target"
)

// copyFlags are the flags of measure copy; those that it shares with measure are in measureFlags.
type copyFlags struct {
	measureFlags
	source, target                string
	tool, cache, files, threadsOf []string
}

func (e *env) measureCopyCommand() *cobra.Command {
	var f copyFlags
	c := &cobra.Command{
		Use:    "copy --from [REACH:]PATH --to [REACH:]PATH",
		Hidden: true, // the text of measure has it
		Short:  "Copies of files as a person makes them, with the tool that the person uses",
		Long: `Copies files and says how long it took, with the sync of what was written, and what the processors, the drives and the network of both hosts did meanwhile.
REACH is one of measure's (ssh nas, netns a, lab ID/n1); without it PATH is of this machine. The source is a file, which is only read, or a folder, in which files of --amount are
made; the target is a folder. What is made, and what is copied, is in folders of linerate's own, which are removed at the end; nothing is ever written over. Two paths of one host are
copied with cp (Windows: robocopy): a share that is mounted is such a path. Between two hosts the copy goes over --transport: ssh (the user's own; where the other end is got at by
ssh that is the default), http (linerate's own server; else the default) or smb (a Samba of its own at the source; needs samba there, smbclient at the other end).
What arrived is compared with the source behind the time that counts: a copy that differs is an error.`,
		Example: `  linerate measure copy --from /mnt/tank --to /mnt/nas --amount 3.2GB
  linerate measure copy --from /home/me/film.mkv --to "ssh root@nas:/mnt/tank" --tool scp,rsync
  linerate measure copy --from "ssh nas:/mnt/tank" --to /tmp --transport smb --amount 10GiB --streams 1,3
  linerate measure copy --from /mnt/tank --to /mnt/nas --amount 1GiB --files 1,10000 --cache cold,warm --direction out,in`,
		Args:        cobra.NoArgs,
		Annotations: map[string]string{checksItself: "yes", manual.Shown: "yes"},
		RunE: func(c *cobra.Command, _ []string) error {
			return e.measureAs(c, run.Copy, &f.measureFlags, func() (*fabric.Experiment, ends, error) { return e.checkCopy(&f) })
		},
	}
	flags := c.Flags()
	flags.StringVar(&f.source, "from", "", "what is copied: [REACH:]PATH of a file, or of a folder, in which files are made")
	flags.StringVar(&f.target, "to", "", "where to: [REACH:]PATH of a folder")
	flags.StringVar(&f.toAddress, "to-address", "", "an address in the network between them, which is used (default: the fastest subnet that they share)")
	flags.StringSliceVar(&f.transports, "transport", nil, "between two hosts: ssh, http, smb")
	flags.StringSliceVar(&f.tool, "tool", nil, "cp, robocopy, smbclient, curl, nfs-cp, own, scp, sftp, rsync (default: the first of those for the transport)")
	flags.StringVar(&f.amount, "amount", "", "how much is copied, such as 3.2GB (default: the source, if it is a file; else 1GiB)")
	flags.StringSliceVar(&f.files, "files", nil, "how many files the amount is divided among (default: one for each stream)")
	flags.StringSliceVar(&f.streams, "streams", nil, "copies at once, which divide the files (default 1)")
	flags.StringSliceVar(&f.threadsOf, "threads", nil, "files that one tool has under way at once: robocopy /MT, curl --parallel")
	flags.StringSliceVar(&f.cache, "cache", nil, "cold: the source is let go of from the cache before (default); warm: it is read before, and comes from memory")
	flags.StringSliceVar(&f.directions, "direction", nil, "out (default: from source to target), in (the other way), both at once")
	flags.StringVar(&f.time, "time", "", "the longest that a copy may take (default: a minute, and a second for each MiB)")
	flags.IntVar(&f.repeats, "repeats", run.DefaultRepeats, "repeats")
	f.addKept(flags, "")
	return c
}

// reachPath tells a path with a reach before it: the path begins at the root (/ or C:\), behind the colon that ends the reach.
var reachPath = regexp.MustCompile(`^(.*?):(/[^/].*|/|[A-Za-z]:[\\/].*|\\\\.*)$`)

// splitPlace is the reach and the path of [REACH:]PATH.
func splitPlace(text string) (reachText, path string, err error) {
	if text == "" {
		return "", "", errors.New("it is not said; write a PATH, or REACH:PATH such as \"ssh nas:/mnt/tank\"")
	}
	first, _, _ := strings.Cut(text, " ")
	local := strings.HasPrefix(text, "/") || strings.HasPrefix(text, ".") || strings.HasPrefix(text, `\`) || regexp.MustCompile(`^[A-Za-z]:[\\/]`).MatchString(text)
	if m := reachPath.FindStringSubmatch(text); m != nil && !local {
		return m[1], m[2], nil
	}
	known := slices.Contains([]string{"local", "netns", "ssh", "lab", "srun", "kubectl", "tcp"}, first) || strings.HasPrefix(text, "tcp://")
	if known && !local && strings.Contains(text, ":") {
		return "", "", fmt.Errorf("%s: behind the reach stands a path from the root on, such as \"ssh nas:/mnt/tank\"", connect.Redact(text))
	}
	if known && !local && strings.Contains(text, " ") {
		return "", "", fmt.Errorf("%s: it has no path; write it behind a colon, such as \"ssh nas:/mnt/tank\"", connect.Redact(text))
	}
	return "local", text, nil
}

// checkCopy reads what a command line of measure copy asks for, before any host is asked. All its mistakes come together.
func (e *env) checkCopy(f *copyFlags) (*fabric.Experiment, ends, error) {
	wrong := &e.wrong
	at := ends{reach: map[string]connect.Spec{}, flag: map[string]string{}}
	f.paths = map[string]string{}
	var names, texts []string
	for _, end := range []struct{ flag, text, drive string }{{"from", f.source, copySource}, {"to", f.target, copyTarget}} {
		reachText, path, err := splitPlace(end.text)
		if err != nil {
			wrong.add(fmt.Errorf("--%s: %w", end.flag, err))
			continue
		}
		spec, err := connect.Parse(reachText)
		if err != nil {
			wrong.add(fmt.Errorf("--%s: %w", end.flag, err))
			continue
		}
		if spec.Kind == connect.Local {
			if whole, err := filepath.Abs(path); err == nil { // the agent is in a folder of its own
				path = whole
			}
		}
		name := hostName(spec)
		if len(texts) == 1 && texts[0] == spec.String() {
			name = names[0]
		} else if len(names) == 1 {
			name = unused(name, map[string]bool{names[0]: true})
		}
		names, texts = append(names, name), append(texts, spec.String())
		at.reach[name] = spec
		if at.flag[name] == "" {
			at.flag[name] = end.flag
		}
		f.paths[end.drive] = path
	}
	x := &fabric.Experiment{Name: run.Copy, Method: run.Copy}
	if len(names) == 2 {
		at.from, at.to = names[:1], names[1:]
		x.From, x.To = []string{names[0] + "." + copySource}, []string{names[1] + "." + copyTarget}
		if names[0] == names[1] && len(f.transports) > 0 && !slices.Equal(f.transports, []string{"local"}) {
			wrong.add(errors.New("--transport: both ends are paths of one host, which are copied with cp or robocopy; leave it out"))
		}
		if names[0] != names[1] && len(f.transports) == 0 {
			f.transports = []string{"http"}
			if slices.ContainsFunc(names, func(n string) bool { return at.reach[n].Kind == connect.SSH }) && slices.ContainsFunc(names, func(n string) bool { return at.reach[n].Kind == connect.Local }) {
				f.transports = []string{"ssh"}
			}
		}
		f.serve = copyTarget
		if at.reach[names[1]].Kind == connect.Local || slices.Contains(f.transports, "smb") && at.reach[names[0]].Kind != connect.Local {
			f.serve = copySource // the person copies from here
		}
	}
	if f.toAddress != "" {
		if _, err := netip.ParseAddr(f.toAddress); err != nil {
			wrong.add(fmt.Errorf("--to-address %s: not an IP address; write one such as 10.9.0.2", f.toAddress))
		}
	}
	for _, t := range f.transports {
		if !slices.Contains([]string{"ssh", "http", "smb", "local"}, t) {
			wrong.add(fmt.Errorf("--transport: %q is none of ssh, http and smb, over which two hosts copy; mount what is shared otherwise, and name the mounted path", t))
		}
	}
	f.settings(x, wrong)
	f.checkKept(wrong)
	e.endSecrets(at)
	return x, at, wrong.err()
}

// settings turns the flags into those of the experiment that a file would have.
func (f *copyFlags) settings(x *fabric.Experiment, wrong *mistakes) {
	for _, k := range []struct {
		key   string
		texts []string
	}{{"transport", f.transports}, {"tool", f.tool}, {"amount", []string{f.amount}}, {"files", f.files}, {"streams", f.streams}, {"threads", f.threadsOf}, {"cache", f.cache},
		{"direction", f.directions}, {"time", []string{f.time}}} {
		if len(k.texts) == 0 || len(k.texts) == 1 && k.texts[0] == "" && !slices.Contains(f.given, k.key) {
			continue
		}
		values, errs := fabric.Values(run.Copy, k.key, k.texts)
		for _, err := range errs {
			wrong.add(fmt.Errorf("--%s: %w", k.key, err))
		}
		x.Axes = append(x.Axes, fabric.Axis{Key: k.key, Values: values})
	}
	if len(wrong.list) == 0 {
		for _, err := range run.CheckCopy(x) {
			wrong.add(err)
		}
	}
}

// copyPlan is the plan of the hosts of measure copy: each end is a drive of its host.
func (f measureFlags) copyPlan(_ context.Context, x *fabric.Experiment, e ends, found map[string]*facts.Facts) (*plan.Plan, []string, error) {
	p := &plan.Plan{Name: x.Method, Fabric: &fabric.Fabric{Name: x.Method, Path: "measure", Experiments: []*fabric.Experiment{x}}}
	for _, name := range e.all() {
		decl := &fabric.Host{Name: name}
		for _, end := range []struct {
			hosts []string
			drive string
		}{{e.from, copySource}, {e.to, copyTarget}} {
			if !slices.Contains(end.hosts, name) {
				continue
			}
			d := &fabric.Drive{Name: end.drive, Path: f.paths[end.drive]}
			if f.serve == end.drive && len(e.all()) > 1 {
				d.Export, d.Shares = "smb", map[string]string{"ssh": f.serve, "http": f.serve} // the other host copies, whatever it goes over
			}
			decl.Drives = append(decl.Drives, d)
		}
		p.Hosts = append(p.Hosts, &plan.Host{Name: name, Reach: e.reach[name].String(), Decl: decl})
	}
	if len(e.all()) == 1 {
		return p, nil, nil
	}
	var wanted netip.Addr
	if f.toAddress != "" {
		wanted = netip.MustParseAddr(f.toAddress) // looked at before
	}
	ports, err := commonSubnet(e.all(), found, wanted)
	if err != nil && !wanted.IsValid() && slices.Equal(x.Axis("transport"), []string{"ssh"}) {
		return p, []string{"the network between the hosts is not counted: " + err.Error()}, nil
	}
	if err != nil {
		return nil, nil, fail(exitInput, err)
	}
	for i, name := range e.all() {
		join(p, name, ports[i], 0)
	}
	return p, mtusDiffer(p.Hosts), nil
}
