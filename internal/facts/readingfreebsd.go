package facts

// freebsdPrograms are what is asked of a host with FreeBSD, each line a program with its arguments. None changes anything. What an
// ordinary user may not read is unknown, with the reason: pciconf's list of capabilities needs root, and where it fails the list
// without them is asked for.
var freebsdPrograms = []struct {
	line  string
	light bool
}{
	{"ifconfig -vma", false},
	{"netstat -ibdnW", true},
	{"netstat -rnW", false},
	{"netstat -s", true},
	{"netstat -m", false},
	{"netstat -Q", true},
	{"sysctl -i kern.osrelease kern.ipc.maxsockbuf hw.model hw.ncpu hw.physmem net.inet.tcp net.inet.ip.forwarding vm.ndomains", false},
	{"sysctl -i dev.*", false},
	{"sysctl -i hw.*", false},
	{"kldstat", false},
	{"vmstat -i", false},
	{"dmesg", false},
	{"zpool status", false},
	{"zpool list", false},
}

// pciconfAsRoot is asked first; what everybody may ask is pciconfAsUser.
const (
	pciconfAsRoot = "pciconf -lvbceB"
	pciconfAsUser = "pciconf -lv"
)

// freebsdReadings is everything that is read of a host with FreeBSD.
func freebsdReadings() []Reading {
	list := []Reading{
		{Source: "ip -j -d -s -s link", How: AskKernel, What: "the interfaces with their state and MTU, where ifconfig is not asked", Light: true},
		{Source: "ip -j address", How: AskKernel, What: "the addresses of the interfaces, where ifconfig is not asked", Light: true},
		{How: AskKernel, What: "the names of the interfaces, of which sysctl is asked"},
		{How: ReadFile, What: dmesgBoot},
	}
	for _, p := range freebsdPrograms {
		list = append(list, Reading{Source: p.line, How: RunProgram, What: p.line, Light: p.light})
	}
	for _, line := range []string{pciconfAsRoot, pciconfAsUser} {
		list = append(list, Reading{Source: line, How: RunProgram, What: line})
	}
	return list
}
