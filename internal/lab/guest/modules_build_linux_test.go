package guest

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"linerate/internal/testenv"
)

const testKernel = "6.0.1-9-amd64"

const testHeaders = `Package: linux-headers-6.0.1-9-amd64
Source: linux
Version: 6.0.1-1~deb
Depends: linux-headers-6.0.1-9-common (= 6.0.1-1~deb), linux-image-6.0.1-9-amd64 (= 6.0.1-1~deb) | linux-image-6.0.1-9-amd64-unsigned (= 6.0.1-1~deb), linux-kbuild-6.0.1-9, gcc-12
Description: a text
 with Version: of its own

Package: linux-headers-6.0.1-9-amd64
Version: 5
`

// workshop is a machine with an archive of packages, a compiler and an image, all simulated by small programs in a
// folder of PATH that behave like the real ones as far as a build can see.
type workshop struct {
	archive string // result of apt-get download
	bin     string
	image   Image
	builder *moduleBuilder
	said    []string
}

func newWorkshop(t *testing.T, sets ...string) *workshop {
	t.Helper()
	needTools(t, "sh", "cat", "cp", "find", "sort", "sleep")
	testenv.PlainTemp(t)
	w := &workshop{archive: t.TempDir(), bin: t.TempDir()}
	put := func(name string, tar []byte) { testenv.WriteFile(t, filepath.Join(w.archive, name), tar, 0o600) }
	headers := "./usr/src/linux-headers-6.0.1-9-amd64/"
	put("linux-headers-6.0.1-9-amd64_1_amd64.deb",
		archive(t, headers+"Makefile", "include /usr/src/linux-headers-6.0.1-9-common/Makefile\n", headers+"scripts",
			"-> ../../lib/linux-kbuild-6.0.1-9/scripts", "./lib/modules/6.0.1-9-amd64/build",
			"-> /usr/src/linux-headers-6.0.1-9-amd64").Bytes())
	put("linux-headers-6.0.1-9-common_1_all.deb",
		archive(t, "./usr/src/linux-headers-6.0.1-9-common/Makefile", "all:\n").Bytes())
	put("linux-kbuild-6.0.1-9_1_amd64.deb",
		archive(t, "./usr/lib/linux-kbuild-6.0.1-9/scripts/modpost", "#!/bin/sh\n").Bytes())
	source := archive(t, "linux-source-6.0/", "", "linux-source-6.0/drivers/infiniband/sw/siw/Makefile", "siw",
		"linux-source-6.0/drivers/gpu/huge.c", "not wanted", "linux-source-6.0/fs/smb/client/Makefile", "smb",
		"linux-source-6.0/fs/nls/nls.h", "nls", "linux-source-6.0/scripts/asn1_compiler.c", "asn1",
		"linux-source-6.0/include/linux/asn1.h", "h")
	put("linux-source-6.0_1_all.deb",
		archive(t, "./usr/share/doc/linux-source-6.0/copyright", "text", "./usr/src/linux-source-6.0.tar.xz",
			source.String()).Bytes())
	for name, text := range map[string]string{"siw": module(testKernel, "siw", "ib_core"), "cifs": module(testKernel,
		"cifs", "ib_core")} {
		put(name+".ko", []byte(text))
	}
	put("show", []byte(testHeaders))
	w.script(t, map[string]string{
		"apt-cache": `cat ` + w.archive + `/show`,
		"apt-get": `case "$*" in *update*) exit 0;; esac
echo "dlstatus:1:50.0:half" >&3
cp ` + w.archive + `/*.deb .`,
		"dpkg-deb":             `cat "$2"`,
		"xz":                   `cat`,
		crossPrefix + "gcc-12": `for a; do last=$a; done; test "$(cat "$last")" = asn1 || exit 1; while [ "$1" != -o ]; do shift; done; echo compiled > "$2"`,
		crossPrefix + "ld":     `exit 1`,
		crossPrefix + "strip":  `shift; for f; do test -s "$f" || exit 1; done; echo stripped`,
		"awk":                  `exit 1`,
		"make":                 fakeMake(w.archive),
		"sed":                  `exit 1`,
		"grep":                 `exit 1`,
	})
	t.Setenv("PATH", w.bin+":"+toolPath)
	t.Setenv("KCFLAGS", "-DOF_THE_USER")
	// The image has a depmod that lists the modules, with a script as its loader.
	dir := filepath.Join(t.TempDir(), "image")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	kernel := "usr/lib/modules/" + testKernel + "/"
	initrd := newc(t, func(r rootFiles) {
		r["lib"] = rootEntry{link: "usr/lib"}
		text := `#!/bin/sh
[ "$2" = depmod ] || exit 9
cd "$7/lib/modules/$8" || exit 8
find . -name '*.ko' | sort | while read -r f; do echo "${f#./}:"; done > modules.dep
cp modules.dep modules.dep.bin
`
		r["usr/lib64/ld-linux-x86-64.so.2"] = rootEntry{text: &text, mode: 0o755}
		r.text("usr/bin/kmod", "kmod")
		r.text(kernel+"kernel/drivers/infiniband/core/ib_core.ko", "ib_core")
		r.text(kernel+"modules.builtin", "kernel/crypto/hmac.ko\n")
		r.text("usr/bin/other", "other")
	})
	testenv.WriteFile(t, filepath.Join(dir, initrdFile), initrd, 0o600)
	w.image = Image{Kernel: filepath.Join(dir, kernelFile), Initrd: filepath.Join(dir, initrdFile), Version: testKernel,
		sum: "of the image"}
	picked, err := pickModules(sets)
	if err != nil {
		t.Fatal(err)
	}
	w.builder = &moduleBuilder{image: w.image, sets: picked, dir: t.TempDir(), log: filepath.Join(w.archive, "log"),
		say: func(format string, args ...any) { w.said = append(w.said, format) }}
	return w
}

// fakeMake checks the arguments of make, and that the headers lead into the tree, and makes the modules that the
// archive has.
func fakeMake(archive string) string {
	return `test -z "$KCFLAGS" || exit 3
c= m= k=
while [ $# -gt 0 ]; do case "$1" in -C) c=$2; shift;; M=*) m=${1#M=};; KCFLAGS=*) k=${1#KCFLAGS=};; esac; shift; done
read -r word common < "$c/Makefile"; test -s "$common" || { echo "no $common"; exit 2; }
test -e "$c/scripts/modpost" || exit 4
echo "  CC [M]  $m/x.o"
case "$m" in
*/siw) test "$(cat "$m/Makefile")" = siw && cp ` + archive + `/siw.ko "$m/siw.ko";;
*/smb) test "$k" = "-DCONFIG_CIFS_SMB_DIRECT=1 -DCONFIG_SMB_SERVER_SMBDIRECT=1" && test -s "$c/scripts/asn1_compiler" && test ! -e "$m/../../drivers/gpu" &&
 cp ` + archive + `/cifs.ko "$m/client/cifs.ko";;
esac`
}

func (w *workshop) script(t *testing.T, all map[string]string) {
	t.Helper()
	for name, text := range all {
		testenv.WriteFile(t, filepath.Join(w.bin, name), "#!/bin/sh\n"+text+"\n", 0o755)
	}
}

func TestModuleBuilder(t *testing.T) {
	w := newWorkshop(t, "siw", "smbdirect")
	kept := filepath.Join(t.TempDir(), "kept.ko")
	testenv.WriteFile(t, kept, module(testKernel, "kept", "hmac"), 0o600)
	files, err := w.builder.build(context.Background(), []string{kept})
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{"kept.ko", "siw.ko", "cifs.ko", "modules.builtin", "modules.dep",
		"modules.dep.bin"}; !slices.Equal(files, want) {
		t.Errorf("files %q, want %q", files, want)
	}
	table, err := os.ReadFile(filepath.Join(w.builder.dir, "modules.dep"))
	if want := "kernel/drivers/infiniband/core/ib_core.ko:\nupdates/cifs.ko:\n" +
		"updates/kept.ko:\nupdates/siw.ko:\n"; err != nil || string(table) != want {
		t.Errorf("the table of modules: %q, %v", table, err)
	}
	if b, err := os.ReadFile(filepath.Join(w.builder.dir, "siw.ko")); err != nil ||
		string(b) != module(testKernel, "siw", "ib_core") {
		t.Errorf("siw.ko is not what was built (%v)", err)
	}
	if entries, _ := os.ReadDir(w.builder.dir); len(entries) != len(files) {
		t.Errorf("the build left %v next to %v", entries, files)
	}
	log, err := os.ReadFile(w.builder.log)
	if err != nil || !strings.Contains(string(log), "CC [M]") || !strings.Contains(string(log), "stripped") {
		t.Errorf("the log: %s, %v", log, err)
	}
	if !slices.Contains(w.said, "compiling %s (%s)") {
		t.Errorf("said %q", w.said)
	}
}

// Errors have the message of the failing program.
func TestModuleBuilderFails(t *testing.T) {
	long := `i=1; while [ $i -le 40 ]; do echo "x.c:$i: error"; i=$((i+1)); done; exit 2`
	for name, c := range map[string]struct {
		spoil   func(*testing.T, *workshop)
		says    []string
		missing bool
	}{
		"compiler": {func(t *testing.T, w *workshop) { w.script(t, map[string]string{"make": long}) },
			[]string{"siw cannot be built for kernel " + testKernel, "make: exit status 2", "x.c:26: error\n", "x.c:40: " +
				"error", "log"}, false},
		"no module": {func(t *testing.T, w *workshop) { w.script(t, map[string]string{"make": "exit 0"}) },
			[]string{"built no module of siw"}, false},
		"another kernel": {func(t *testing.T, w *workshop) {
			os.WriteFile(filepath.Join(w.archive, "siw.ko"), []byte(module("6.0.1-8-amd64", "siw")), 0o600)
		}, []string{"siw.ko was built for kernel 6.0.1-8-amd64", testKernel}, false},
		"needs more": {func(t *testing.T, w *workshop) {
			os.WriteFile(filepath.Join(w.archive, "siw.ko"), []byte(module(testKernel, "siw", "ib_core", "libcrc32c")), 0o600)
		}, []string{"siw.ko needs the module libcrc32c"}, false},
		"no headers": {func(t *testing.T, w *workshop) {
			w.script(t, map[string]string{"apt-cache": "echo 'E: No packages found' >&2; exit 100"})
		}, []string{"no linux-headers-" + testKernel, "No packages found", "rm -r "}, true},
		"fetch": {func(t *testing.T, w *workshop) {
			w.script(t, map[string]string{"apt-get": "echo 'E: Failed to fetch http://x/y.deb  404  Not Found' >&2; exit 100"})
		}, []string{"404  Not Found"}, true},
		"cut package": {func(t *testing.T, w *workshop) {
			os.Truncate(filepath.Join(w.archive, "linux-source-6.0_1_all.deb"), 2000)
		}, []string{"unpack linux-source-6.0_1_all.deb"}, false},
		"no source": {func(t *testing.T, w *workshop) {
			os.WriteFile(filepath.Join(w.archive, "linux-source-6.0_1_all.deb"), archive(t, "./usr/share/doc/x",
				"text").Bytes(), 0o600)
		}, []string{"linux-source-6.0_1_all.deb", "tar.xz"}, false},
		"other source": {func(t *testing.T, w *workshop) {
			inner := archive(t, "linux-source-6.0/README", "text").String()
			os.WriteFile(filepath.Join(w.archive, "linux-source-6.0_1_all.deb"), archive(t,
				"./usr/src/linux-source-6.0.tar.xz", inner).Bytes(), 0o600)
		}, []string{"nothing of what is to be built"}, false},
		"few packages": {func(t *testing.T, w *workshop) {
			os.Remove(filepath.Join(w.archive, "linux-kbuild-6.0.1-9_1_amd64.deb"))
		},
			[]string{"there are 3"}, false},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorkshop(t, "siw")
			c.spoil(t, w)
			_, err := w.builder.build(context.Background(), nil)
			if err == nil {
				t.Fatal("it was built")
			}
			for _, s := range c.says {
				if !strings.Contains(err.Error(), s) {
					t.Errorf("%v\ndoes not say %q", err, s)
				}
			}
			if strings.Contains(err.Error(), "x.c:25") {
				t.Errorf("more than the last lines: %v", err)
			}
			var missing *MissingError
			if errors.As(err, &missing) != c.missing {
				t.Errorf("missing: %v, want %v (%v)", !c.missing, c.missing, err)
			}
		})
	}
}

// A stopped build ends immediately, together with the compiler.
func TestModuleBuilderStopped(t *testing.T) {
	w := newWorkshop(t, "siw")
	ctx, cancel := context.WithCancel(context.Background())
	pid := filepath.Join(w.archive, "pid")
	w.script(t, map[string]string{"make": `sleep 300 & echo $! > ` + pid + `; echo "  CC [M] x.o"; wait`})
	go func() {
		for ; ctx.Err() == nil; time.Sleep(10 * time.Millisecond) {
			if b, _ := os.ReadFile(pid); len(b) > 0 {
				cancel()
			}
		}
	}()
	if _, err := w.builder.build(ctx, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("stopped: %v", err)
	}
	cancel()
	b, err := os.ReadFile(pid)
	if err != nil {
		t.Fatal(err)
	}
	if cmdline, err := os.ReadFile("/proc/" + strings.TrimSpace(string(b)) + "/cmdline"); err == nil &&
		strings.Contains(string(cmdline), "sleep") {
		t.Errorf("the compiler's child still runs: %q", cmdline)
	}
}

// One message names everything that is missing, with one command.
func TestToolchain(t *testing.T) {
	p, err := parseHeaders(testKernel, testHeaders)
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", t.TempDir())
	err = toolchain(p, moduleSets())
	var missing *MissingError
	if !errors.As(err, &missing) {
		t.Fatalf("an empty machine: %v", err)
	}
	for _, s := range []string{"x86_64-linux-gnu-gcc-12, ", "make, ", "apt-get install --no-install-recommends gcc-12 " +
		"binutils make xz-utils"} {
		if !strings.Contains(err.Error(), s) {
			t.Errorf("%v\ndoes not say %q", err, s)
		}
	}
}
