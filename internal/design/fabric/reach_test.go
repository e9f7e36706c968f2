package fabric

import (
	"testing"

	"linerate/internal/host/connect"
)

// The rules stand twice, here and in package connect, which fabric may not
// import. Both must say the same.
func TestReachLikePackageReach(t *testing.T) {
	for _, s := range []string{
		"local", "local x", "netns a", "netns", "netns ..", "netns a b", "netns a/b", "ssh nas", "ssh root@nas", "ssh root@10.0.0.1", "ssh root@[fe80::1%eth0]",
		"ssh", "ssh -v nas", "ssh nas uptime", "ssh -oProxyCommand=x nas", "ssh root@$(x)", "ssh a;b", "ssh -", "ssh a@b@c", "ssh @nas", "ssh nas@", "ssh user+x@nas",
		"lab n1", "lab 3f2a/n1", "lab a/b/c", "lab", "lab /x", "tcp nas:7000", "tcp nas", "tcp nas:0", "tcp nas:70000", "tcp [::1]:7000", "tcp :7000",
		"srun", "srun -p fast -N 2", "srun -p=fast", "srun --jobid 12 -w n[1-4]", "srun -p", "srun hostname", "srun --pty bash", "srun -p fast hostname",
		"kubectl pod", "kubectl -n ns --context c -c box pod/x", "kubectl -n ns", "kubectl exec pod sh", "kubectl --kubeconfig f pod", "kubectl -n $(x) pod",
		"captures /tmp/x", "sh -c reboot", "SSH nas", "ssh\tnas", "local;reboot",
	} {
		message, fix := checkReach(s)
		_, err := connect.ParseFile(s)
		if (message == "") != (err == nil) {
			t.Errorf("%q: here %q, in reach %v", s, message, err)
		}
		if message != "" && fix == "" {
			t.Errorf("%q: nothing says what to write", s)
		}
	}
}

func TestRefused(t *testing.T) {
	_, problems := loadText(t, "fabric: t\nhosts: {a: {reach: ssh -v nas}}\nlinks: []\n")
	if len(problems) != 1 || !problems.Refused() {
		t.Errorf("%v", problems)
	}
	_, problems = loadText(t, "fabric: t\nhosts: {a: {os: x}}\nlinks: []\n")
	if len(problems) != 1 || problems.Refused() {
		t.Errorf("%v", problems)
	}
}
