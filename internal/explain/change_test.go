package explain

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"linerate/internal/base/unit"
	"linerate/internal/record"
	"linerate/internal/record/runfolder"
	"linerate/internal/testenv"
)

// written is a case of a file in testdata/cases: a line with what is wanted and, behind its last " | ", a name; then an
// indented line with a recorded run and the steps that change it.
type written struct {
	name, run, steps string
	want             []string
}

// cases are those of a file.
func cases(t testing.TB, file string) (all []written) {
	t.Helper()
	b := testenv.Must(os.ReadFile(filepath.Join("testdata/cases", file)))(t)
	var c written
	for line := range strings.Lines(string(b)) {
		text := strings.TrimSpace(line)
		switch {
		case text == "" || text[0] == '#':
		case line[0] == '\t':
			c.run, c.steps, _ = strings.Cut(text, " ; ")
			all = append(all, c)
		default:
			fields := strings.Split(text, " | ")
			last := len(fields) - 1
			c = written{name: fields[last], want: fields[:last]}
		}
	}
	return all
}

// prepared are recorded runs with steps that several cases begin with, by the name that cases call them.
var prepared = map[string]string{
	// the sender's route has a congestion window, at which the connections are with 20 segments
	"clamped": `route-window ; edit host2. ,"metrics":\[\{"window":43364\}\] => ; sender Cwnd = 20, Unacked = 20, ` +
		`RwndLimited = 0`,
	// CPUs that are full, a send buffer at the kernel's own limit, and round trips that were never short
	"full-buffer": `cpu-copy ; edit host1. 4096\t65536\t67108864 => 4096\t16384\t4194304 ; receiver RecvQ = 0 ; ` +
		`sender SndBuf = 4194304, NotSent = 0, MinRTT = 0.0006, RTT = 0.002, RwndLimited = 0, SndbufLimited = 0.1*BusySeconds`,
	// the receiver's CPUs keep their lowest clock
	"powersave": `cpu-copy ; add host2.(after|before) -- grep . /sys/devices/system/cpu/cpu*/cpufreq/scaling_governor --\n` +
		`/sys/devices/system/cpu/cpu0/cpufreq/scaling_driver:acpi-cpufreq\n` +
		`/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor:powersave\n`,
	// half of a link, nothing lost, nothing waited for, time left
	"slow": `healthy ; goodput 0.4 ; core User = 0.1, System = 0.1, SoftIRQ = 0.05, IRQ = 0, Idle = 0.75`,
	// a lab whose switch dropped what came above 84 Mb/s (nftables), read by nobody; the run followed up
	"followed-up": "chase-policer",
	"uncounted":   `exam/queue-single ; edit host2. (?s)-- proc/interrupts --\n.*?\n(-- |\z) => $1`,
	// other work filled the machine, and with it a program that is late says nothing
	"slow-drive": `exam/slow-drive ; core Idle += User, User = 0`,
	// Lost packets as if two of NVIDIA's NICs had counted them. The names of counters, and the shape of both outputs, are
	// those of snapshots of such NICs (ethtool-S--ethq-mlx5_core, and hw_counters of NVIDIA's "Understanding mlx5 Linux
	// Counters"); the driver of the lab's NIC stays in it.
	"mlx5": `exam/loss-rdma ; edit /host hw_counters/out_of_seq_request: => hw_counters/out_of_sequence: ; ` +
		`edit /host hw_counters/rcvd_seq_err: => hw_counters/packet_seq_err: ; ` +
		`edit /host hw_counters/completer_retry_err: => hw_counters/local_ack_timeout_err: ; ` +
		`edit /host1 "kind":"netem" => "kind":"pfifo" ; edit /host1 ("drops":)\d+ => ${1}0`,
}

// from is a recorded run, or a prepared one, with further steps.
func from(t testing.TB, run string, steps ...string) *recorded {
	t.Helper()
	text, ok := prepared[run]
	if !ok {
		text = run
	}
	name, first, _ := strings.Cut(text, " ; ")
	r := load(t, name).do(t, first)
	for _, s := range steps {
		r.do(t, s)
	}
	return r
}

// load is the recorded run with the case's steps.
func (c written) load(t testing.TB) *recorded {
	t.Helper()
	return from(t, c.run, c.steps)
}

// do changes a recorded run by steps that are separated by " ; ". In those that change the experiment, PLACE is exp,
// run, repeat, stream, sender or receiver (sockets), cpu, core (that was in use), coreN, cpuN (by its place in the
// list) or process (what the measuring processes had). PART is a pattern of names of snapshots.
//
//	PLACE FIELD = VALUE, ..   VALUE is nil, text, or factors: numbers and fields; also += and *=
//	edit PART PATTERN => TO   at least one snapshot must have the pattern
//	add PART TEXT             behind each of the snapshots
//	without PART              takes snapshots away
//	snapshots RUN             those of another recorded run of the same experiment
//	goodput SHARE             of the ceiling; both SHARE SHARE: of a direction each; factor SHARE: of what was measured
//	setting KEY VALUE         no value takes it away; in-effect: the same
//	step KEY=VALUE FACTOR     adds a step of a follow-up, made of the experiment itself: a change, and what it made of
//	                          its goodput
//	in N                      the steps behind it change this step of the follow-up
//	keep N                    steps of the follow-up
func (r *recorded) do(t testing.TB, steps string) *recorded {
	t.Helper()
	if steps == "" {
		return r
	}
	for step := range strings.SplitSeq(steps, " ; ") {
		verb, rest, _ := strings.Cut(strings.TrimSpace(step), " ")
		if err := r.change(t, verb, rest); err != nil {
			t.Fatalf("%s: %s: %v", r.name, step, err)
		}
	}
	return r
}

func (r *recorded) change(t testing.TB, verb, rest string) error {
	args := strings.Fields(rest)
	numbers := make([]float64, len(args))
	for i, a := range args {
		numbers[i], _ = strconv.ParseFloat(a, 64)
	}
	first, behind, _ := strings.Cut(rest, " ")
	line := strings.NewReplacer(`\n`, "\n", `\t`, "\t")
	e := r.at
	switch verb {
	case "edit":
		from, to, _ := strings.Cut(behind, " =>")
		return r.edit(first, from, line.Replace(strings.TrimPrefix(to, " ")))
	case "add":
		return r.eachFile(first, func(name string, text []byte) bool {
			r.files[name] = append(slices.Clip(text), line.Replace(behind)...)
			return true
		})
	case "without":
		return r.eachFile(first, func(name string, _ []byte) bool { delete(r.files, name); return true })
	case "snapshots":
		other := load(t, first)
		if other.exp.ID != r.exp.ID {
			return errors.New("it is of another experiment")
		}
		r.files = other.files
	case "collected": // those of another fabric, in which the interfaces have other names
		other := load(t, first)
		for file, text := range other.files {
			r.files[strings.ReplaceAll(file, other.exp.ID, r.exp.ID)] = []byte(strings.ReplaceAll(string(text),
				other.exp.Ends[0].Interface, r.exp.Ends[0].Interface))
		}
	case "goodput":
		v := numbers[0] * float64(e.Ceiling.Limit)
		e.Goodput = &record.Estimate{Median: v, Low: v, High: v, Interval: "range", Repeats: len(e.Repeats)}
		for i := range e.Repeats {
			rep := &e.Repeats[i]
			rep.Goodput, rep.Forward = v, v
			for k := range rep.Streams {
				rep.Streams[k].Goodput = v / float64(len(rep.Streams))
			}
		}
	case "factor":
		e.Goodput.Median *= numbers[0]
		for i := range e.Repeats {
			rep := &e.Repeats[i]
			rep.Goodput, rep.Forward, rep.Backward = rep.Goodput*numbers[0], rep.Forward*numbers[0], rep.Backward*numbers[0]
			for k := range rep.Streams {
				rep.Streams[k].Goodput *= numbers[0]
			}
		}
	case "both":
		r.do(t, "goodput "+args[0])
		one := float64(e.Ceiling.Limit)
		e.Ceiling.Limit *= 2
		e.Direction, e.Goodput.Median = "both", (numbers[0]+numbers[1])*one
		e.Forward, e.Backward = &record.Estimate{Median: numbers[0] * one}, &record.Estimate{Median: numbers[1] * one}
		e.Repeats[0].Backward = numbers[1] * one
	case "setting", "in-effect":
		of := e.Settings
		if verb == "in-effect" {
			of = e.InEffect
		}
		if of[first] = behind; behind == "" {
			delete(of, first)
		}
	case "amount":
		e.Seconds, e.Settings["amount"] = &record.Estimate{Median: 1, Low: 1, High: 1, Interval: "range", Repeats: 1}, first
	case "one-stream":
		e.Settings["streams"] = "1"
		for i := range e.Repeats {
			e.Repeats[i].Streams = e.Repeats[i].Streams[:1]
		}
	case "room": // that the links have, as a factor
		e.Ceiling.Limit *= unit.BitRate(numbers[0])
		for i := range e.Ceiling.Hops {
			h := &e.Ceiling.Hops[i]
			h.Rate = unit.Known(unit.BitRate(numbers[0]) * h.Rate.Or(0))
		}
	case "series": // the slices of the interval
		e.Repeats[0].SeriesOut = numbers
	case "thread": // one, with that share of a core
		return r.set("process", func(of any) error {
			one := record.Thread{Kind: "own", Host: "host1", Name: "send 0", Count: 1, System: numbers[0]}
			of.(*record.CPU).Threads = []record.Thread{one}
			return nil
		})
	case "busy-to", "busy-with", "steal":
		return r.set(args[0], func(of any) error { busy(verb, of.(*record.CPU), numbers[1]); return nil })
	case "lost": // what the sockets retransmitted
		return r.set("sender", func(of any) error {
			s := of.(*record.Socket)
			n, none := int64(numbers[0]*float64(*s.SegsOut)), int64(0)
			s.Retrans, s.DSACKDups = &n, &none
			return nil
		})
	case "softnet": // packets that the queues of host2's cores dropped, and how many they hold
		return r.grows("host2", args[0], "-- proc/net/softnet_stat --\n0011a2b3 %08x"+strings.Repeat(" 00000000", 13)+
			"\n-- proc/sys/net/core/netdev_max_backlog --\n"+args[1]+"\n")
	case "retransmitted": // segments of host1's TCP, some of them in the interval
		r.do(t, "sender Retrans = "+args[1]+", DSACKDups = 0")
		return r.grows("host1", args[0], "-- proc/net/snmp --\nTcp: OutSegs RetransSegs\nTcp: 1000000 %d\n")
	case "counter": // of /proc/net/netstat or /proc/net/snmp after the experiment
		return r.counter(args[0], args[1], args[2])
	case "vanish": // an interface
		return r.vanish(args[0], args[1])
	case "drive":
		return r.drive(args[0], args[1], numbers[2])
	case "step":
		return r.step(args)
	case "asked-for": // what a step of the follow-up was made for
		key, value, _ := strings.Cut(first, "=")
		e.FollowedUp.Change = map[string]string{key: value}
	case "in":
		if r.at = r.exp; numbers[0] > 0 {
			r.at = r.exp.FollowUp[int(numbers[0])-1]
		}
	case "keep":
		r.exp.FollowUp = r.exp.FollowUp[:int(numbers[0])]
	default:
		return r.set(verb, func(of any) error {
			var err error
			for _, m := range fieldChange.FindAllStringSubmatch(fieldEnd.ReplaceAllString(rest, "\n$1"), -1) {
				err = errors.Join(err, assign(of, e.Repeats, m[1], m[2], m[3]))
			}
			return err
		})
	}
	return nil
}

// fieldEnd is what separates two changes of fields.
var (
	fieldEnd    = regexp.MustCompile(`, (\w+ [+*]?= )`)
	fieldChange = regexp.MustCompile(`(?m)^(\w+) ([+*]?=) (.+)$`)
)

// assign changes a field of a structure. A field of another name is one of the structure, or else of the first repeat.
func assign(of any, repeats []record.Repeat, field, op, text string) error {
	s := reflect.ValueOf(of).Elem()
	f := s.FieldByName(field)
	if !f.IsValid() {
		return fmt.Errorf("%s has no field %s", s.Type(), field)
	}
	if text == "nil" {
		f.SetZero()
		return nil
	}
	to := f
	if f.Kind() == reflect.Pointer {
		to = reflect.New(f.Type().Elem()).Elem()
		if !f.IsNil() {
			to.Set(f.Elem())
		}
		defer func() { f.Set(to.Addr()) }()
	}
	switch to.Kind() {
	case reflect.String:
		to.SetString(text)
		return nil
	case reflect.Bool:
		to.SetBool(text == "true")
		return nil
	}
	value := 1.0
	for factor := range strings.SplitSeq(text, "*") {
		n, err := strconv.ParseFloat(factor, 64)
		if err != nil {
			v := s.FieldByName(factor)
			if !v.IsValid() && len(repeats) > 0 {
				v = reflect.ValueOf(repeats[0]).FieldByName(factor)
			}
			if v = reflect.Indirect(v); !v.IsValid() {
				return fmt.Errorf("neither a number nor a field: %s", factor)
			}
			n = number(v)
		}
		value *= n
	}
	switch op {
	case "+=":
		value += number(to)
	case "*=":
		value *= number(to)
	}
	to.Set(reflect.ValueOf(value).Convert(to.Type()))
	return nil
}

func number(v reflect.Value) float64 { return v.Convert(reflect.TypeFor[float64]()).Float() }

// set changes what a place names; there must be one.
func (r *recorded) set(place string, change func(of any) error) error {
	var all []any
	add := func(is bool, of any) {
		if is {
			all = append(all, of)
		}
	}
	add(place == "exp", r.at)
	add(place == "run", r.run)
	for i := range r.at.Repeats {
		rep := &r.at.Repeats[i]
		add(place == "repeat", rep)
		for k := range rep.Streams {
			s := &rep.Streams[k]
			add(place == "stream", s)
			add(place == "sender" && s.Socket != nil, s.Socket)
			add(place == "receiver" && s.Receiver != nil, s.Receiver)
		}
		for k := range rep.CPU {
			u := &rep.CPU[k]
			add(place == "cpu" || place == fmt.Sprint("cpu", k) || place == fmt.Sprint("core", u.Core) ||
				place == "core" && u.Core >= 0 || place == "process" && u.Core < 0, u)
		}
	}
	if len(all) == 0 {
		return errors.New("there is nothing of that name")
	}
	for _, of := range all {
		if err := change(of); err != nil {
			return err
		}
	}
	return nil
}

// busy takes time from a core, or from the measuring processes: "busy-to" what it was busy above a share, "busy-with"
// all but a share of what it did, and with "steal" a hypervisor gives a share to others.
func busy(verb string, u *record.CPU, share float64) {
	part := share
	switch verb {
	case "busy-to":
		part = min(1, share/u.Busy())
	case "steal":
		part, u.Steal = 1-share, share
		if u.Own != nil {
			*u.Own *= part
		}
	}
	u.User, u.System, u.SoftIRQ, u.IRQ = u.User*part, u.System*part, u.SoftIRQ*part, u.IRQ*part
	if verb != "steal" {
		u.Idle = 1 - u.Steal - u.Busy()
	}
}

// eachFile calls use with the snapshots whose names have a pattern; one of them must be of use.
func (r *recorded) eachFile(part string, use func(name string, text []byte) bool) error {
	re, err := regexp.Compile(part)
	if err != nil {
		return err
	}
	found := false
	for name, text := range r.files {
		if name != runfolder.ManifestName && re.MatchString(name) && use(name, text) {
			found = true
		}
	}
	if !found {
		return fmt.Errorf("no snapshot named %s has it", part)
	}
	return nil
}

func (r *recorded) edit(part, pattern, to string) error {
	re, err := regexp.Compile(pattern)
	if err != nil {
		return err
	}
	return r.eachFile(part, func(name string, text []byte) bool {
		r.files[name] = re.ReplaceAll(text, []byte(to))
		return re.Match(text)
	})
}

// grows puts a source behind the snapshots of a host, with a counter that comes to n after the experiment.
func (r *recorded) grows(host, n, format string) error {
	after, err := strconv.Atoi(n)
	if err != nil {
		return err
	}
	return r.eachFile("/"+host+`\.`, func(file string, text []byte) bool {
		value := 0
		if strings.Contains(file, ".after-") {
			value = after
		}
		r.files[file] = fmt.Appendf(slices.Clip(text), format, value)
		return true
	})
}

func (r *recorded) counter(host, name, value string) error {
	return r.eachFile("/"+host+".after", func(file string, text []byte) (found bool) {
		lines := strings.Split(string(text), "\n")
		for i := range lines[:len(lines)-1] {
			head, values := strings.Fields(lines[i]), strings.Fields(lines[i+1])
			if n := slices.Index(head, name); n > 0 && len(values) == len(head) && values[0] == head[0] &&
				!strings.HasPrefix(head[0], "IpExt") == (name != "InCEPkts") && (name != "InCsumErrors" || head[0] == "Tcp:") {
				values[n], found = value, true
				lines[i+1] = strings.Join(values, " ")
			}
		}
		r.files[file] = []byte(strings.Join(lines, "\n"))
		return found
	})
}

func (r *recorded) vanish(part, name string) error {
	line := regexp.MustCompile(fmt.Sprintf(`(?m)^\[?\{[^\n]*"(?:ifname|dev)":"%s"[^\n]*\n`, regexp.QuoteMeta(name)))
	of := regexp.MustCompile(`(?m)^-- ethtool (-\w) ` + regexp.QuoteMeta(name) + ` --$`)
	return r.eachFile(part, func(file string, text []byte) bool {
		r.files[file] = of.ReplaceAll(line.ReplaceAllFunc(text, func(m []byte) []byte {
			switch {
			case m[0] == '[':
				return []byte("[\n")
			case strings.HasSuffix(strings.TrimSpace(string(m)), "]"):
				return []byte("{\"ifname\":\"x\"}]\n")
			}
			return nil
		}), []byte("-- ethtool $1 x --"))
		return line.Match(text)
	})
}

// step adds a step of a follow-up, made of the experiment itself with changes and the factor of its goodput.
func (r *recorded) step(args []string) error {
	b, err := json.Marshal(r.exp)
	x := &record.Experiment{}
	if err = errors.Join(err, json.Unmarshal(b, x)); err != nil {
		return err
	}
	key, value, _ := strings.Cut(args[0], "=")
	x.FollowUp, x.Verdict = nil, nil
	switch {
	case key == "direction":
		x.Direction = value
	case value == "":
		delete(x.Settings, key)
	default:
		x.Settings[key] = value
	}
	x.FollowedUp = &record.FollowedUp{For: r.exp.ID, Step: len(r.exp.FollowUp) + 1,
		Next: record.Next{Change: map[string]string{key: value}, Why: "to know"}}
	x.ID = record.ExperimentID(x)
	factor, err := strconv.ParseFloat(args[1], 64)
	x.Goodput.Median *= factor
	for i := range x.Repeats {
		p := &x.Repeats[i]
		p.Goodput, p.Forward, p.Backward = p.Goodput*factor, p.Forward*factor, p.Backward*factor
		if x.Direction == "in" {
			p.Forward, p.Backward = p.Backward, p.Forward
			for j := range p.Streams {
				p.Streams[j].Direction = "in"
			}
		}
	}
	for name, text := range r.files {
		if strings.Contains(name, r.exp.ID) {
			r.files[strings.ReplaceAll(name, r.exp.ID, x.ID)] = text
		}
	}
	r.exp.FollowUp = append(r.exp.FollowUp, x)
	return err
}

// again has the experiment in the run once more. Steps change the second one of them.
func (r *recorded) again(t testing.TB) *recorded {
	t.Helper()
	var run record.Run
	b, err := json.Marshal(r.run)
	if err = errors.Join(err, json.Unmarshal(b, &run)); err != nil {
		t.Fatal(err)
	}
	r.at = run.Experiments[0]
	r.at.ID += "again"
	r.run.Experiments = append(r.run.Experiments, r.at)
	return r
}

var diskLine = regexp.MustCompile(`(?m)^( *\d+ +\d+ )(\S+)((?: \d+){11,})$`)

// drive changes a counter of the drive whose file host1 sends: what it grew by, as a factor, with "wraps" all of it, so
// that it ends at a number behind its last value of 32 bits, and with "kept-busy" by a number for each read.
func (r *recorded) drive(counter, how string, n float64) error {
	column := map[string]int{"sectors": 2, "busy": 9}[counter]
	var values []uint64
	each := func(change func(value, reads uint64) uint64) error {
		return r.eachFile("/host1.", func(file string, text []byte) (found bool) {
			r.files[file] = diskLine.ReplaceAllFunc(text, func(line []byte) []byte {
				m := diskLine.FindStringSubmatch(string(line))
				if m[2] != r.exp.InEffect["source_device"] {
					return line
				}
				found = true
				fields := strings.Fields(m[3])
				v, _ := strconv.ParseUint(fields[column], 10, 64)
				reads, _ := strconv.ParseUint(fields[0], 10, 64)
				fields[column] = fmt.Sprint(change(v, reads))
				return []byte(m[1] + m[2] + " " + strings.Join(fields, " "))
			})
			return found
		})
	}
	if err := each(func(v, _ uint64) uint64 { values = append(values, v); return v }); err != nil {
		return err
	}
	return each(func(v, reads uint64) uint64 {
		switch how {
		case "wraps":
			return uint64(uint32(v - slices.Max(values) + uint64(n)))
		case "kept-busy":
			return v + reads*uint64(n)
		}
		least := slices.Min(values)
		return least + uint64(n*float64(v-least))
	})
}
