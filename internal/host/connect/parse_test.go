package connect

import (
	"errors"
	"reflect"
	"strings"
	"testing"
)

func TestParse(t *testing.T) {
	for _, c := range []struct {
		text string
		want Spec
	}{
		{"local", Spec{Kind: Local}},
		{" local ", Spec{Kind: Local}},
		{"netns a", Spec{Kind: Netns, Name: "a"}},
		{"ssh nas", Spec{Kind: SSH, Name: "nas"}},
		{"ssh root@nas.example.org", Spec{Kind: SSH, Name: "root@nas.example.org"}},
		{"ssh me@fe80::1%eth0", Spec{Kind: SSH, Name: "me@fe80::1%eth0"}},
		{"lab n1", Spec{Kind: Lab, Name: "n1"}},
		{"lab 3f2a/n1", Spec{Kind: Lab, Lab: "3f2a", Name: "n1"}},
		{"snapshots my runs/x", Spec{Kind: Snapshots, Name: "my runs/x"}},
		{"tcp win:7000", Spec{Kind: TCP, Name: "win:7000"}},
		{"srun -p fast -N 2 --jobid=7 -w n[1-2]",
			Spec{Kind: Srun, Args: []string{"-p", "fast", "-N", "2", "--jobid", "7", "-w", "n[1-2]"}}},
		{"kubectl -n bench -c main pod-0", Spec{Kind: Kubectl, Name: "pod-0", Args: []string{"-n", "bench", "-c", "main"}}},
	} {
		got, err := Parse(c.text)
		if err != nil || !reflect.DeepEqual(got, c.want) {
			t.Errorf("%q: %+v, %v; want %+v", c.text, got, err, c.want)
		}
	}
}

func TestParseRefuses(t *testing.T) {
	for _, c := range []struct{ text, says string }{
		{"", "empty"},
		{"   ", "empty"},
		{"local x", "nothing after it"},
		{"netns", "netns NAME"},
		{"netns a b", "2 words"},
		{"netns ..", "not a name of a namespace"},
		{"netns ../../etc/passwd", "'/'"},
		{"ssh", "ssh [USER@]HOST"},
		{"ssh -oProxyCommand=touch /tmp/x", "ssh's own config"},
		{"ssh -oProxyCommand=x", "ssh's own config"},
		{"ssh root@-oProxyCommand=x", "begins with '-'"},
		{"ssh -x@nas", "options"},
		{"ssh @nas", "user: the name is empty"},
		{"ssh root@", "host: the name is empty"},
		{"ssh nas uname", "2 words"},
		{"ssh n$(id)", "'$'"},
		{"ssh n`id`", "'`'"},
		{"ssh a;b", "';'"},
		{"ssh nas\x1b[31m", "control"},
		{"ssh nas\nlocal", "control"},
		{"ssh n\xff", "UTF-8"},
		{"ssh nаs", "'а'"}, // a Cyrillic letter
		{"ssh " + strings.Repeat("n", 300), "limit is 255"},
		{"lab a/b/c", "'/'"},
		{"lab /n1", "lab: the name is empty"},
		{"snapshots", "snapshots DIR"},
		{"tcp win", "HOST:PORT"},
		{"tcp win:0", "port"},
		{"tcp win:70000", "port"},
		{"tcp win:7000#secret", "port"},
		{"srun --prolog=x", "not allowed"},
		{"srun -p", "needs a value"},
		{"srun -p -N", "begins with '-'"},
		{"srun -p fast id", "not \"id\""},
		{"kubectl --kubeconfig x pod", "not allowed"},
		{"kubectl -n a", "0 words"},
		{"telnet nas", "not a connection to a host"},
		{"SSH nas", "not a connection to a host"},
	} {
		_, err := Parse(c.text)
		if err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%q: error %v, want one that says %q", c.text, err, c.says)
		}
		if errors.Is(err, ErrRefused) {
			t.Errorf("%q: typed by a user, it is not a matter of safety", c.text)
		}
		if _, err := ParseFile(c.text); !errors.Is(err, ErrRefused) {
			t.Errorf("%q in a file: %v, want ErrRefused", c.text, err)
		}
	}
}

func TestParseFile(t *testing.T) {
	for _, text := range []string{"local", "netns a", "ssh root@nas", "lab 3f2a/n1", "tcp win:7000", "srun -p fast -N 2",
		"kubectl -n bench pod"} {
		if _, err := ParseFile(text); err != nil {
			t.Errorf("%q: %v", text, err)
		}
	}
	if _, err := ParseFile("snapshots /etc"); !errors.Is(err, ErrRefused) ||
		!strings.Contains(err.Error(), "--snapshots /etc") {
		t.Errorf("a folder of snapshots in a file: %v", err)
	}
}

func TestOpenRefuses(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	for _, c := range []struct {
		text string
		is   error
	}{
		{"snapshots x", ErrNotLive}, {"srun -N 1", nil}, {"kubectl pod", nil},
	} {
		s, err := Parse(c.text)
		if err != nil {
			t.Fatal(err)
		}
		_, err = Open(t.Context(), s)
		var e *Error
		if c.is != nil && !errors.Is(err, c.is) || !errors.As(err, &e) || e.Try == "" || e.Connection != c.text {
			t.Errorf("%q: %v, want %v and a next step", c.text, err, c.is)
		}
	}
	if _, err := Open(t.Context(), Spec{}); err == nil {
		t.Error("the zero Spec was opened")
	}
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{"local", "netns a", "ssh me@nas", "lab 3f/n1", "snapshots a b", "tcp [::1]:7",
		"srun -p x --jobid=7", "kubectl -n a b", "tcp://a:1#" + someSecret().Text()} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		spec, err := Parse(s)
		if err != nil {
			return
		}
		if strings.HasPrefix(spec.Name, "-") && spec.Kind != Snapshots {
			t.Errorf("%q names %q, which reads as an option", s, spec.Name)
		}
		spec.Secret = Secret{} // is not written
		again, err := Parse(spec.String())
		if err != nil || !reflect.DeepEqual(again, spec) {
			t.Errorf("%q is written %q, which reads as %+v, %v; want %+v", s, spec, again, err, spec)
		}
		if _, err := ParseFile(s); err != nil && !errors.Is(err, ErrRefused) {
			t.Errorf("%q in a file: %v is not ErrRefused", s, err)
		}
	})
}
