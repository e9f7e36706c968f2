package guest

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"linerate/internal/testenv"
)

// builderVariable turns TestKilled into the process that builds and is killed; its value is the cache.
const builderVariable = "LINERATE_TEST_BUILDER"

// smallRecipe returns the recipe of a system with a few files.
func smallRecipe() recipe {
	return recipe{Format: 9, Packages: []string{"busybox-static"}, Folders: []string{"net"}, Modules: []string{"tcp"},
		Boot: []string{"tcp"}}
}

func buildSmall(cache string) error {
	_, err := ensure(context.Background(), cache, nil, smallRecipe(),
		func(ctx context.Context, b *builder) (imageInfo, error) { return b.build(ctx) })
	return err
}

// smallDebian puts an apt and packages of that system into a folder, and programs that hang at a stage once they have
// left the number of their process in the file pid.
func smallDebian(t *testing.T, stage string) (bin, pid string) {
	t.Helper()
	needTools(t, "sh", "cat", "cp", "find", "sleep")
	testenv.PlainTemp(t)
	bin, pid = t.TempDir(), filepath.Join(t.TempDir(), "pid")
	hang := func(at string) string {
		if at != stage {
			return ":"
		}
		return "echo $$ > " + pid + "; exec sleep 300"
	}
	kernel := "./lib/modules/" + testKernel + "/"
	loader := "#!/bin/sh\n" + `test "$2" = depmod || exit 9
` + hang("modules") + `
cd "$7/lib/modules/$8" && find kernel -name '*.ko' | while read -r f; do echo "$f:"; done > modules.dep`
	deb := archive(t, "./bin/busybox", "busybox", "./usr/bin/kmod", "kmod", "./lib64/ld-linux-x86-64.so.2", loader,
		"./boot/vmlinuz-"+testKernel, "a kernel", kernel+"kernel/net/tcp.ko", "a module", kernel+"modules.order", "")
	testenv.WriteFile(t, filepath.Join(bin, "all"), deb.Bytes(), 0o600)
	programs(t, bin, map[string]string{"apt-cache": "echo linux-image-" + testKernel,
		"apt-get": hang("download") + "\ncp " + bin + "/all all.deb", "dpkg-deb": hang("unpack") + "\n" + `cat "$2"`})
	return bin, pid
}

// A build that is killed at any stage leaves no processes and nothing that looks like an image. The next one builds and
// cleans up.
func TestKilled(t *testing.T) {
	if cache := os.Getenv(builderVariable); cache != "" {
		if err := buildSmall(cache); err != nil {
			t.Fatal(err)
		}
		return
	}
	for _, stage := range []string{"download", "unpack", "modules"} {
		t.Run(stage, func(t *testing.T) {
			cache := t.TempDir()
			bin, pid := smallDebian(t, stage)
			cmd := exec.Command("/proc/self/exe", "-test.run", "^TestKilled$")
			cmd.Env = append(os.Environ(), builderVariable+"="+cache, "PATH="+bin+":"+toolPath)
			defer ownGroup(cmd)()
			var said bytes.Buffer
			cmd.Stdout, cmd.Stderr = &said, &said
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			killed := false
			kill := func() {
				if !killed {
					killed = true
					cmd.Process.Kill()
					cmd.Wait()
				}
			}
			defer kill()
			var child string
			for end := time.Now().Add(time.Minute); child == ""; time.Sleep(10 * time.Millisecond) {
				if time.Now().After(end) {
					kill()
					t.Fatalf("it did not get there: %s", &said)
				}
				b, _ := os.ReadFile(pid)
				child = strings.TrimSpace(string(b))
			}
			kill()
			for end := time.Now().Add(time.Minute); ; time.Sleep(10 * time.Millisecond) {
				cmdline, err := os.ReadFile("/proc/" + child + "/cmdline")
				if err != nil || !bytes.HasPrefix(cmdline, []byte("sleep\x00")) {
					break
				}
				if time.Now().After(end) {
					if n, err := strconv.Atoi(child); err == nil && n > 1 {
						syscall.Kill(n, syscall.SIGKILL)
					}
					t.Fatalf("what it had started still runs: %q", cmdline)
				}
			}
			dir := filepath.Join(cache, "guest", smallRecipe().hash())
			if _, err := verify(dir); err == nil {
				t.Fatal("half an image is taken for a whole one")
			}
			if _, err := os.Stat(dir + ".part"); err != nil {
				t.Fatalf("it was killed in no build: %v", err)
			}
			whole, _ := smallDebian(t, "")
			t.Setenv("PATH", whole+":"+toolPath)
			if err := buildSmall(cache); err != nil {
				t.Fatal(err)
			}
			entries, err := os.ReadDir(filepath.Dir(dir))
			if err != nil {
				t.Fatal(err)
			}
			var left []string
			for _, e := range entries {
				left = append(left, e.Name())
			}
			if want := []string{filepath.Base(dir), filepath.Base(dir) + imageLock}; !slices.Equal(left, want) {
				t.Errorf("the cache has %v, want %v", left, want)
			}
		})
	}
}
