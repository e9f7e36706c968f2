package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestSuggest(t *testing.T) {
	file := filepath.Join(t.TempDir(), "new.yaml")
	wish := []string{"plan", "--suggest", "--hosts", "3", "--rate", "10G", "--reach", "3m", "--os", "windows,truenas-core,linux"}
	a := call(t, nil, append(wish, "-o", file)...)
	if a.code != exitDone || !strings.Contains(a.out, "total 120 USD") || !strings.Contains(a.err, "linerate plan "+file) {
		t.Fatalf("%s", a)
	}
	if p := call(t, nil, "plan", file); p.code != exitDone || !strings.Contains(p.out, "3 hosts, 3 links, 120 USD") {
		t.Errorf("the file that it wrote: %s", p)
	}
	before, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if a := call(t, nil, append(wish, "-o", file, "--design", "2")...); a.code != exitInput || !strings.Contains(a.err, "is there already") {
		t.Errorf("over a file: %s", a)
	}
	if after, err := os.ReadFile(file); err != nil || string(after) != string(before) {
		t.Errorf("the file was changed: %v", err)
	}
	o := call(t, nil, append(wish, "--json")...).object(t, "linerate/suggest/1")
	if n := len(list(t, o, "designs")); n < 20 {
		t.Errorf("%d designs", n)
	}
	if again := call(t, nil, append(wish, "--all")...); again.out != call(t, nil, append(wish, "--all")...).out {
		t.Error("the same wish has two answers")
	}
}

func TestSuggestWrong(t *testing.T) {
	for _, x := range []struct {
		args []string
		want []string
		code int
	}{
		{[]string{"--suggest"}, []string{"3 mistakes", "--hosts 0", "--rate:", "--reach:"}, exitInput},
		{[]string{"--suggest", "--hosts", "1", "--rate", "10g", "--reach", "8 miles", "--rdma", "roce", "--os", "beos", "--max-price", "lots", "--max-watts", "-1", "--design", "0", "--slots", "0"},
			[]string{"9 mistakes", "--hosts 1", "--rate: ", "--reach: ", `--rdma "roce"`, `"beos" is no system`, "--max-price: ", "--max-watts: -1", "--design 0", "--slots 0"}, exitInput},
		{[]string{"--suggest", "x.yaml", "--hosts", "3", "--rate", "10G", "--reach", "3m"}, []string{"no file: x.yaml"}, exitInput},
		{[]string{"--hosts", "3", mesh}, []string{"--hosts: it is part of a wish; add --suggest"}, exitInput},
		{[]string{"--suggest", "--hosts", "3", "--rate", "10G", "--reach", "3m", "--design", "999"}, []string{"--design 999: there are "}, exitInput},
		{[]string{"--suggest", "--hosts", "64", "--rate", "400G", "--reach", "80km"}, []string{"--reach"}, exitInput},
		{[]string{"--suggest", "--hosts", "64", "--rate", "400G", "--reach", "80000m"}, nil, exitMissed},
	} {
		a := call(t, nil, append([]string{"plan"}, x.args...)...)
		if a.code != x.code {
			t.Errorf("%v: %s", x.args, a)
		}
		for _, want := range x.want {
			if !strings.Contains(a.err, want) {
				t.Errorf("%v: want %s in\n%s", x.args, want, a)
			}
		}
	}
}
