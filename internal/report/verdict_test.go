package report

import (
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	limiters "linerate/internal/explain/cause"
	"linerate/internal/record"
	"linerate/internal/report/format"
	"linerate/internal/report/headline"
)

// The steps of a fix are separate: commands verbatim, with their host, and sentences.
func TestSteps(t *testing.T) {
	v := &record.Verdict{Component: "nas: MTU of e0",
		Fix:  "give both the same:\non desk: ip link set e1 mtu 9000\nip link set e0 mtu 9000\nthen measure again",
		Undo: "ip netns exec a ip link set e0 mtu 1500", NextExperiment: "linerate measure throughput nas\nthe same at night"}
	c := caused(v)
	want := []Step{
		{"Fix", "give both the same:", false},
		{"On desk", "ip link set e1 mtu 9000", true},
		{"On nas", "ip link set e0 mtu 9000", true},
		{"", "then measure again", false},
	}
	if got := c.Fix(); !slices.Equal(got, want) {
		t.Errorf("%+v", got)
	}
	if got := c.Undo(); !slices.Equal(got, []Step{{"Undo", "ip netns exec a ip link set e0 mtu 1500", true}}) {
		t.Errorf("%+v", got)
	}
	if got := c.Next(); !slices.Equal(got,
		[]Step{{"Next test", "linerate measure throughput nas", true}, {"", "the same at night", false}}) {
		t.Errorf("%+v", got)
	}
	for text, want := range map[string]string{"give both the same:": "Give both the same:",
		"then measure again": "Then measure again.", "tcp_rmem is small": "tcp_rmem is small.",
		"nothing: no setting is changed": "Nothing: no setting is changed."} {
		if got := format.Sentence(text); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

func TestWarnings(t *testing.T) {
	e := &record.Experiment{Name: "raw", From: "a", To: "b",
		Warnings: []string{"other work kept 1.37 cores busy", "b: nothing was received"}}
	f := &record.Experiment{Name: "raw", From: "a", To: "c",
		Repeats: []record.Repeat{
			{Warnings: []string{"other work kept 10.2 cores busy"}},
			{Warnings: []string{"other work kept 0.9 cores busy"}},
		}}
	got := Warnings(
		&record.Run{Warnings: []string{"the clock of nas is 3 s late"}, Experiments: []*record.Experiment{e, f}},
	)
	want := []string{"the clock of nas is 3 s late",
		"other work kept 0.9 to 10.2 cores busy (3 times: raw a -> b and raw a -> c)", "b: nothing was received (raw a -> b)"}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

// Every verdict of storage is put in plain words.
func TestPlainWordsOfStorage(t *testing.T) {
	b, err := os.ReadFile("../../docs/causes.md")
	if err != nil {
		t.Fatal(err)
	}
	_, text, _ := strings.Cut(string(b), "\n## Of storage\n")
	text, _, _ = strings.Cut(text, "\n\nA fix")
	ids := regexp.MustCompile("(?m)^\\| `([a-z-]+)` \\|").FindAllStringSubmatch(text, -1)
	if len(ids) < 12 {
		t.Fatalf("%d causes", len(ids))
	}
	for _, id := range ids {
		if limiters.Plain(&record.Verdict{Limiter: id[1]}) == "" {
			t.Errorf("%s has no plain words", id[1])
		}
	}
}

// caused is the cause of one verdict.
func caused(v *record.Verdict) Cause { return Cause{Cause: headline.Cause{Verdict: v}} }
