package guest

import (
	"reflect"
	"slices"
	"strings"
	"testing"
)

const someModules = `kernel/drivers/infiniband/sw/rxe/rdma_rxe.ko.xz: kernel/net/ipv4/udp_tunnel.ko.xz kernel/drivers/infiniband/core/ib_core.ko.xz
kernel/drivers/infiniband/core/ib_core.ko.xz:
kernel/net/ipv4/udp_tunnel.ko.xz: kernel/net/a.ko
kernel/net/a.ko: kernel/net/b-b.ko
kernel/net/b-b.ko: kernel/net/a.ko

# a comment
`

func TestModules(t *testing.T) {
	m, err := parseModulesDep(strings.NewReader(someModules))
	if err != nil {
		t.Fatal(err)
	}
	files, absent := m.closure([]string{"rdma-rxe", "virtio_pci", "b_b"})
	want := []string{"kernel/net/b-b.ko", "kernel/net/a.ko", "kernel/net/ipv4/udp_tunnel.ko.xz",
		"kernel/drivers/infiniband/core/ib_core.ko.xz", "kernel/drivers/infiniband/sw/rxe/rdma_rxe.ko.xz"}
	if !reflect.DeepEqual(files, want) {
		t.Errorf("load order %q,\nwant %q", files, want)
	}
	if !slices.Equal(absent, []string{"virtio_pci"}) {
		t.Errorf("absent: %v", absent)
	}
	for _, bad := range []string{"no colon", "/abs.ko:", "../x.ko:", "a.ko: ../../b.ko", ": x"} {
		if _, err := parseModulesDep(strings.NewReader(bad)); err == nil {
			t.Errorf("%q was taken", bad)
		}
	}
}

func FuzzModulesDep(f *testing.F) {
	f.Add(someModules)
	f.Add("a.ko: a.ko\n")
	f.Fuzz(func(t *testing.T, text string) {
		m, err := parseModulesDep(strings.NewReader(text))
		if err != nil {
			return
		}
		var names []string
		for file, needs := range m {
			names = append(names, moduleName(file))
			for _, f := range append(needs, file) {
				if strings.HasPrefix(f, "/") || strings.HasPrefix(f, "..") {
					t.Errorf("%q leads out of the modules' folder", f)
				}
			}
		}
		files, _ := m.closure(names)
		seen := map[string]bool{}
		for _, f := range files {
			if seen[f] {
				t.Errorf("%q is loaded twice", f)
			}
			seen[f] = true
		}
	})
}

func TestWantModule(t *testing.T) {
	folders := []string{"net", "drivers/net/veth"}
	for name, want := range map[string]bool{"6.1/kernel/net/ipv4/tcp.ko": true, "6.1/kernel/drivers/net/veth.ko.xz": true,
		"6.1/kernel/drivers/net/vethy.ko": false, "6.1/kernel/drivers/gpu/x.ko": false, "6.1/modules.builtin": true,
		"6.1": true, "6.1/kernel/network.ko": false} {
		if got := wantModule(name, folders); got != want {
			t.Errorf("%s: %v, want %v", name, got, want)
		}
	}
}

func TestNewestKernel(t *testing.T) {
	names := "linux-image-amd64 linux-image-6.1.0-9-amd64 linux-image-6.1.0-10-amd64 linux-image-6.12.9+deb12-amd64 " +
		"linux-image-6.12.117+deb12-amd64 " + "linux-image-6.12.118+deb12-cloud-amd64 linux-image-6.12.118+deb12-rt-amd64 " +
		"linux-image-6.12.118+deb12-amd64-unsigned linux-image-6.12.118+deb12-amd64-dbg linux-image-cloud-amd64"
	if got := newestKernel(names); got != "linux-image-6.12.117+deb12-amd64" {
		t.Errorf("newest: %s", got)
	}
	if got := newestKernel("linux-image-6.1.0-9-amd64 linux-image-6.1.0-10-amd64"); got != "linux-image-6.1.0-10-amd64" {
		t.Errorf("newest of Debian 12's: %s", got)
	}
	if got := newestKernel("linux-image-generic linux-image-arm64"); got != "" {
		t.Errorf("no kernel of Debian: %s", got)
	}
}
