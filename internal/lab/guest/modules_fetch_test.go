package guest

import (
	"strings"
	"testing"
)

func TestParseHeaders(t *testing.T) {
	for _, c := range []struct {
		kernel, control string
		want            kernelPackages
	}{
		{"6.12.117+deb12-amd64", `Package: linux-headers-6.12.117+deb12-amd64
Version: 6.12.117-1~deb12u1
Depends: linux-base (>= 4.12~), linux-headers-6.12.117+deb12-common (= 6.12.117-1~deb12u1), linux-image-6.12.117+deb12-amd64 (= 6.12.117-1~deb12u1) | linux-image-6.12.117+deb12-amd64-unsigned (= 6.12.117-1~deb12u1), linux-kbuild-6.12.117+deb12, gcc-12
`, kernelPackages{"6.12.117-1~deb12u1", "linux-headers-6.12.117+deb12-amd64",
			"linux-headers-6.12.117+deb12-common", "linux-kbuild-6.12.117+deb12", "linux-source-6.12", "gcc-12"}},
		{"6.1.0-56-amd64", `Version: 6.1.192-2
Depends: linux-headers-6.1.0-56-common (= 6.1.192-2), linux-kbuild-6.1 (>= 6.1.192-2), linux-compiler-gcc-12-x86 (>= 6.1.192-2)
`, kernelPackages{"6.1.192-2", "linux-headers-6.1.0-56-amd64",
			"linux-headers-6.1.0-56-common", "linux-kbuild-6.1", "linux-source-6.1", "gcc-12"}},
	} {
		if got, err := parseHeaders(c.kernel, c.control); err != nil || got != c.want {
			t.Errorf("%s: %+v, %v", c.kernel, got, err)
		}
	}
	for _, bad := range []string{"", "Version: 1\n", "Version: 1/2\nDepends: linux-headers-1-common, linux-kbuild-1, " +
		"gcc-1\n", "Version: 1\nDepends: linux-headers-1-common, gcc-12\n"} {
		if p, err := parseHeaders("6.0.1", bad); err == nil {
			t.Errorf("%q was taken: %+v", bad, p)
		}
	}
	if _, err := parseHeaders("6", testControl); err == nil || !strings.Contains(err.Error(), "source") {
		t.Errorf("a kernel whose source has no name: %v", err)
	}
}

const testControl = "Version: 1\nDepends: linux-headers-1-common, linux-kbuild-1, gcc-12\n"

func FuzzHeaders(f *testing.F) {
	f.Add("6.1.0-9-amd64", testControl)
	f.Add("6..", "Version:\n\nDepends: a | b\n")
	f.Fuzz(func(t *testing.T, kernel, control string) {
		p, err := parseHeaders(kernel, control)
		if err != nil {
			return
		}
		// They become words of a command line and names of files.
		for _, s := range []string{p.Version, p.Common, p.Kbuild, p.Compiler} {
			if s == "" || strings.HasPrefix(s, "-") || strings.ContainsAny(s, "/ ") {
				t.Errorf("%q of %q", s, control)
			}
		}
	})
}

func TestPickModules(t *testing.T) {
	got, err := pickModules([]string{"smbdirect", "siw", "siw"})
	if err != nil || len(got) != 2 || got[0].Name != "siw" || len(got[0].defines()) != 0 || len(got[1].defines()) != 2 {
		t.Errorf("%+v, %v", got, err)
	}
	smb := got[1]
	for name, want := range map[string]bool{"fs/smb/client/cifs.c": true, "fs/smb": true, "fs/smbx/a": false,
		"include/linux/asn1.h": true, "include/linux/asn1.hh": false, "": false} {
		if smb.wants(name) != want {
			t.Errorf("%q: %v", name, !want)
		}
	}
	for _, bad := range []string{"", "SIW", "siw,smbdirect", "../x"} {
		if CheckModules([]string{bad}) == nil {
			t.Errorf("%q was taken", bad)
		}
	}
	if ModulesCommand("siw", "smbdirect") != "linerate lab build --modules siw,smbdirect" {
		t.Error(ModulesCommand("siw", "smbdirect"))
	}
}

func TestPlainPath(t *testing.T) {
	for dir, want := range map[string]bool{"/root/.cache/linerate/guest/a.modules-siw.part": true, "/home/a b": false,
		"/x:y": false, "/a#b": false, "/größe": true} {
		if got := plainPath(dir) == nil; got != want {
			t.Errorf("%s: %v", dir, got)
		}
	}
}
