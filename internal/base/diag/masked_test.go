package diag

import (
	"strings"
	"testing"
)

// An error does not print the secret of an agent, nor a part of it.
func TestSecretIsMasked(t *testing.T) {
	p := &Problem{ID: "connection-invalid", File: "f.yaml", Line: 5, Col: 3,
		Message: `"tcp://10.0.0.2:45123#JgXVSPCw1OnMh..." is not a connection to a host`,
		text:    `far: {connect: "tcp://10.0.0.2:45123#JgXVSPCw1OnMh...`, caret: "     ^^^"}
	got := p.Text(Plain)
	if strings.Contains(got, "JgX") || strings.Count(got, "tcp://10.0.0.2:45123#****") != 2 {
		t.Error(got)
	}
}
