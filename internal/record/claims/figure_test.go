package claims

import (
	"encoding/binary"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf16"

	"linerate/internal/base/unit"
)

// fixture reads an output from testdata.
func fixture(t testing.TB, name string) []byte {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func reported(f Figure) string {
	n := func(o unit.Opt[int]) string {
		if v, ok := o.Get(); ok {
			return fmt.Sprint(v)
		}
		return "?"
	}
	block := "?"
	if f.Block > 0 {
		block = f.Block.String()
	}
	s := fmt.Sprintf("%s: %.6g, %s x %s x %s", f.Row, float64(f.Rate), n(f.Threads), n(f.Depth), block)
	if l, ok := f.Latency.Get(); ok {
		s += ", " + unit.Seconds(l)
	}
	return s
}

// Outputs as the tools print them. Those of fio are our own. The others have the shape of real ones (ib_write_bw over
// RoCE, ib_write_bw -a over InfiniBand, CrystalDiskMark 3, 6 and 8, ntttcp 5.39 and 5.33, diskspd 2.0.21 to 2.2), some
// with other numbers.
func TestTools(t *testing.T) {
	for _, c := range []struct {
		tool, file string
		want       []string
	}{
		{"fio", "fio-read-direct.json", []string{"seq read: RATE, 1 x 8 x 1 MiB, LATENCY"}},
		{"fio", "fio-group.json", []string{"four read: RATE, 4 x 4 x 4 KiB, LATENCY"}},
		{"fio", "fio-group.txt", []string{"four write: RATE, 4 x 4 x 4 KiB, 206 us"}},
		{"fio", "fio-mixed.txt", []string{"mix read: RATE, 2 x ? x 4 KiB, 387 us",
			"mix write: RATE, 2 x ? x 4 KiB, 433 us"}},
		{"fio", "fio-stonewall.txt", []string{"a read: RATE, 1 x 4 x 64 KiB, LATENCY",
			"b write: RATE, 1 x 4 x 64 KiB, LATENCY"}},
		{"fio", "fio-read-cached.txt", []string{"cached read: RATE, 1 x 1 x 128 KiB, LATENCY"}},
		{"perftest", "write_bw.txt", []string{"RDMA_Write BW: 9.257e+10, 1 x 128 x 64 KiB"}},
		{"perftest", "sweep_bw.txt", []string{"RDMA_Write BW, the fastest of 4 sizes: 9.9072e+10, 1 x ? x 1 MiB"}},
		{"perftest", "write_lat.txt", []string{"RDMA_Write Latency: 8.51064e+06, 1 x 1 x 2 B, 1.88 us"}},
		{"crystaldiskmark", "crystal8.txt", []string{"SEQ 1MiB Q8 T1 read: 4.4889e+09, 1 x 8 x 1 MiB, 14.9 ms",
			"SEQ 128KiB Q32 T1 read: 4.48586e+09, 1 x 32 x 128 KiB, 7.47 ms",
			"RND 4KiB Q32 T16 read: 3.23719e+09, 16 x 32 x 4 KiB, 5.18 ms",
			"RND 4KiB Q1 T1 read: 3.40024e+08, 1 x 1 x 4 KiB, 96.1 us",
			"SEQ 1MiB Q8 T1 write: 5.6175e+09, 1 x 8 x 1 MiB, 11.9 ms",
			"RND 4KiB Q32 T16 write: 2.82251e+09, 16 x 32 x 4 KiB, 5.94 ms",
			"RND 4KiB Q1 T1 write: 9.4016e+08, 1 x 1 x 4 KiB, 34.6 us"}},
		{"crystaldiskmark", "crystal3.txt", []string{"SEQ read: 4.0466e+09, ? x ? x ?", "SEQ write: 1.51885e+09, ? x ? x ?",
			"RND 512KB read: 3.04914e+09, ? x ? x 512 KiB", "RND 512KB write: 1.52369e+09, ? x ? x 512 KiB",
			"RND 4KB Q1 read: 2.01648e+08, 1 x 1 x 4 KiB", "RND 4KB Q1 write: 5.09624e+08, 1 x 1 x 4 KiB",
			"RND 4KB Q32 read: 2.17487e+09, 1 x 32 x 4 KiB", "RND 4KB Q32 write: 1.39756e+09, 1 x 32 x 4 KiB"}},
		{"crystaldiskmark", "crystal6.txt", []string{"SEQ Q32 T1 read: 7.32472e+08, 1 x 32 x ?",
			"SEQ Q32 T1 write: 6.80808e+08, 1 x 32 x ?", "RND 4KiB Q8 T8 read: 6.3136e+07, 8 x 8 x 4 KiB",
			"RND 4KiB Q1 T1 write: 1.808e+07, 1 x 1 x 4 KiB"}},
		{"crystaldiskmark", "crystal7.txt", []string{"SEQ 1MiB Q8 T1 read: 8.92112e+08, 1 x 8 x 1 MiB, 75.0 ms",
			"SEQ 1MiB Q1 T1 read: 7.73416e+08, 1 x 1 x 1 MiB, 10.8 ms",
			"RND 4KiB Q32 T16 read: 6.808e+06, 16 x 32 x 4 KiB, 635 ms",
			"RND 4KiB Q1 T1 read: 3.264e+06, 1 x 1 x 4 KiB, 10.0 ms"}},
		{"fio", "fio-job-alone.txt", []string{"test write: 2.19782e+09, 4 x 32 x 4 KiB"}},
		{"perftest", "write_bw_hdr.txt", []string{"RDMA_Write BW: 1.966e+11, 1 x 128 x 64 KiB"}},
		{"perftest", "write_bw_ndr.txt", []string{"RDMA_Write BW: 3.905e+11, 1 x 128 x 64 KiB"}},
		{"perftest", "perftest-mib.txt", []string{"RDMA_Write BW: 2.42062e+10, 1 x 128 x 64 KiB"}},
		{"perftest", "perftest.json", []string{"Write BW: 9.25e+10, 1 x ? x 64 KiB"}},
		{"iperf3", "iperf3-bidir.txt", []string{"client to server, both directions at once: 3.1e+09, ? x ? x ?",
			"server to client, both directions at once: 1.2e+09, ? x ? x ?"}},
		{"iperf3", "iperf3-stalled.txt", []string{": 0, ? x ? x ?"}},
		{"ntttcp", "ntttcp-linux.txt", []string{": 2.365e+10, 64 x ? x ?"}},
		{"ntttcp", "ntttcp.txt", []string{": 9.48657e+09, 8 x ? x 64 KiB"}},
		{"ntttcp", "ntttcp.xml", []string{": 2.91485e+08, 2 x ? x 150 B"}},
		{"diskspd", "diskspd.txt", []string{"mixed: 3.35435e+09, 2 x 32 x 4 KiB, 625 us",
			"read: 2.01259e+09, 2 x ? x 4 KiB, 600 us", "write: 1.34176e+09, 2 x ? x 4 KiB, 663 us"}},
		{"diskspd", "diskspd-old.txt", []string{": 4.44059e+09, 1 x ? x 128 KiB"}},
		{"diskspd", "diskspd.xml", []string{"read: 7.90589e+08, 2 x 2 x 64 KiB, 2.65 ms"}},
	} {
		all, err := Read(c.tool, fixture(t, c.file))
		if err != nil {
			t.Errorf("%s: %v", c.file, err)
			continue
		}
		var got []string
		for i, f := range all {
			s := reported(f)
			if i < len(c.want) {
				if strings.Contains(c.want[i], "RATE") {
					s = strings.Replace(s, fmt.Sprintf("%.6g", float64(f.Rate)), "RATE", 1)
				}
				if strings.Contains(c.want[i], "LATENCY") {
					s = strings.Replace(s, unit.Seconds(f.Latency.Or(0)), "LATENCY", 1)
				}
			}
			got = append(got, s)
			if f.Tool != c.tool || f.Printed == "" || f.Line == "" {
				t.Errorf("%s: %+v", c.file, f)
			}
			// Where all three are printed, requests times size give the rate. Text rounds them to three digits.
			if n, ok := f.IOPS.Get(); ok && f.Block > 0 {
				if rate := n * 8 * float64(f.Block); math.Abs(rate/float64(f.Rate)-1) > 0.01 {
					t.Errorf("%s: %s: %.0f requests of %v are %v, not %v", c.file, f.Row, n, f.Block, unit.BitRate(rate), f.Rate)
				}
			}
		}
		if strings.Join(got, "\n") != strings.Join(c.want, "\n") {
			t.Errorf("%s:\n%s\nwant\n%s", c.file, strings.Join(got, "\n"), strings.Join(c.want, "\n"))
		}
	}
}

// Everything else of the outputs that is compared is read, too.
func TestToolsCompared(t *testing.T) {
	read := func(tool, file string) []Figure {
		all, err := Read(tool, fixture(t, file))
		if err != nil {
			t.Fatal(file, err)
		}
		return all
	}
	if f := read("fio", "fio-read-direct.json")[0]; f.Buffered.Or(true) || f.Version != "3.33" || f.Way != "read" ||
		f.Seconds < 1.9 ||
		f.Rate < 1e8 {
		t.Errorf("%+v", f)
	}
	if f := read("fio", "fio-read-cached.txt")[0]; f.Buffered.IsKnown() {
		t.Errorf("fio's text does not report buffering: %+v", f)
	}
	if f := read("fio", "fio-mixed.txt")[1]; len(f.Streams) != 2 ||
		!strings.Contains(f.Depth.Why(), "share one queue") {
		t.Errorf("%+v", f)
	}
	for file, want := range map[string][2]string{"fio-mixed.txt": {"fio", "random"}, "fio-group.json": {"fio", "random"},
		"fio-read-direct.json": {"fio", "sequential"}, "fio-read-cached.txt": {"fio", "sequential"},
		"diskspd.txt": {"diskspd", "random"}, "crystal8.txt": {"crystaldiskmark", "sequential"}} {
		if f := read(want[0], file)[0]; f.Pattern != want[1] {
			t.Errorf("%s: %q", file, f.Pattern)
		}
	}
	if f := read("perftest", "write_bw.txt")[0]; f.Transport != "roce" || f.PathMTU != 1024 ||
		f.Printed != "92.57 Gb/sec" ||
		f.Meant != "" {
		t.Errorf("%+v", f)
	}
	if f := read("perftest", "sweep_bw.txt")[0]; f.Transport != "ib" || len(f.Sizes) != 4 || f.Sizes[1].Block != 1024 ||
		f.Meant != "MB = 1048576 bytes" {
		t.Errorf("%+v", f)
	}
	if f := read("perftest", "write_lat.txt")[0]; !f.OneByOne || f.Sizes != nil {
		t.Errorf("%+v", f)
	}
	if f := read("ntttcp", "ntttcp.txt")[0]; f.Transport != "tcp" || f.Segment.Or(0) != 1459.983 ||
		f.MachineCPU.Or(0) != 0.03092 ||
		len(f.Streams) != 8 ||
		f.OneThread.Or(true) ||
		f.Meant == "" ||
		f.Retransmits.Or(-1) != 0 {
		t.Errorf("%+v", f)
	}
	if f := read("ntttcp", "ntttcp.xml")[0]; f.Transport != "tcp" || f.Version != "5.33" || len(f.Streams) != 2 ||
		f.Retransmits.Or(0) != 10 {
		t.Errorf("%+v", f)
	}
	if f := read("diskspd", "diskspd.txt")[0]; f.Buffered.Or(true) || math.Abs(f.MachineCPU.Or(0)-0.0394) > 1e-9 ||
		f.Seconds != 30.01 {
		t.Errorf("%+v", f)
	}
	both := strings.Replace(string(fixture(t, "write_bw.txt")), "RDMA_Write BW", "RDMA_Write Bidirectional BW", 1)
	if all, err := Read("perftest", []byte(both)); err != nil || !all[0].BothWays || all[0].Rate != 92.57e9/2 {
		t.Errorf("%v %+v", err, all)
	}
}

// Files in the encodings of Windows give the same figures.
func TestEncodings(t *testing.T) {
	for _, c := range []struct{ tool, file string }{{"ntttcp", "ntttcp.txt"}, {"ntttcp", "ntttcp.xml"},
		{"diskspd", "diskspd.txt"}, {"crystaldiskmark", "crystal8.txt"}, {"fio", "fio-group.json"},
		{"fio", "fio-mixed.txt"}, {"perftest", "sweep_bw.txt"}} {
		plain := fixture(t, c.file)
		want, err := Read(c.tool, plain)
		if err != nil {
			t.Fatal(err)
		}
		lines := strings.ReplaceAll(string(plain), "\n", "\r\n")
		wide := func(order binary.AppendByteOrder, mark bool) (out []byte) {
			if mark {
				out = order.AppendUint16(out, 0xfeff)
			}
			for _, u := range utf16.Encode([]rune(lines)) {
				out = order.AppendUint16(out, u)
			}
			return out
		}
		for name, text := range map[string][]byte{"CRLF": []byte(lines), "UTF-8 with a mark": []byte("\ufeff" + lines),
			"UTF-16LE": wide(binary.LittleEndian, true), "UTF-16BE": wide(binary.BigEndian, true),
			"UTF-16LE without a mark": wide(binary.LittleEndian, false)} {
			got, err := Read(c.tool, text)
			if err != nil || fmt.Sprintf("%+v", got) != fmt.Sprintf("%+v", want) {
				t.Errorf("%s as %s: %v\n%+v\n%+v", c.file, name, err, got, want)
			}
		}
	}
}

// Nonsense, the outputs of other tools, and outputs cut off at any line are refused, and never misread.
func TestWrongOutputs(t *testing.T) {
	for _, tool := range Tools() {
		for name, text := range map[string]string{"nothing": "", "words": "hello world\n", "zeros": "a\x00b\x00\x00\x00c",
			"a brace": "{", "an object": "{}", "a list": "[1,2]", "an element": "<Results>",
			"an empty element": "<ntttcps></ntttcps>", "numbers": "1 2 3 4 5\n1e999 NaN Inf 0x10\n"} {
			if all, err := Read(tool.Name, []byte(text)); err == nil || len(err.Error()) < 8 {
				t.Errorf("%s: %s: %v %+v", tool.Name, name, err, all)
			}
		}
	}
	for _, c := range []struct{ tool, file, from, want string }{
		{"fio", "fio-group.txt", "  write: IOPS", "the output was cut off"},
		{"fio", "fio-group.json", `"lat_ns"`, "was cut off"},
		{"perftest", "write_bw.txt", " 65536  ", "no row of it"},
		{"perftest", "write_bw.txt", " #bytes", "no table of perftest"},
		{"crystaldiskmark", "crystal8.txt", "[Read]", "it was cut off"},
		{"ntttcp", "ntttcp.txt", "#####  Totals", "it has no totals"},
		{"ntttcp", "ntttcp.xml", "</ntttcps>", "was cut off"},
		{"diskspd", "diskspd.txt", "total: ", "the output was cut off"},
		{"diskspd", "diskspd.xml", "</Results>", "was cut off"},
	} {
		text := string(fixture(t, c.file))
		at := strings.Index(text, c.from)
		if at < 0 {
			t.Fatal(c.file, c.from)
		}
		if all, err := Read(c.tool, []byte(text[:at])); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s before %q: %v %+v", c.file, c.from, err, all)
		}
	}
	for _, c := range []struct{ tool, file, old, new, want string }{
		{"fio", "fio-group.txt", "err= 0", "err= 5", "ended with error 5"},
		{"fio", "fio-group.json", `"error" : 0`, `"error" : 28`, "ended with error 28"},
		{"ntttcp", "ntttcp.txt", "1130.887", "9130.887", "contradict each other"},
		{"diskspd", "diskspd-old.txt", "529.36", "0.00", "did not carry data"},
		{"crystaldiskmark", "crystal6.txt", " MB/s", " XB/s", "it was cut off"},
	} {
		text := strings.ReplaceAll(string(fixture(t, c.file)), c.old, c.new)
		if all, err := Read(c.tool, []byte(text)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v %+v", c.file, err, all)
		}
	}
	if _, err := Read("netperf", nil); err == nil || !strings.Contains(err.Error(), "iperf3, fio, perftest") {
		t.Error(err)
	}
	if _, err := Read("fio", make([]byte, maxOutput+1)); err == nil || !strings.Contains(err.Error(), "16 MiB") {
		t.Error(err)
	}
}

// Real outputs, if a collection of them lies next to the project. Each is read, or refused as incomplete.
func TestCollection(t *testing.T) {
	whole := 0
	for pattern, tool := range map[string]string{"iperf3*": "iperf3", "fio*": "fio", "ib-*": "perftest",
		"crystal*": "crystaldiskmark", "ntttcp*": "ntttcp", "diskspd*": "diskspd"} {
		files, _ := filepath.Glob("../../../../shared/captures/bench/" + pattern)
		for _, file := range files {
			b, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			all, err := Read(tool, b)
			if err != nil {
				if !strings.Contains(err.Error(), "cut off") && !strings.Contains(err.Error(), "no table") {
					t.Errorf("%s: %v", filepath.Base(file), err)
				}
				continue
			}
			whole++
			for _, f := range all {
				if f.Rate <= 0 || f.Line == "" || f.Printed == "" {
					t.Errorf("%s: %+v", filepath.Base(file), f)
				}
				if testing.Verbose() {
					t.Logf("%s: %s", filepath.Base(file), reported(f))
				}
			}
		}
	}
	if whole == 0 {
		t.Skip("no collection of snapshots next to the project")
	}
}

func FuzzRead(f *testing.F) {
	files, _ := filepath.Glob("testdata/*.*")
	for _, file := range files {
		b, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		for i := range Tools() {
			if strings.HasPrefix(filepath.Base(file), Tools()[i].Name[:3]) || i == 2 {
				f.Add(uint8(i), b)
			}
		}
	}
	for _, s := range []string{small, datagrams, again, hosts, refused, "[SUM]"} {
		f.Add(uint8(0), []byte(s))
	}
	f.Fuzz(func(t *testing.T, which uint8, text []byte) {
		tools := Tools()
		all, err := Read(tools[int(which)%len(tools)].Name, text)
		if err == nil && len(all) == 0 {
			t.Error("neither a figure nor an error")
		}
		for _, got := range all {
			if !(got.Rate > 0) && got.Stalled == "" || math.IsInf(float64(got.Rate), 0) || got.Line == "" || got.Block < 0 ||
				got.Threads.Or(1) < 1 ||
				got.Depth.Or(1) < 1 ||
				!(got.Latency.Or(1) > 0) ||
				!(got.IOPS.Or(1) > 0) ||
				got.Seconds < 0 {
				t.Errorf("%+v", got)
			}
			for _, s := range got.Streams {
				if !(s >= 0) {
					t.Errorf("%+v", got)
				}
			}
		}
	})
}
