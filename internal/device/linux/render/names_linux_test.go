package render_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"linerate/internal/device/configtest"
	"linerate/internal/testenv"
)

// nic is a network interface in a simulated /sys.
type nic struct {
	name, bus, id, port string
	vf                  bool
}

// sysfs writes a /sys with these interfaces, and creates them in the namespace, which has none yet.
func (w *world) sysfs(t *testing.T, nics ...nic) {
	t.Helper()
	var batch []string
	for i, c := range nics {
		device := "sys/devices/" + c.bus
		vendor, number, _ := strings.Cut(c.id, ":")
		w.write(t, device+"/vendor", "0x"+vendor+"\n")
		w.write(t, device+"/device", "0x"+number+"\n")
		if c.vf {
			w.write(t, device+"/physfn/vendor", "0x"+vendor+"\n")
		}
		w.write(t, "sys/class/net/"+c.name+"/dev_port", c.port+"\n")
		testenv.Check(t, os.Symlink("../../../devices/"+c.bus, filepath.Join(w.dir, "sys/class/net", c.name, "device")))
		batch = append(batch, fmt.Sprintf("link add name %s type veth peer name far%d netns %d", c.name, i, w.far))
	}
	w.must(t, ip("ip", batch))
	w.env = append(w.env, "LINERATE_SYS="+w.dir+"/sys")
}

// TestNamesAreFoundOrAskedFor: the script finds interface names by the NIC, or stops before it changes anything and
// prints what to set.
func TestNamesAreFoundOrAskedFor(t *testing.T) {
	needs(t)
	t.Parallel()
	const file = `
fabric: names
hosts:
  a: {os: linux, nics: {%s}}
  b: {os: linux, nics: {"x[1-4]": {part: {kind: nic, speed: 10G}}}}
links: [%s]
`
	one := fmt.Sprintf(file, "cx: {part: MCX516A-CCAT}", "{ends: [a.cx.1, b.x1]}, {ends: [a.cx.2, b.x2]}")
	mlx4 := fmt.Sprintf(file, "cx: {part: MCX354A-FCCT}", "{ends: [a.cx.1, b.x1]}, {ends: [a.cx.2, b.x2]}")
	two := fmt.Sprintf(file, `"cx[1-2]": {part: MCX516A-CCAT}`, "{ends: [a.cx1.1, b.x1]}, {ends: [a.cx2.2, b.x2]}")
	unknown := fmt.Sprintf(file, "cx: {part: {kind: nic, speed: 10G}}", "{ends: [a.cx, b.x1]}")
	declared := fmt.Sprintf(file, "cx: {part: MCX516A-CCAT, ports: [eno7, eno8]}", "{ends: [a.cx.1, b.x1]}")
	functions := []nic{{"enp1s0f1", "0000:01:00.1", "15b3:1017", "0", false},
		{"enp1s0f0", "0000:01:00.0", "15b3:1017", "0", false},
		{"enp1s0f2", "0000:01:00.2", "15b3:1017", "0", true}, {"eno1", "0000:02:00.0", "8086:1533", "0", false}}
	for _, c := range []struct {
		name, file string
		nics       []nic
		env        []string
		exit       int // 0 and 3 are equal: a sysctl may be missing in this kernel
		want       []string
		addressed  map[string]string
	}{
		{"a function a port", one, functions, nil, 0,
			[]string{"the plan's cxp1 is enp1s0f0 here", "the plan's cxp2 is enp1s0f1 here"},
			map[string]string{"enp1s0f0": "10.20.1.1/24", "enp1s0f1": "10.20.2.1/24"}},
		{"two ports on one function", mlx4, []nic{{"ens2d1", "0000:03:00.0", "15b3:1007", "1", false},
			{"ens2", "0000:03:00.0", "15b3:1007", "0", false}}, nil, 0, nil,
			map[string]string{"ens2": "10.20.1.1/24", "ens2d1": "10.20.2.1/24"}},
		{"two ports that cannot be told apart", mlx4,
			[]nic{{"ens2d1", "0000:03:00.0", "15b3:1007", "0", false}, {"ens2", "0000:03:00.0", "15b3:1007", "0", false}},
			nil, 2,
			[]string{"which interface is the plan's cxp1? Ports of NICs with the PCI id 15b3:1007 here: 2; their driver " +
				"gives several of them one number", "if_cxp1=NAME sh apply.sh", "plug in the cable of one port alone",
				"nothing was changed"}, nil},
		{"the plan's own names", one, []nic{{"cxp1", "0000:01:00.0", "15b3:1017", "0", false},
			{"cxp2", "0000:01:00.1", "15b3:1017", "0", false}}, nil, 0, nil, map[string]string{"cxp1": "10.20.1.1/24"}},
		{"the plan's name on another NIC", one,
			append([]nic{{"cxp1", "0000:07:00.0", "8086:1533", "0", false}}, functions...), nil, 0, nil,
			map[string]string{"enp1s0f0": "10.20.1.1/24"}},
		{"the NIC is not there", one, functions[3:], nil, 2,
			[]string{"No interface here is of a NIC with the PCI id 15b3:1017. Say it", "lspci -nnk -d 15b3:1017 shows",
				"modprobe mlx5_core; dmesg | grep -i mlx5_core says", "nothing was changed"}, nil},
		{"one port is not there", one, functions[1:], nil, 2,
			[]string{"here: 1; the plan has 2 of them", "  here: enp1s0f0 at 0000:01:00.0, port 0", "nothing was changed"}, nil},
		{"two NICs of a kind", two, append(functions, nic{"enp5s0f0", "0000:05:00.0", "15b3:1017", "0", false},
			nic{"enp5s0f1", "0000:05:00.1", "15b3:1017", "0", false}), nil, 2,
			[]string{"the plan has 4 on 2 NICs, and nothing here says which NIC is which", "enp5s0f1 at 0000:05:00.1",
				"nothing was changed"}, nil},
		{"two NICs, said", two, append(functions, nic{"enp5s0f0", "0000:05:00.0", "15b3:1017", "0", false},
			nic{"enp5s0f1", "0000:05:00.1", "15b3:1017", "0", false}),
			[]string{"if_cx1p1=enp5s0f0", "if_cx2p2=enp1s0f1"}, 0, nil,
			map[string]string{"enp5s0f0": "10.20.1.1/24", "enp1s0f1": "10.20.2.1/24"}},
		{"one said, which is the other's", one, functions, []string{"if_cxp1=enp1s0f1"}, 2,
			[]string{"which interface is the plan's cxp2? enp1s0f1 is another port of the plan already: say both",
				"nothing was changed"}, nil},
		{"both said, the other way round", one, functions, []string{"if_cxp1=enp1s0f1", "if_cxp2=enp1s0f0"}, 0, nil,
			map[string]string{"enp1s0f1": "10.20.1.1/24", "enp1s0f0": "10.20.2.1/24"}},
		{"no id is known", unknown, functions, nil, 2,
			[]string{"which interface is the plan's cx? There is none of that name here, and the NIC's PCI id is not known"},
			nil},
		{"said wrongly", unknown, functions, []string{"if_cx=eno9"}, 2,
			[]string{"There is no eno9 here", "nothing was changed"}, nil},
		{"said", unknown, functions, []string{"if_cx=eno1"}, 0, nil, map[string]string{"eno1": "10.20.1.1/24"}},
		{"written in the file", declared, []nic{{"eno7", "0000:01:00.0", "1:2", "0", false}}, nil, 0, nil,
			map[string]string{"eno7": "10.20.1.1/24"}},
		{"written in the file, not there", declared, functions, nil, 2,
			[]string{"There is no eno7 here", "nothing was changed"}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			p := configtest.Text(t, c.file)
			w := newWorld(t)
			w.sysfs(t, c.nics...)
			w.put(t, rendered(t, p, p.Hosts[0]))
			before := ""
			if c.exit == 2 {
				before = w.all(t)
			}
			for _, shell := range []string{"sh", "busybox sh"} {
				out, code := w.run(t, shell+" apply.sh", c.env...)
				if code == 3 && c.exit == 0 {
					code = 0
				}
				if code != c.exit {
					t.Fatalf("exit %d, want %d: %s", code, c.exit, out)
				}
				for _, want := range c.want {
					if !strings.Contains(out, want) {
						t.Errorf("no %q in %s", want, out)
					}
				}
				for name, address := range c.addressed {
					if got := w.must(t, "ip -o address show dev "+name); !strings.Contains(got, " "+address+" ") {
						t.Errorf("%s has not %s: %s", name, address, got)
					}
				}
				out, verified := w.run(t, shell+" verify.sh", c.env...)
				if c.exit == 2 && verified != 2 || c.exit == 0 && verified != 0 && verified != 3 {
					t.Errorf("verify: exit %d: %s", verified, out)
				}
				w.exits(t, 0, shell+" undo.sh")
				if c.exit != 2 {
					continue // an interface that comes up for the first time gets its queueing discipline
				}
				if got := w.all(t); got != before {
					t.Errorf("something changed:\n%s", difference(strings.Split(before, "\n"), strings.Split(got, "\n")))
				}
			}
		})
	}
}
