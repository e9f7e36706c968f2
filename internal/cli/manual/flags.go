package manual

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// flagGroup is a heading in the help of commands. Its flags are NAME=VALUE, in the order of the help; a switch has no
// value. more are the flags that only --help-all prints where the help is long.
type flagGroup struct{ title, common, more string }

// flagGroups has every flag of every command once, because a flag has one meaning.
var flagGroups = []flagGroup{
	{"What",
		`from=HOST to=HOST lab in-lab=ID local self transport=NAME,.. link=RATE value=RATE,.. pcie=PCIE mtu=BYTES,..
		streams=N,.. size=SIZE,.. direction=out,in,both pace=RATE limit=RATE,.. compare-with=FLAGS traffic=NAME,..
		experiments=NAME,.. experiment=NAME variant=NAME lossless follow-up=TIME checks=ID,.. skip=ID,.. list snapshots=DIR
		op=NAME,.. metric=NAME,.. under-load loop=PORT,PORT amount=SIZE profile=NAME,.. load=NAME,.. read=SHARE,..
		depth=N,.. threads=N,.. access=NAME,.. cache=NAME,.. tool=NAME,.. files=N,.. app=NAME,.. extract=REGEXP unit=UNIT
		processes=N,.. server=COMMAND slot=SLOT,.. rtt=TIME window=SIZE drive=RATE hosts=N speed=RATE distance=LENGTH
		max-price=PRICE max-watts=WATTS os=NAME,.. slots=N rdma=NAME design=N name=NAME others yes check=FILE persist
		by=KEY pair=A,B baselines script=SYSTEM faults=ID,.. image=DIR,.. modules=NAME,.. undo set=KEY=VALUE
		explain=KEY file=FILE`,
		`to-address=ADDRESS guests=HOSTS scale=SHARE share=DIR offloads=on,off agent=FILE batch=N,.. copy-mode=NAME
		like-an-application fragment pace-by=NAME placement=CORES source=FILE spin every=TIME,.. load-streams=N,..
		load-direction=NAME,.. device=NAME,.. inline=SIZE,.. service=NAME,.. signal=N,.. path-mtu=BYTES,.. service-level=N,..
		traffic-class=N,.. span=SIZE,.. steady sync verify think=TIME on-error=NAME data-seed=N destroy=DRIVE storage=HOST
		ready=REGEXP allow=NAME,.. allow-commands allow-control-link allow-in-use=PORT,.. allow-source dry-run
		ipv6 vlan no-timestamps routed payload=BYTES io=SIZE latency=TIME drives=N layout=NAME nodes=N replicas=N writer=NAME
		reading markers loss=SHARE per-packet=TIME per-byte=TIME before=DIR after=DIR healthy-every=N listen=ADDRESS rate=RATE
		unlink-self`},
	{"How long",
		`time=TIME repeats=N until=SHARE budget=TIME bit-error-rate=RATE timeout=TIME timer=TIME resume`,
		`repeats-at-most=N warmup=TIME pause=TIME order=NAME seed=N samples=N`},
	{"Output",
		`output=DIR format=NAME csv=TABLE json jsonl junit=FILE all notes evidence cpu quiet dark raw`,
		`keep-serials`},
	{"Link",
		``,
		`both ce=SHARE ce-above=SIZE corrupt=SHARE delay=TIME duplicate=SHARE line=FILE loss-burst=N loss-in=TIME police=RATE
		police-burst=SIZE queue=SIZE queue-packets=N reorder=SHARE reorder-by=TIME until-eof`},
	{"Help", `help version`, ``},
}

// flagValues are the values of flags that take another value in some commands.
var flagValues = map[string]string{
	"init output": "FILE", "compare output": "FILE", "suggest output": "FILE", "share output": "FILE",
	"lab exam output": "DIR", "measure copy from": "[HOST:]PATH", "measure copy to": "[HOST:]DIR",
	"measure storage to": "PATH", "quick to": "DIR", "whatif mtu": "BYTES", "whatif streams": "N", "ceiling mtu": "BYTES",
	"explain mtu": "BYTES", "measure acceptance time": "TIME", "measure command files": "FILE,..", "ceiling depth": "N",
	"explain depth": "N", "ceiling path-mtu": "BYTES", "explain path-mtu": "BYTES", "explain tool": "NAME",
	"ceiling direction": "out,both", "explain direction": "out,both", "plan compare-with": "VARIANT",
	"lab-wire from": "NIC",
	"doctor lab":    "", "lab exam follow-up": "",
}

// flagValue returns the name of a flag's value in the help of a command, such as RATE; empty for a switch. A flag that
// is not in the table has the name of its type.
func flagValue(c *cobra.Command, f *pflag.Flag) string {
	if v, ok := flagValues[strings.Join(append(Path(c), f.Name), " ")]; ok {
		return v
	}
	if f.Value.Type() == "bool" {
		return ""
	}
	for _, g := range flagGroups {
		for _, entry := range strings.Fields(g.common + " " + g.more) {
			if name, value, _ := strings.Cut(entry, "="); name == f.Name && value != "" {
				return value
			}
		}
	}
	switch kind := f.Value.Type(); {
	case strings.HasPrefix(kind, "int"), strings.HasPrefix(kind, "uint"), strings.HasPrefix(kind, "float"):
		return "N"
	case kind == "stringSlice":
		return "A,B,.."
	}
	return "VALUE"
}

// seldom are flags that a long help of a command leaves out, although others have them.
var seldom = []string{"measure mtu", "measure jsonl", "measure all", "measure amount", "measure limit", "measure cache",
	"measure access", "run jsonl", "explain window", "explain rtt"}

// GroupedFlag is a flag with its place in the help. More reports whether a long help leaves it out.
type GroupedFlag struct {
	*pflag.Flag
	Group int
	More  bool
	order int
}

// Title returns the heading of the flag's group.
func (f GroupedFlag) Title() string { return flagGroups[f.Group].title }

// Grouped returns the flags of a command in the order of the help.
func Grouped(c *cobra.Command, flags []*pflag.Flag) (out []GroupedFlag) {
	for _, f := range flags {
		one := placed(f)
		one.More = one.More || slices.Contains(seldom, strings.Join(append(slices.Clip(firstOf(Path(c))), f.Name), " "))
		out = append(out, one)
	}
	slices.SortStableFunc(out, func(a, b GroupedFlag) int {
		if a.Group != b.Group {
			return a.Group - b.Group
		}
		return a.order - b.order
	})
	return out
}

func placed(f *pflag.Flag) GroupedFlag {
	for i, g := range flagGroups {
		common := strings.Fields(g.common)
		for k, entry := range slices.Concat(common, strings.Fields(g.more)) {
			if name, _, _ := strings.Cut(entry, "="); name == f.Name {
				return GroupedFlag{Flag: f, Group: i, order: k, More: k >= len(common)}
			}
		}
	}
	return GroupedFlag{Flag: f, order: 1 << 10, More: true}
}

// FlagText returns a flag as typed, the name of its value with the character in front, and its description.
func FlagText(c *cobra.Command, f *pflag.Flag) (typed, value, what string) {
	_, what = pflag.UnquoteUsage(f)
	typed = "--" + f.Name
	if f.Shorthand != "" {
		typed = "-" + f.Shorthand + ", " + typed
	}
	if value = flagValue(c, f); f.NoOptDefVal != "" && value != "" {
		value = "[=" + value + "]"
	} else if value != "" {
		value = " " + value
	}
	if def := f.DefValue; !slices.Contains([]string{"", "0", "false", "[]", "0s"}, def) &&
		!strings.Contains(what, "default") {
		what += " (default " + strings.Trim(def, "[]") + ")"
	}
	return typed, value, what
}

// Path is the path of a command below the program, also of a method's help, which is not a command of its own.
func Path(c *cobra.Command) (out []string) {
	for _, word := range strings.Fields(c.UseLine())[1:] {
		if word != strings.ToLower(word) || strings.HasPrefix(word, "[") || strings.HasPrefix(word, "-") {
			break
		}
		out = append(out, word)
	}
	return out
}

// firstOf is the first word of a path; the program itself has none.
func firstOf(path []string) []string { return path[:min(1, len(path))] }
