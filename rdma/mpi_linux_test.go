package rdma

import (
	"bytes"
	"debug/elf"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"linerate/internal/testenv"
)

// mpiBuilt is linerate-mpi, built once for all tests of a `go test`.
func mpiBuilt(t *testing.T) string {
	t.Helper()
	testenv.Need(t, testenv.Live)
	path, err := BuildMPI(t.Context(), filepath.Join(os.TempDir(), fmt.Sprintf("linerate-verbs-test-%d", os.Getuid())))
	if errors.Is(err, ErrNoCompiler) {
		testenv.Missing(t, err.Error())
	}
	if err != nil {
		t.Fatal(err)
	}
	return path
}

func mpiSaid(t *testing.T, env []string, args ...string) (string, int) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), mpiBuilt(t), args...)
	cmd.Env = append(os.Environ(), env...)
	var out bytes.Buffer
	cmd.Stdout = &out
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return out.String(), cmd.ProcessState.ExitCode()
}

const exchange = "halo library=openmpi processes=4 hosts=2 columns=2 words=8 exchange=two-phase warmup=0 " +
	"window=1000 seed=1 room=64 cores=-1,-1,0,1 addresses=127.0.0.1,127.0.0.1"

func exchangeWith(key, value string) []string {
	words := strings.Split(exchange, " ")
	for i, w := range words {
		if strings.HasPrefix(w, key+"=") {
			words[i] = key + "=" + value
			return words
		}
	}
	return append(words, key+"="+value)
}

// Each invalid line is refused with a message, before a library is opened.
func TestMPIRefusals(t *testing.T) {
	for says, args := range map[string][]string{
		"there are: libraries; halo":              {},
		"there are: libraries; halo KEY=VALUE":    {"hello"},
		"library is missing":                      {"halo", "words=1"},
		"words is no key=value":                   {"halo", "words"},
		"key=speed is none of those":              exchangeWith("speed", "1"),
		"words stands twice":                      append(exchangeWith("words", "1"), "words=2"),
		"library=lam is none":                     exchangeWith("library", "lam"),
		"words=16385: it goes from 0 to 16384":    exchangeWith("words", "16385"),
		"words=-1: no number":                     exchangeWith("words", "-1"),
		"words=1x: no number":                     exchangeWith("words", "1x"),
		"processes=1: it goes from 2 to 4096":     exchangeWith("processes", "1"),
		"4 processes in 3 columns":                exchangeWith("columns", "3"),
		"exchange=ring is none":                   exchangeWith("exchange", "ring"),
		"cores=1;2: numbers with a comma":         exchangeWith("cores", "1;2"),
		"with 3 cores and 2 addresses":            exchangeWith("cores", "1,2,3"),
		"with 4 cores and 1 addresses":            exchangeWith("addresses", "10.0.0.1"),
		"seed=18446744073709551616: it goes from": exchangeWith("seed", "18446744073709551616"),
		"cores has more than 4096 entries": exchangeWith("cores",
			strings.TrimSuffix(strings.Repeat("1,", 5000), ",")),
		"window=0: it goes from 1 to":                          exchangeWith("window", "0"),
		"addresses has more than 4096 entries":                 exchangeWith("addresses", strings.Repeat("a,", 5000)),
		"room=1048577: it goes from 64 to 1048576":             exchangeWith("room", "1048577"),
		"words=?: no number":                                   exchangeWith("words", "\x1b"),
		"words=99999999999999999999999: it goes from 0 to 163": exchangeWith("words", "99999999999999999999999"),
	} {
		out, code := mpiSaid(t, nil, args...)
		if code != 1 || !strings.HasPrefix(out, "error step=line pair=-1 ") || !strings.Contains(out, says) ||
			strings.Count(out, "\n") != 1 {
			t.Errorf("%.80q: exit code %d, want 1 and %q: %.300q", args, code, says, out)
		}
	}
}

// fakeMPI puts a library with the name of an MPI library into a folder, compiled from a line of C.
func fakeMPI(t *testing.T, name, source string) []string {
	t.Helper()
	testenv.Need(t, testenv.Live)
	if _, err := exec.LookPath("cc"); err != nil {
		testenv.Missing(t, "the C compiler cc")
	}
	dir := t.TempDir()
	file := filepath.Join(dir, "fake.c")
	if err := os.WriteFile(file, []byte(source), 0o600); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command("cc", "-shared", "-fPIC", "-o", filepath.Join(dir, name), file).
		CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return []string{"LD_LIBRARY_PATH=" + dir, "PATH=/nonexistent"}
}

const every = `int %s;
int MPI_Get_library_version(char *t, int *n) { const char *v = "%s"; for (*n = 0; (t[*n] = v[*n]); ++*n); return 0; }
#define F(f) int MPI_##f(void) { return 0; }
F(Init) F(Finalize) F(Abort) F(Comm_size) F(Comm_rank) F(Comm_set_errhandler) F(Error_string) F(Send) F(Recv) F(Bcast) F(Isend) F(Irecv) F(Waitall) F(Sendrecv)`

// The ABI of a library is recognised by its exports, not by its name; a library without a required call does not count.
func TestMPILibraries(t *testing.T) {
	open := fmt.Sprintf(every, "ompi_mpi_comm_world, ompi_mpi_byte, ompi_mpi_errors_return",
		`Open MPI v9.9.9, package: none\nmore`)
	for _, c := range []struct{ file, source, says string }{
		{"libmpi.so.40", open, "library kind=openmpi file=libmpi.so.40 text=Open MPI v9.9.9, package: none\n"},
		{"libmpi.so.12", fmt.Sprintf(every, "nothing", `MPICH Version:\t9.9\nMPICH Release date: never`), "library " +
			"kind=mpich file=libmpi.so.12 text=MPICH Version: 9.9\n"},
		{"libmpi.so.40", "int ompi_mpi_comm_world, ompi_mpi_byte, ompi_mpi_errors_return;", "lacks kind=openmpi " +
			"text=libmpi.so.40 lacks MPI_Get_library_version"},
	} {
		out, code := mpiSaid(t, fakeMPI(t, c.file, c.source), "libraries")
		if code != 0 || !strings.HasPrefix(out, "linerate-mpi 1\n") || !strings.HasSuffix(out, "\ndone\n") ||
			!strings.Contains(out, c.says) ||
			!strings.Contains(out, "\ncores list=") {
			t.Errorf("%s: exit code %d, want %q:\n%s", c.file, code, c.says, out)
		}
	}
	if out, _ := mpiSaid(t, fakeMPI(t, "libmpi.so.12", open),
		"libraries"); strings.Contains(out, "kind=mpich file=libmpi.so.12") {
		t.Errorf("a library of Open MPI's is taken for MPICH: %s", out)
	}
	// The mpirun on the PATH decides which installation is used.
	env := fakeMPI(t, "libmpi.so.40", open)
	prefix := t.TempDir()
	lib := strings.TrimPrefix(env[0], "LD_LIBRARY_PATH=")
	if err := errors.Join(os.Mkdir(filepath.Join(prefix, "bin"), 0o700),
		os.Symlink(lib, filepath.Join(prefix, "lib")),
		os.WriteFile(filepath.Join(prefix, "bin", "mpirun"), nil, 0o700)); err != nil {
		t.Fatal(err)
	}
	if out, _ := mpiSaid(
		t,
		[]string{"PATH=/nonexistent:" + filepath.Join(prefix, "bin")},
		"libraries",
	); !strings.Contains(out, "file="+filepath.Join(prefix, "lib", "libmpi.so.40")+" text=Open MPI v9.9.9") {
		t.Errorf("%s", out)
	}
}

// Ranks that a different mpirun than the library's starts are each alone; the message explains it.
func TestMPIOfAnother(t *testing.T) {
	source := strings.ReplaceAll(fmt.Sprintf(every, "nothing", "MPICH Version: 9.9"), "F(Comm_size)",
		"int MPI_Comm_size(int c, int *n) { *n = 1; return 0; }")
	out, code := mpiSaid(t, fakeMPI(t, "libmpi.so.12", source), exchangeWith("library", "mpich")...)
	if code != 1 ||
		!strings.Contains(
			out,
			"MPI has 1 processes in place of 4: the mpirun that started them is not of this library (MPICH Version: 9.9, "+
				"libmpi.so.12)",
		) {
		t.Errorf("exit code %d: %s", code, out)
	}
}

func TestMPINeedsLibcAlone(t *testing.T) {
	f, err := elf.Open(mpiBuilt(t))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	libraries, err := f.ImportedLibraries()
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range libraries {
		if !slices.Contains([]string{"libc.so.6", "libdl.so.2", "libpthread.so.0"}, l) {
			t.Errorf("it needs %s", l)
		}
	}
}
