package inventory

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"linerate/internal/facts"
	"linerate/internal/inspect/survey"
)

// All commands parse words into the same machines.
func TestHostWords(t *testing.T) {
	for words, want := range map[string]string{
		"local,nas,root@pc.lan":       "local=local nas=ssh nas pc=ssh root@pc.lan",
		"n[1-2],netns B,lab a1b2/nas": "n1=ssh n1 n2=ssh n2 B=netns B nas=lab a1b2/nas",
		"local,local,nas":             "local=local nas=ssh nas",
		"root@nas,nas":                "nas=ssh root@nas nas-2=ssh nas",
		"nas,ssh nas":                 "ssh nas: it is there twice",
		"netns":                       `netns is not a host; put a connection of several words into quotes: linerate init "netns HOST"`,
		"n[1-":                        "write a range as n[1-4]",
		"snapshots x":                 "snapshots are not a host that can run anything",
		"rsh a,n[1-":                  "rsh a",
	} {
		hosts, wrong := Words("init", strings.Split(words, ","))
		var got []string
		for _, h := range hosts {
			got = append(got, h.Name+"="+h.Spec.String())
		}
		text := strings.Join(got, " ")
		if len(wrong) > 0 {
			text = errors.Join(wrong...).Error()
		}
		if text != want && (len(wrong) == 0 || !strings.Contains(text, want)) {
			t.Errorf("%s: %s, want %s", words, text, want)
		}
	}
	if _, wrong := Words("init", []string{"rsh a", "n[1-"}); len(wrong) != 2 {
		t.Errorf("want two errors together, not %v", wrong)
	}
}

// Two words for one machine are reported; machines with the same interface names may be different.
func TestSameMachine(t *testing.T) {
	of := func(name, connection string, last int) survey.Machine {
		return survey.Machine{
			Name:       name,
			Connection: connection,
			Facts: &facts.Facts{
				NICs: []facts.Interface{
					{Name: "lo", MAC: "00:00:00:00:00:00"},
					{Name: "e0", MAC: fmt.Sprintf("02:00:00:00:00:%02x", last)},
				},
			},
		}
	}
	desk, nas := of("desk", "local", 1), of("nas", "ssh nas", 2)
	if err := sameMachines([]survey.Machine{desk, nas}); err != nil {
		t.Error(err)
	}
	if err := sameMachines([]survey.Machine{desk, nas, of("desk-2", "ssh desk", 1)}); err == nil ||
		!strings.Contains(err.Error(), "ssh desk is this machine (both have e0 02:00:00:00:00:01)") {
		t.Errorf("this machine by its name: %v", err)
	}
	if err := sameMachines([]survey.Machine{nas, of("b", "ssh 10.0.0.2", 2)}); err == nil ||
		!strings.Contains(err.Error(), "ssh nas and ssh 10.0.0.2 are one machine") {
		t.Errorf("one machine by two names: %v", err)
	}
	none := survey.Machine{Facts: &facts.Facts{}}
	if err := sameMachines([]survey.Machine{none, none}); err != nil {
		t.Errorf("of machines without adapters nothing is known: %v", err)
	}
}
