package connect

import (
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"errors"
	"fmt"
	"strings"
)

// Secret is what `linerate agent --listen` prints after the '#': the SHA-256 of its certificate, which identifies the
// agent, and 128 bits, which authenticate the controller. Only Text prints it: package fmt and encoders do not. The
// zero value is not a secret.
type Secret struct {
	// It is behind a pointer, because package fmt prints the fields of nested structs without calling Format.
	*secret
}

type secret struct {
	certificate [sha256.Size]byte
	bits        [SecretBits / 8]byte
}

// SecretBits is the number of bits of a Secret that authenticate the controller.
const SecretBits = 128

// NewSecret returns the secret of an agent with a certificate (its DER bytes).
func NewSecret(certificate []byte, bits [SecretBits / 8]byte) Secret {
	return Secret{&secret{sha256.Sum256(certificate), bits}}
}

var secretEncoding = base64.RawURLEncoding

// ParseSecret reads Text, with or without the tcp://HOST:PORT# before it. The error does not contain it.
func ParseSecret(text string) (Secret, error) {
	text = strings.TrimSpace(text)
	if _, after, ok := strings.Cut(text, "#"); ok {
		text = after
	}
	raw, err := secretEncoding.Strict().DecodeString(text)
	s := secret{}
	if want := len(s.certificate) + len(s.bits); err != nil || len(raw) != want {
		return Secret{}, fmt.Errorf("the secret is not the %d letters behind the '#' that the agent prints",
			secretEncoding.EncodedLen(want))
	}
	copy(s.certificate[:], raw)
	copy(s.bits[:], raw[len(s.certificate):])
	return Secret{&s}, nil
}

// Text returns the secret itself.
func (s Secret) Text() string {
	if s.IsZero() {
		return ""
	}
	return secretEncoding.EncodeToString(append(s.certificate[:], s.bits[:]...))
}

// IsZero reports whether there is no secret.
func (s Secret) IsZero() bool { return s.secret == nil }

// Same reports whether two secrets are equal.
func (s Secret) Same(other Secret) bool {
	return !s.IsZero() && !other.IsZero() && *s.secret == *other.secret
}

// Allows reports whether bits are the secret's; in constant time.
func (s Secret) Allows(bits []byte) bool {
	return !s.IsZero() && subtle.ConstantTimeCompare(s.bits[:], bits) == 1
}

// isCertificate reports whether a certificate is the agent's.
func (s Secret) isCertificate(der []byte) bool {
	sum := sha256.Sum256(der)
	return subtle.ConstantTimeCompare(s.certificate[:], sum[:]) == 1
}

// Format writes *** for every verb.
func (Secret) Format(f fmt.State, _ rune) { f.Write([]byte("***")) }

// MarshalText refuses, so that a secret is never in a file.
func (Secret) MarshalText() ([]byte, error) {
	return nil, errors.New("a secret is not written anywhere")
}

// tcpScheme is the prefix of a connection with its secret.
const tcpScheme = "tcp://"

// parseTCP reads what follows tcp://.
func parseTCP(rest string) (Spec, error) {
	const form = "write tcp://ADDRESS:PORT#SECRET as the agent prints it, or tcp ADDRESS:PORT"
	address, secret, ok := strings.Cut(rest, "#")
	if err := checkHostPort(address); err != nil {
		return Spec{}, fmt.Errorf("%w; %s", err, form)
	}
	if !ok {
		return Spec{}, fmt.Errorf("it has no secret; %s", form)
	}
	s, err := ParseSecret(secret)
	if err != nil {
		return Spec{}, fmt.Errorf("%w; %s", err, form)
	}
	return Spec{Kind: TCP, Name: address, Secret: s}, nil
}

// Redact replaces the secret of every tcp:// connection in a text by ***.
func Redact(s string) string {
	var b strings.Builder
	for {
		at := strings.Index(s, tcpScheme)
		if at < 0 {
			break
		}
		end := strings.IndexAny(s[at:], " \t\r\n\"'")
		if end < 0 {
			end = len(s) - at
		}
		word := s[at : at+end]
		if address, _, ok := strings.Cut(word, "#"); ok {
			word = address + "#***"
		}
		b.WriteString(s[:at] + word)
		s = s[at+end:]
	}
	return b.String() + s
}
