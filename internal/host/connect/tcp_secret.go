package connect

import (
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"errors"
	"fmt"
	"strings"
)

// Secret is what `linerate agent --listen` prints behind the '#': the SHA-256 of its certificate, by which the controller
// knows the agent, and 128 bits, by which the agent knows the controller. Nothing of package fmt or of an encoder prints
// it; Text does. The zero value is no secret.
type Secret struct {
	// Behind a pointer: package fmt looks into structs that it may not call, and stops there.
	*secret
}

type secret struct {
	certificate [sha256.Size]byte
	bits        [SecretBits / 8]byte
}

// SecretBits is how many bits of a Secret the controller has to know.
const SecretBits = 128

// NewSecret is the secret of an agent with a certificate (its DER bytes).
func NewSecret(certificate []byte, bits [SecretBits / 8]byte) Secret {
	return Secret{&secret{sha256.Sum256(certificate), bits}}
}

var secretEncoding = base64.RawURLEncoding

// ParseSecret reads Text, with or without what stands before it in tcp://HOST:PORT#SECRET. The error does not hold it.
func ParseSecret(text string) (Secret, error) {
	text = strings.TrimSpace(text)
	if _, after, ok := strings.Cut(text, "#"); ok {
		text = after
	}
	raw, err := secretEncoding.Strict().DecodeString(text)
	s := secret{}
	if want := len(s.certificate) + len(s.bits); err != nil || len(raw) != want {
		return Secret{}, fmt.Errorf("the secret is not the %d letters behind the '#' that the agent prints", secretEncoding.EncodedLen(want))
	}
	copy(s.certificate[:], raw)
	copy(s.bits[:], raw[len(s.certificate):])
	return Secret{&s}, nil
}

// Text is the secret itself.
func (s Secret) Text() string {
	if s.IsZero() {
		return ""
	}
	return secretEncoding.EncodeToString(append(s.certificate[:], s.bits[:]...))
}

// IsZero says that there is none.
func (s Secret) IsZero() bool { return s.secret == nil }

// Same says whether two secrets are one.
func (s Secret) Same(other Secret) bool {
	return !s.IsZero() && !other.IsZero() && *s.secret == *other.secret
}

// Allows says whether bits are the secret's; it takes the same time wherever they differ.
func (s Secret) Allows(bits []byte) bool {
	return !s.IsZero() && subtle.ConstantTimeCompare(s.bits[:], bits) == 1
}

// isCertificate says whether a certificate is the agent's.
func (s Secret) isCertificate(der []byte) bool {
	sum := sha256.Sum256(der)
	return subtle.ConstantTimeCompare(s.certificate[:], sum[:]) == 1
}

// Format writes *** for every verb.
func (Secret) Format(f fmt.State, _ rune) { f.Write([]byte("***")) }

// MarshalText refuses: a secret is in no file.
func (Secret) MarshalText() ([]byte, error) {
	return nil, errors.New("a secret is not written anywhere")
}

// tcpScheme begins the form of a reach that carries its secret.
const tcpScheme = "tcp://"

// parseTCP reads what stands behind tcp://.
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

// Redact replaces what stands behind the '#' of a tcp:// reach anywhere in a text by ***.
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
