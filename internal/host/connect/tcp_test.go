package connect

import (
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"strings"
	"testing"
)

func someSecret() Secret {
	return NewSecret([]byte("a certificate"), [SecretBits / 8]byte{1, 2, 3})
}

func TestSecretIsNotPrinted(t *testing.T) {
	s := someSecret()
	spec := Spec{Kind: TCP, Name: "10.0.0.1:7411", Secret: s}
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%d"} {
		type hidden struct{ spec Spec }
		for _, v := range []any{s, &s, spec, &spec, hidden{spec}, &hidden{spec}, map[string]hidden{"x": {spec}}} {
			text := fmt.Sprintf(verb, v)
			if strings.Contains(text, s.Text()) || strings.Contains(text, s.Text()[:8]) ||
				strings.Contains(text, fmt.Sprintf("%x", s.bits[:4])) ||
				strings.Contains(text, fmt.Sprint(s.bits[:4])) {
				t.Errorf("%s of %T: %s", verb, v, text)
			}
		}
	}
	if text := spec.String(); text != "tcp 10.0.0.1:7411" {
		t.Error(text)
	}
	if b, err := json.Marshal(spec); err == nil {
		t.Errorf("JSON: %s", b)
	}
}

func TestParseTCP(t *testing.T) {
	s := someSecret()
	spec, err := Parse("tcp://[fd00::5]:7411#" + s.Text())
	if err != nil || spec.Kind != TCP || spec.Name != "[fd00::5]:7411" || !spec.Secret.Same(s) {
		t.Fatalf("%v, %v", spec, err)
	}
	again, err := Parse(spec.String())
	if err != nil || again.Name != spec.Name || !again.Secret.IsZero() {
		t.Errorf("%v, %v", again, err)
	}
	for _, text := range []string{s.Text(), "tcp://10.0.0.1:7411#" + s.Text(), " " + s.Text() + "\n"} {
		if got, err := ParseSecret(text); err != nil || !got.Same(s) {
			t.Errorf("%q: %v", text, err)
		}
	}
	for bad, want := range map[string]string{"tcp://10.0.0.1:7411": "no secret",
		"tcp://10.0.0.1#" + s.Text():                    "not HOST:PORT",
		"tcp://10.0.0.1:7411#" + s.Text()[1:]:           "64 letters",
		"tcp://10.0.0.1:7411#" + s.Text() + " more":     "too many",
		"tcp://10.0.0.1:0#" + s.Text():                  "not a port",
		"tcp://-o:7411#" + s.Text():                     "option",
		"tcp 10.0.0.1:7411#" + s.Text():                 "not a port",
		"ssh tcp://10.0.0.1:7411#" + s.Text():           "ssh [USER@]HOST",
		"tcp://10.0.0.1:7411#" + s.Text()[:60] + "====": "64 letters"} {
		_, err := Parse(bad)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", bad, err, want)
		}
		if err != nil && strings.HasPrefix(bad, "tcp://") && strings.Contains(err.Error(), s.Text()[2:50]) {
			t.Errorf("the error holds the secret: %v", err)
		}
	}
	_, err = ParseFile("tcp://10.0.0.1:7411#" + s.Text())
	if !errors.Is(err, ErrRefused) || strings.Contains(err.Error(), s.Text()) {
		t.Errorf("in a file: %v", err)
	}
	if _, err := ParseFile("tcp 10.0.0.1:7411"); err != nil {
		t.Error(err)
	}
}

func TestRedact(t *testing.T) {
	s := someSecret().Text()
	for in, want := range map[string]string{"--to=tcp://a:1#" + s: "--to=tcp://a:1#***",
		"from tcp://a:1#" + s + " to tcp://b:2#" + s: "from tcp://a:1#*** to tcp://b:2#***",
		`connection "tcp://a:1#` + s + `": bad`:      `connection "tcp://a:1#***": bad`,
		"tcp://a:1 and # more":                       "tcp://a:1 and # more",
		"stream":                                     "stream"} {
		if got := Redact(in); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}

func FuzzSecret(f *testing.F) {
	f.Add(someSecret().Text())
	f.Add("tcp://a:1#x")
	f.Fuzz(func(t *testing.T, text string) {
		s, err := ParseSecret(text)
		if err != nil {
			return
		}
		if again, err := ParseSecret(s.Text()); err != nil || !again.Same(s) {
			t.Errorf("%q becomes %q: %v", text, s.Text(), err)
		}
		if got := Redact("tcp://a:1#" + s.Text()); strings.Contains(got, s.Text()) {
			t.Error(got)
		}
	})
}

// Nothing listens there, or a program that is not an agent.
func TestOpenTCPFails(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			fmt.Fprint(c, "SSH-2.0-OpenSSH_9.2\r\n")
			c.Close()
		}
	}()
	spec := Spec{Kind: TCP, Name: l.Addr().String(), Secret: someSecret()}
	if _, err := Open(t.Context(), spec); err == nil ||
		!strings.Contains(err.Error(), "no TLS 1.3 with an agent there") {
		t.Errorf("another program: %v", err)
	}
	if _, err := Open(t.Context(), Spec{Kind: TCP, Name: spec.Name}); err == nil ||
		!strings.Contains(err.Error(), "needs the secret") {
		t.Errorf("without a secret: %v", err)
	}
	l.Close()
	_, err = Open(t.Context(), spec)
	if err == nil || !strings.Contains(err.Error(), "connection refused") ||
		!strings.Contains(err.Error(), "agent --listen") {
		t.Errorf("nothing there: %v", err)
	}
	var e *Error
	if !errors.As(err, &e) || e.Connection != "tcp "+spec.Name {
		t.Errorf("%#v", err)
	}
}
