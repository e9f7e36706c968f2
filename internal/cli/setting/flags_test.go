package setting

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/pflag"

	"linerate/internal/base/method"
	"linerate/internal/design/fabric"
)

// The order of each command's flags matches the table: each flag once, and all of them.
func TestFlagOrder(t *testing.T) {
	for _, command := range append(method.Names(func(m method.Method) bool { return m.Own }), method.Shared) {
		var want []string
		for _, s := range method.Settings() {
			if _, ok := s.Flags[command]; ok {
				want = append(want, s.Key)
			}
		}
		got := slices.Sorted(slices.Values(method.FlagOrder(command)))
		slices.Sort(want)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%q: order has (+), table has (-):\n%s", command, diff)
		}
	}
}

func parsed(t *testing.T, command string, args ...string) (Flags, []string) {
	t.Helper()
	set := pflag.NewFlagSet("measure", pflag.ContinueOnError)
	f := Add(set, command)
	if err := set.Parse(args); err != nil {
		t.Fatal(err)
	}
	var given []string
	set.Visit(func(x *pflag.Flag) { given = append(given, x.Name) })
	return f, given
}

func TestParameters(t *testing.T) {
	for _, c := range []struct {
		name, of string
		args     []string
		want     []fabric.Parameter
		wrong    []string
	}{
		{name: "defaults", of: method.Throughput,
			want: []fabric.Parameter{{Key: "streams", Values: []string{"1"}},
				{Key: "direction", Values: []string{"out", "in"}}}},
		{
			name: "streams before direction", of: method.Throughput,
			args: []string{"--direction", "in", "--streams=1,4", "--fragment", "--pace-by", "kernel"},
			want: []fabric.Parameter{
				{Key: "fragment", Values: []string{"true"}},
				{Key: "pace_by", Values: []string{"kernel"}},
				{Key: "streams", Values: []string{"1", "4"}},
				{Key: "direction", Values: []string{"in"}},
			},
		},
		{name: "of another method", of: method.Latency, args: []string{"--op", "read"},
			wrong: []string{"--op is of rdma, not of latency; omit it"}},
		{name: "name of its own", of: method.Storage, args: []string{"--data-seed", "7"},
			want: []fabric.Parameter{{Key: "seed", Values: []string{"7"}}}},
		{
			name: "empty", of: method.Throughput, args: []string{"--time", "", "--streams", "1", "--direction", "out"},
			wrong: []string{`--time: "" is not a duration; write --time 10s, 500ms, 4us, 2m or 1h`},
			want: []fabric.Parameter{
				{Key: "time"},
				{Key: "streams", Values: []string{"1"}},
				{Key: "direction", Values: []string{"out"}},
			},
		},
	} {
		command := method.Shared
		if method.Named(c.of).Own {
			command = c.of
		}
		f, given := parsed(t, command, c.args...)
		got, errs := f.Parameters(c.of, given)
		var wrong []string
		for _, err := range errs {
			wrong = append(wrong, err.Error())
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s: want (-), got (+):\n%s", c.name, diff)
		}
		if diff := cmp.Diff(c.wrong, wrong); diff != "" {
			t.Errorf("%s: errors: want (-), got (+):\n%s", c.name, diff)
		}
	}
}

// Flags are parsed a second time on top of the first: those that are not typed again stay, and the first set is
// unchanged.
func TestTake(t *testing.T) {
	first, _ := parsed(t, method.Shared, "--streams=1,4", "--time", "3s")
	set := pflag.NewFlagSet("against", pflag.ContinueOnError)
	second := Add(set, method.Shared)
	second.Take(first)
	if err := set.Parse([]string{"--streams", "8"}); err != nil {
		t.Fatal(err)
	}
	for key, want := range map[string][2][]string{"streams": {{"1", "4"}, {"8"}}, "time": {{"3s"}, {"3s"}}} {
		if diff := cmp.Diff(want, [2][]string{first.Texts(key), second.Texts(key)}); diff != "" {
			t.Errorf("%s: want (-), got (+):\n%s", key, diff)
		}
	}
}
