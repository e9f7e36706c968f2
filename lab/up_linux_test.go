package lab

import (
	"bytes"
	"context"
	"strings"
	"testing"
	"time"

	"linerate/reach"
	"linerate/unit"
)

func up(t *testing.T, opt Options) *Lab {
	t.Helper()
	l, err := Up(context.Background(), pair(10*unit.GigabitPerSecond, 1500), opt)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := l.Down(); err != nil {
			t.Error(err)
		}
	})
	return l
}

func run(t *testing.T, l *Lab, host string, argv ...string) (string, int) {
	t.Helper()
	var out bytes.Buffer
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	code, err := Exec(ctx, l.id+"/"+host, reach.Command{Argv: argv, Stdout: &out, Stderr: &out})
	if err != nil {
		t.Fatalf("%s: %q: %v", host, argv, err)
	}
	return out.String(), code
}

func TestFirst(t *testing.T) {
	l := up(t, Options{})
	t.Logf("%+v", l.Info)
	for _, c := range []string{"cat /etc/hosts", "ls /sys/class/net", "hostname", "ps ax", "ip -d a", "tc qdisc", "ls /sys/fs/cgroup", "ping -c 2 -i 0.1 b", "cat /proc/sys/net/core/rmem_max; ls /proc/sys/net/core; id; exit 7"} {
		out, code := run(t, l, "a", "sh", "-c", c)
		t.Logf("%s: %d\n%s", c, code, strings.TrimSpace(out))
	}
}
