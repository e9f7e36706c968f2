package report

import (
	"bytes"
	"linerate/internal/record"
	"strings"
	"testing"
)

// worked is the fixture of a pair with all that is known of who worked.
func worked(t *testing.T) *record.Run {
	t.Helper()
	r := fixture(t, "pair")
	for _, e := range r.Experiments {
		if e.Method != "stream" || len(e.Repeats) == 0 {
			continue
		}
		v := 21e9
		e.PerCPU = &record.PerCPU{Processes: &v}
		e.CPU = append(e.CPU, record.CPU{Host: e.From + "+" + e.To, Core: -1, Threads: []record.Thread{
			{Kind: record.OwnThread, Host: e.From, Name: "send 0", Count: 1, Core: 3, User: 0.02, System: 0.9},
			{Kind: record.KernelThread, Name: "ksoftirqd/0<b>", Count: 1, System: 0.3},
			{Kind: record.OtherProcess, Name: "compile", Count: 3, User: 0.25}}})
		e.SoftIRQ = []record.Landing{{Host: "a+b", Core: 0, SoftIRQ: 0.4, Text: "core 0: softirq 40.0 %, all of it in the system calls of a"}}
		e.Unknown = []record.Unknown{{Subject: "a: frequency", Reason: "the kernel shows no clock rate"}}
		for i := range e.Repeats {
			p := &e.Repeats[i]
			p.RetransOut = make([]int64, len(p.SeriesOut))
			p.RetransIn = make([]int64, len(p.SeriesIn))
			if n := len(p.RetransOut); n > 0 {
				p.RetransOut[n/2] = 2300
			}
		}
	}
	return r
}

func TestWhoDidTheWork(t *testing.T) {
	r := worked(t)
	var page, terminal bytes.Buffer
	if err := HTML(&page, r); err != nil {
		t.Fatal(err)
	}
	if err := (Terminal{Width: 120, Out: &terminal}).Run(r); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"Who did the work", ", measuring</th><td>send 0</td><td class=\"number\">3</td>", "ksoftirqd/0&lt;b&gt;", ", kernel</th>", ", other work</th><td>compile (3)</td>",
		"21.0 Gb per processor second", "in the system calls of a", "a: frequency: not known, because the kernel shows no clock rate", "segments sent again in a second", ">23k<"} {
		if !strings.Contains(page.String(), want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	for _, want := range []string{"processors", "21.0 Gb per processor second", "send 0 92.0 %", "compile (3) 25.0 %", "in the system calls of a"} {
		if !strings.Contains(terminal.String(), want) {
			t.Errorf("the terminal lacks %q in\n%s", want, terminal.String())
		}
	}
	// What is not known is not drawn as nothing.
	plain := fixture(t, "pair")
	page.Reset()
	if err := HTML(&page, plain); err != nil {
		t.Fatal(err)
	}
	for _, not := range []string{"Who did the work", "segments sent again", "no segment was sent again", "processor second of"} {
		if strings.Contains(page.String(), not) {
			t.Errorf("a run without it says %q", not)
		}
	}
}

func TestResent(t *testing.T) {
	p := record.Repeat{Slice: 0.1, SeriesOut: make([]float64, 4), RetransOut: []int64{0, 0, 0, 0}}
	none := newResent([]panel{{again: again(p, row{}, cell{})}}, 100)
	if !none.known || none.most != 0 || none.height() != 22 {
		t.Errorf("%+v", none)
	}
	p.RetransOut[2] = 5
	if some := newResent([]panel{{again: again(p, row{}, cell{})}}, 100); some.most != 50 || some.height() < resentPlot {
		t.Errorf("%+v; want 50 a second", some)
	}
	if back := newResent([]panel{{again: again(p, row{}, cell{Back: true})}}, 100); back.known || back.height() != 0 {
		t.Errorf("the other end's are not known: %+v", back)
	}
	if both := again(p, row{Both: true}, cell{}); both != nil {
		t.Errorf("one direction is not known, the sum is %v", both)
	}
	p.RetransIn = []int64{1, 1}
	if both := again(p, row{Both: true}, cell{}); len(both) != 2 || both[0] != 10 {
		t.Errorf("%v", both)
	}
	for v, want := range map[float64]string{0: "0", 950: "950", 9999: "9999", 23000: "23k", 1.24e6: "1.2M"} {
		if got := short(v); got != want {
			t.Errorf("%v: %s, want %s", v, got, want)
		}
	}
}
