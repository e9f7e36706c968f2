package architecture

import (
	"fmt"
	"go/parser"
	"go/token"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestFind shows which words of a file are compared with the list, and how.
func TestFind(t *testing.T) {
	const content = `// Package p keeps the capture.
package p

import "fmt"

// sentAgain is what a host has sent
// again; "sent again" is quoted, and a packet capture is allowed.
func sentAgain() { panic("no cards") }

/*
It is no host, and there is no host.

It holds a figure, or two, against another. It holds. What is against it is another thing.
*/
type T struct {
	TCPWindow, Window int ` + "`json:\"cards\"`" + `
}

//go:generate cards
func test() { fmt.Print("cards", "Windows"); t.Errorf("is "+"no card") }
`
	s := &source{name: "p/sent_again.go", folder: "p", text: content, files: token.NewFileSet()}
	var err error
	if s.syntax, err = parser.ParseFile(s.files, s.name, content, parser.ParseComments); err != nil {
		t.Fatal(err)
	}
	list := readVocabulary(t)
	var got []string
	for _, p := range s.pieces() {
		for _, f := range list.find(s.folder, p) {
			got = append(got, fmt.Sprintf("%d: %s %q", f.line, p.kind, f.words))
		}
	}
	want := []string{`1: file "sent again"`, `1: comment "capture"`, `6: comment "sent again"`, `11: comment "is no"`,
		`13: comment "holds a figure or two against"`, `8: name "sent again"`, `8: log "cards"`, `16: name "window"`,
		`20: text "cards"`, `20: log "card"`}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}
