package connect

import (
	"bytes"
	"errors"
	"io"
	"reflect"
	"strings"
	"testing"
)

func TestLabFrame(t *testing.T) {
	want := LabRequest{Token: "t", Op: "exec", Host: "a", Argv: [][]byte{[]byte("sh"), []byte("\xff\x00'")},
		Env: [][]byte{[]byte("A=b")}, Dir: []byte("/")}
	var buf bytes.Buffer
	for range 2 {
		if err := WriteLabFrame(&buf, want); err != nil {
			t.Fatal(err)
		}
	}
	for range 2 {
		var got LabRequest
		if err := ReadLabFrame(&buf, &got); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("got %+v, %v", got, err)
		}
	}
	var got LabRequest
	if err := ReadLabFrame(&buf, &got); !errors.Is(err, io.EOF) {
		t.Errorf("the end: %v", err)
	}
}

func TestLabFrameRefuses(t *testing.T) {
	for name, c := range map[string]struct{ in, want string }{
		"cut short":    {"\x00\x00\x00\x05{\"a\"", "unexpected EOF"},
		"too long":     {"\x00\x40\x00\x01", "longer than the lab's limit"},
		"far too long": {"\xff\xff\xff\xff", "longer than the lab's limit"},
		"unknown key":  {"\x00\x00\x00\x07{\"x\":1}", "unknown field"},
		"two values":   {"\x00\x00\x00\x05{} {}", "more than one value"},
		"wrong type":   {"\x00\x00\x00\x08{\"op\":1}", "cannot unmarshal"},
		"empty":        {"\x00\x00\x00\x00", "EOF"},
	} {
		var q LabRequest
		if err := ReadLabFrame(strings.NewReader(c.in), &q); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
	if err := WriteLabFrame(io.Discard, LabRequest{Dir: make([]byte, LabFrameLimit)}); err == nil {
		t.Error("a frame above the limit was written")
	}
}

func FuzzLabFrame(f *testing.F) {
	var buf bytes.Buffer
	WriteLabFrame(&buf, LabRequest{Token: "t", Op: "exec", Argv: [][]byte{[]byte("x")}})
	f.Add(buf.Bytes())
	f.Add([]byte("\x00\x00\x00\x02{}"))
	f.Add([]byte("\xff\xff\xff\xff"))
	f.Fuzz(func(t *testing.T, in []byte) {
		var q LabRequest
		if err := ReadLabFrame(bytes.NewReader(in), &q); err != nil {
			return
		}
		var out bytes.Buffer
		if err := WriteLabFrame(&out, q); err != nil {
			t.Fatal(err)
		}
		var again LabRequest
		if err := ReadLabFrame(&out, &again); err != nil || !reflect.DeepEqual(normal(again), normal(q)) {
			t.Errorf("%+v came back as %+v, %v", q, again, err)
		}
	})
}

// normal makes null and empty lists equal, because omitempty omits both.
func normal(q LabRequest) LabRequest {
	if len(q.Argv) == 0 {
		q.Argv = nil
	}
	if len(q.Env) == 0 {
		q.Env = nil
	}
	if len(q.Dir) == 0 {
		q.Dir = nil
	}
	return q
}
