package fabric

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"go.yaml.in/yaml/v4"
	"go.yaml.in/yaml/v4/plugin/loaderlimits"

	"linerate/internal/base/diag"
)

// parse reads the text's only document. It returns nil after an error. It continues after a range without quotes, to
// find other ones as well.
func (s *source) parse() *yaml.Node {
	lines := slices.Clone(s.Lines)
	budget := 4 * maxFile
	for again := false; ; again = true {
		text := strings.Join(lines, "\n")
		document, err := s.document(text)
		if err == nil {
			if again {
				return nil
			}
			return document
		}
		at, p, masked := s.Syntax(err, lines, reads)
		s.add(At(at), p)
		if budget -= len(text) + 1<<16; !masked || budget < 0 || at.Line > len(lines) {
			return nil
		}
	}
}

// document parses a text. It reports errors that are not the parser's; the document is then nil.
func (s *source) document(text string) (document *yaml.Node, err error) {
	// The library is young; its panics are reported as errors in the file, not as stack traces.
	defer func() {
		if r := recover(); r != nil {
			s.add(At{1, 1}, Problem{ID: diag.YAMLSyntax, Subject: diag.WholeFile,
				Message: fmt.Sprintf("the YAML library failed: %v", r),
				Fix:     "delete halves of the file until it loads, to find the line"})
			document, err = nil, nil
		}
	}()
	loader, err := yaml.NewLoader(strings.NewReader(text),
		yaml.WithPlugin(loaderlimits.New(loaderlimits.DepthValue(maxDepth), loaderlimits.AliasNone())))
	if err != nil {
		return nil, err
	}
	var first, second yaml.Node
	err = loader.Load(&first)
	if errors.Is(err, io.EOF) || err == nil && isEmpty(&first) {
		s.add(At{1, 1}, Problem{ID: diag.FileEmpty, Subject: diag.WholeFile, Message: "the file is empty",
			Fix: "linerate init HOST writes a fabric file\nor begin with fabric: NAME, hosts: and links:"})
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	switch err := loader.Load(&second); {
	case errors.Is(err, io.EOF):
		return &first, nil
	case err != nil:
		return nil, err
	}
	s.add(At{second.Line, second.Column}, Problem{ID: diag.YAMLSyntax, Subject: diag.WholeFile,
		Message: "the file has a second document", Limit: "a fabric file is one document",
		Fix: "put it into a file of its own, or write the difference as a variant"})
	return nil, nil
}

func isEmpty(n *yaml.Node) bool {
	if n.Kind == yaml.DocumentNode && len(n.Content) > 0 {
		n = n.Content[0]
	}
	return n.Kind == 0 || n.Kind == yaml.DocumentNode ||
		n.Kind == yaml.ScalarNode && n.ShortTag() == "!!null" && n.Value == ""
}
