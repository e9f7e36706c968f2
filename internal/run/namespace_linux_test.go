package run

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync/atomic"
	"testing"

	"linerate/internal/agent"
	"linerate/internal/host/connect"
	"linerate/internal/testenv"
)

// mayMakeNamespaces skips a test that is not asked for, or cannot have network namespaces with these programs in them.
func mayMakeNamespaces(t *testing.T, tools ...string) {
	t.Helper()
	testenv.Need(t, testenv.Live)
	testenv.NeedRoot(t)
	for _, tool := range tools {
		if _, err := exec.LookPath(tool); err != nil {
			testenv.Missing(t, "the program "+tool)
		}
	}
}

var namespacesMade atomic.Int64

// namespaceName is a name for a network namespace that no other test has.
func namespaceName() string {
	return fmt.Sprintf("lrr%d-%d", os.Getpid(), namespacesMade.Add(1))
}

func command(t *testing.T, words ...string) string {
	t.Helper()
	out, err := exec.Command(words[0], words[1:]...).CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v\n%s", strings.Join(words, " "), err, out)
	}
	return string(out)
}

// agentIn starts an agent in a namespace.
func agentIn(t *testing.T, ns string) *agent.Client {
	t.Helper()
	spec, err := connect.Parse("netns " + ns)
	if err != nil {
		t.Fatal(err)
	}
	return agentOf(t, spec)
}
