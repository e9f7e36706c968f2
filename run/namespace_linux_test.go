package run

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"linerate/agent"
	"linerate/reach"
)

// mayMakeNamespaces skips a test where it cannot have network namespaces with these programs in them.
func mayMakeNamespaces(t *testing.T, tools ...string) {
	t.Helper()
	missing := ""
	if os.Getuid() != 0 {
		missing = "network namespaces need root"
	}
	for _, tool := range tools {
		if _, err := exec.LookPath(tool); err != nil {
			missing = "the program " + tool + " is missing"
		}
	}
	if missing == "" {
		return
	}
	if os.Getenv("LINERATE_TEST_ALL") == "1" {
		t.Fatal(missing)
	}
	t.Skip(missing)
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
	spec, err := reach.Parse("netns " + ns)
	if err != nil {
		t.Fatal(err)
	}
	return agentOf(t, spec)
}
