package architecture

import (
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// everywhere may be imported by every folder: it knows no more of the project than package slices does.
const everywhere = "internal/base/xslices"

// may lists which folders of the project a folder may import, with the reason. A new import is a decision that is
// written down here with its reason. Tests may import any folder.
var may = map[string]struct {
	imports []string
	why     string
}{
	"internal/base/unit":       {why: "types of quantities stand under everything"},
	"internal/base/failure":    {why: "the error that crosses the agent's protocol"},
	"internal/base/method":     {why: "what can be measured, and with which settings, is one table that everybody reads"},
	everywhere:                 {why: "what package slices does not have"},
	"internal/base/gomaxprocs": {why: "one owner of a setting of the whole process"},
	"internal/base/stat":       {why: "statistics are pure numbers"},
	"docs":                     {why: "pages that the program quotes"},
	"internal/base/jsonschema": {why: "schemas are made of types, whatever they are of"},
	"internal/cli/manual":      {why: "a manual is made of a tree of commands, whatever they do"},
	"internal/base/diag": {imports: []string{"internal/base/lazyregexp"},
		why: "errors in files and on command lines have one form"},
	"internal/design/ceiling": {imports: []string{"internal/base/diag", "internal/base/unit", "internal/record"},
		why: "formulas over typed numbers, whose inputs a record keeps"},
	"internal/record/claims": {imports: []string{"internal/base/lazyregexp", "internal/base/unit"},
		why: "what other tools print has rates and sizes"},
	"internal/design/catalog": {imports: []string{"internal/base/unit", "internal/base/diag"},
		why: "catalogue entries have rates, sizes and prices; a user's own have mistakes"},
	"internal/design/fabric": {
		imports: []string{"internal/base/method", "internal/device/families", "internal/base/unit",
			"internal/base/diag", "internal/design/catalog"},
		why: "a file names parts, systems and quantities, and has mistakes",
	},
	"internal/cli/setting": {imports: []string{"internal/base/diag", "internal/base/method", "internal/design/fabric"},
		why: "flags are a way to write what a fabric file says"},
	"internal/design/plan": {
		imports: []string{"internal/base/method", "internal/device", "internal/device/families", "internal/base/unit",
			"internal/record", "internal/design/ceiling", "internal/design/catalog", "internal/design/fabric"},
		why: "a plan is a fabric made concrete; its rules hold slots and buffers against formulas, and what a system " +
			"supports is asked of its family",
	},
	"internal/device": {
		imports: []string{"internal/base/unit", "internal/record", "internal/design/catalog"},
		why: "what a system of devices supports is about parts and quantities; the planner asks it, so that it " +
			"knows no plan",
	},
	"internal/device/FAMILY": {imports: []string{"internal/base/unit", "internal/design/catalog", "internal/device"},
		why: "one family: names of ports, releases and limits, out of a part and the planner's questions"},
	"internal/device/families": {imports: []string{"internal/device", "internal/device/FAMILY"},
		why: "the table of the families, with one line for each"},
	"internal/device/config": {imports: []string{"internal/design/plan"},
		why: "files, lines and quoting, whatever the family; what a renderer is given is a plan"},
	"internal/device/FAMILY/render": {
		imports: []string{"internal/base/method", "internal/base/unit", "internal/design/catalog",
			"internal/design/fabric", "internal/design/plan", "internal/device", "internal/device/FAMILY",
			"internal/device/families", "internal/device/config", "internal/device/dcb"},
		why: "a plan in the language of one family; names of ports and interfaces depend on the part, its driver and the " +
			"file",
	},
	"internal/device/render": {
		imports: []string{"internal/device", "internal/device/families", "internal/device/FAMILY/render",
			"internal/design/plan", "internal/device/config", "internal/device/guide", "internal/device/dcb"},
		why: "renders plans by the table of families",
	},
	"internal/host/connect": {why: "getting at a host knows nothing of what is done there"},
	"internal/host/loopback": {
		why: "ports of this machine in namespaces of their own; it knows no plan and measures nothing",
	},
	"internal/facts": {imports: []string{"internal/base/unit", "internal/base/lazyregexp"},
		why: "facts are typed quantities; parsers know no plan"},
	"internal/facts/snapshot": {
		imports: []string{"snapshot/1", "internal/base/lazyregexp", "internal/base/unit", "internal/facts"},
		why:     "the text that is kept of a host: its archive, its header and what is masked in it; it knows no parser",
	},
	"internal/facts/parse": {imports: []string{"internal/base/lazyregexp", "internal/base/unit", "internal/facts"},
		why: "the Builder of facts, and what parsers share"},
	"internal/facts/parse/parsetest": {
		imports: []string{"internal/facts", "internal/facts/parse", "internal/facts/snapshot"},
		why:     "seeds of fuzz targets and what holds of any facts; only tests import it",
	},
	"internal/facts/parse/ethtool": {
		imports: []string{"internal/base/lazyregexp", "internal/base/unit", "internal/facts", "internal/facts/parse"},
		why:     "one source of Linux and what its outputs mean",
	},
	"internal/facts/parse/iproute": {
		imports: []string{"internal/base/lazyregexp", "internal/base/unit", "internal/facts", "internal/facts/parse"},
		why:     "outputs of ip, tc and ss, as text and as JSON",
	},
	"internal/facts/parse/pci": {
		imports: []string{"internal/base/lazyregexp", "internal/base/unit", "internal/facts", "internal/facts/parse"},
		why:     "what systems and tools say of PCI Express",
	},
	"internal/facts/parse/dcb": {
		imports: []string{"internal/base/lazyregexp", "internal/base/unit", "internal/facts", "internal/facts/parse"},
		why:     "tools that set and print traffic classes of a host",
	},
	"internal/facts/parse/rdma": {
		imports: []string{"internal/base/lazyregexp", "internal/base/unit", "internal/facts",
			"internal/facts/parse", "internal/facts/parse/dcb", "internal/facts/parse/pci"},
		why: "tools of RDMA devices and InfiniBand; names on the bus are those of PCI, addresses those of LLDP",
	},
	"internal/facts/parse/lldp": {
		imports: []string{"internal/base/lazyregexp", "internal/base/unit", "internal/facts", "internal/facts/parse"},
		why:     "programs that print who is at the other end of a cable",
	},
	"internal/facts/parse/storage": {
		imports: []string{"internal/base/lazyregexp", "internal/base/unit", "internal/facts", "internal/facts/parse"},
		why:     "clients and pools of storage",
	},
	"internal/facts/parse/probe": {
		imports: []string{"internal/base/unit", "internal/facts", "internal/facts/parse",
			"internal/facts/parse/pci", "internal/facts/snapshot"},
		why: "what was tried towards peers and under load, as sources of a snapshot",
	},
	"internal/facts/parse/show": {
		imports: []string{"internal/base/lazyregexp", "internal/base/unit", "internal/facts", "internal/facts/parse"},
		why:     "what the answers of switches to show commands share, whatever the family",
	},
	"internal/facts/read": {
		imports: []string{"internal/base/lazyregexp", "internal/device/FAMILY/parse", "internal/facts",
			"internal/facts/parse", "internal/facts/parse/ethtool", "internal/facts/parse/iproute",
			"internal/facts/parse/lldp",
			"internal/facts/parse/pci", "internal/facts/parse/probe", "internal/facts/parse/rdma",
			"internal/facts/parse/show",
			"internal/facts/parse/storage", "internal/facts/snapshot"},
		why: "the table over all parsers; what only several sources together say is put together in their order",
	},
	"internal/host/collect": {
		imports: []string{"internal/base/lazyregexp", "internal/base/unit", "internal/device/FAMILY/parse",
			"internal/facts",
			"internal/facts/parse", "internal/facts/parse/ethtool", "internal/facts/parse/iproute",
			"internal/facts/parse/lldp",
			"internal/facts/parse/pci", "internal/facts/parse/probe", "internal/facts/parse/rdma",
			"internal/facts/parse/storage", "internal/facts/snapshot"},
		why: "reads this host into a snapshot, in the form that the parsers of its tools read",
	},
	"internal/device/FAMILY/parse": {
		imports: []string{"internal/base/lazyregexp", "internal/base/unit", "internal/facts", "internal/facts/parse",
			"internal/facts/parse/dcb", "internal/facts/parse/iproute", "internal/facts/parse/lldp",
			"internal/facts/parse/pci",
			"internal/facts/parse/rdma", "internal/facts/parse/show", "windows/1"},
		why: "answers of a family as facts, with the parsers that several families share",
	},
	"internal/inspect/path": {
		imports: []string{"internal/base/unit", "internal/record", "internal/design/ceiling",
			"internal/design/catalog", "internal/design/plan", "internal/facts"},
		why: "chains the ceilings of a plan's components under the facts",
	},
	"internal/inspect/check": {
		imports: []string{"internal/device", "internal/device/families", "internal/base/unit",
			"internal/design/plan", "internal/facts", "internal/record", "internal/device/FAMILY/parse"},
		why: "compares facts with a plan and with what a bus can carry; it contacts no host; what a ruleset does with " +
			"a packet is in its grammar",
	},
	"internal/inspect/check/address": {
		imports: []string{"internal/base/unit", "internal/design/plan", "internal/facts",
			"internal/inspect/check", "internal/record"},
		why: "checks of addresses, routes and MTUs",
	},
	"internal/inspect/check/host": {
		imports: []string{"internal/base/unit", "internal/design/plan", "internal/facts",
			"internal/inspect/check", "internal/record", "internal/device/FAMILY/parse"},
		why: "checks of CPUs, queues, buffers and firewalls",
	},
	"internal/inspect/check/link": {
		imports: []string{"internal/device/families", "internal/base/unit", "internal/design/plan",
			"internal/facts", "internal/inspect/check", "internal/record"},
		why: "checks of interfaces, cables and modules",
	},
	"internal/inspect/check/lossless": {
		imports: []string{"internal/device/families", "internal/base/unit", "internal/device",
			"internal/facts", "internal/inspect/check", "internal/record", "internal/device/FAMILY/parse"},
		why: "checks of traffic classes at hosts and switches",
	},
	"internal/inspect/check/pcie": {
		imports: []string{"internal/base/unit", "internal/design/ceiling", "internal/design/plan",
			"internal/facts", "internal/inspect/check", "internal/record", "internal/facts/parse/rdma"},
		why: "checks of slots, drivers and firmware",
	},
	"internal/inspect/check/rdma": {
		imports: []string{"internal/base/unit", "internal/design/ceiling", "internal/design/plan",
			"internal/facts", "internal/inspect/check", "internal/record"},
		why: "checks of RDMA and InfiniBand",
	},
	"internal/inspect/check/storage": {
		imports: []string{"internal/base/unit", "internal/facts", "internal/inspect/check", "internal/record"},
		why:     "checks of how storage is reached",
	},
	"internal/inspect/check/checks": {
		imports: []string{"internal/inspect/check", "internal/inspect/check/address",
			"internal/inspect/check/host", "internal/inspect/check/link", "internal/inspect/check/lossless",
			"internal/inspect/check/pcie", "internal/inspect/check/rdma", "internal/inspect/check/storage"},
		why: "the table of all checks",
	},
	"internal/inspect/doctor": {
		imports: []string{"internal/device", "internal/device/families", "internal/inspect/check/checks",
			"internal/base/method", "internal/base/unit", "internal/record", "internal/design/plan",
			"internal/facts", "internal/inspect/check"},
		why: "lines from what was gathered of hosts; what is wrong with a bus, a governor or a limit are the " +
			"checks' findings, and it asks nobody",
	},
	"internal/host/apply": {imports: []string{"internal/host/connect"},
		why: "scripts onto a host and back; it knows no plan and no family"},
	"internal/inspect/survey": {
		imports: []string{"internal/device/families", "internal/base/unit", "internal/design/catalog",
			"internal/design/fabric", "internal/facts", "internal/inspect/check"},
		why: "a fabric file is drafted out of facts, with the catalogue's names for cards and experiments as " +
			"the file has them",
	},
	"internal/traffic/socket": {imports: []string{"internal/base/failure", "internal/base/unit"},
		why: "options of sockets, whoever opens them"},
	"internal/traffic/placement": {imports: []string{"internal/base/failure"},
		why: "threads on cores; it knows no experiment"},
	"internal/traffic": {
		imports: []string{"internal/base/failure", "internal/base/unit", "internal/record",
			"internal/traffic/placement", "internal/traffic/socket"},
		why: "the contract of engines, their table, and what all of them count with",
	},
	"internal/traffic/watch": {
		imports: []string{"internal/base/failure", "internal/facts", "internal/record", "internal/traffic",
			"internal/traffic/placement", "internal/device/FAMILY/parse", "internal/facts/parse/storage"},
		why: "what a host does meanwhile; CPU times go through the one parser of /proc/stat",
	},
	"internal/traffic/tcp": {
		imports: []string{"internal/base/failure", "internal/base/gomaxprocs", "internal/base/unit", "internal/record",
			"internal/traffic", "internal/traffic/placement", "internal/traffic/socket", "internal/traffic/watch"},
		why: "one engine: bulk transfers, requests and responses",
	},
	"internal/traffic/udp": {
		imports: []string{"internal/base/failure", "internal/base/gomaxprocs", "internal/base/unit", "internal/record",
			"internal/traffic", "internal/traffic/placement", "internal/traffic/socket", "internal/traffic/watch"},
		why: "one engine: datagrams",
	},
	"internal/traffic/icmp": {
		imports: []string{"internal/base/failure", "internal/base/gomaxprocs", "internal/base/unit", "internal/record",
			"internal/traffic", "internal/traffic/placement", "internal/traffic/socket", "internal/traffic/watch"},
		why: "one engine: echo requests",
	},
	"internal/traffic/rdma": {
		imports: []string{"internal/base/failure", "internal/base/unit", "internal/record", "internal/traffic",
			"internal/traffic/placement", "internal/traffic/socket", "internal/traffic/watch"},
		why: "one engine: linerate-verbs does the requests",
	},
	"internal/traffic/halo": {
		imports: []string{"internal/base/failure", "internal/base/gomaxprocs", "internal/base/unit",
			"internal/record", "internal/traffic", "internal/traffic/placement", "internal/traffic/socket",
			"internal/traffic/watch", "internal/traffic/tcp", "internal/traffic/rdma"},
		why: "one engine: processes that exchange halos over connections of TCP, or over pairs of RDMA",
	},
	"internal/traffic/mptcp": {
		imports: []string{"internal/base/failure", "internal/base/unit", "internal/traffic", "internal/traffic/tcp"},
		why:     "one engine: TCP over several paths; its connections are those of TCP with other sockets",
	},
	"internal/traffic/engines": {
		imports: []string{"internal/traffic/mptcp", "internal/traffic", "internal/traffic/tcp", "internal/traffic/udp",
			"internal/traffic/icmp", "internal/traffic/rdma", "internal/traffic/halo"},
		why: "the table, one line for each engine",
	},
	"internal/traffic/selftest": {
		imports: []string{"internal/base/failure", "internal/base/stat", "internal/record", "internal/traffic",
			"internal/traffic/engines", "internal/traffic/placement", "internal/traffic/rdma"},
		why: "what a host can resolve, with the engines themselves",
	},
	"internal/traffic/traffictest": {imports: []string{"internal/base/failure", "internal/base/unit", "internal/traffic"},
		why: "ends over the loopback and over links in simulated time; only tests import it"},
	"nvmetcp": {why: "a protocol and its two ends; whoever measures with it is another"},
	"internal/storage/block": {
		imports: []string{"internal/traffic/placement", "internal/base/failure", "internal/base/unit",
			"internal/base/gomaxprocs", "internal/traffic", "nvmetcp", "internal/storage/ring"},
		why: "an initiator of storage; its clock, its histograms and its errors are those of the other methods",
	},
	"internal/agent/process": {
		imports: []string{"internal/base/failure", "internal/host/connect", "internal/traffic/rdma"},
		why:     "programs that an agent starts, their folder and their keeper; rdma keeps a program in memory",
	},
	"internal/agent/deploy": {imports: []string{"internal/host/connect"},
		why: "puts the program on a host over its connection; it starts nothing"},
	"internal/agent/export": {
		imports: []string{"internal/agent/process", "internal/base/failure", "internal/base/unit",
			"internal/storage/block"},
		why: "storage protocols of other programs and of the kernel; package block says what a device is",
	},
	"internal/agent/copies": {
		imports: []string{"internal/agent/process", "internal/base/failure", "internal/base/unit",
			"internal/device/FAMILY/parse", "internal/host/connect", "internal/storage/block", "internal/traffic"},
		why: "copies files with the tools of a host, on the clock of the other methods",
	},
	"internal/agent": {
		imports: []string{"internal/traffic/watch", "internal/traffic/socket", "internal/traffic/selftest",
			"internal/traffic/rdma", "internal/traffic/engines", "internal/base/failure", "internal/base/unit",
			"internal/base/gomaxprocs", "internal/host/connect", "internal/facts", "internal/traffic", "nvmetcp",
			"internal/storage/block", "internal/device/FAMILY/parse", "internal/facts/parse/probe", "internal/host/collect",
			"internal/agent/process", "internal/agent/deploy", "internal/agent/export", "internal/agent/copies"},
		why: "the other end runs methods, takes snapshots of facts, and is started over a connection",
	},
	"internal/run": {
		imports: []string{"internal/traffic/rdma", "internal/traffic/halo", "internal/agent", "internal/base/method",
			"internal/base/unit", "internal/design/fabric", "internal/design/plan", "internal/facts", "internal/host/connect",
			"internal/record", "internal/record/runfolder", "internal/run/command", "internal/run/experiment",
			"internal/run/filecopy", "internal/run/halo", "internal/run/network", "internal/run/remote",
			"internal/run/storage",
			"internal/traffic", "internal/facts/read", "internal/facts/snapshot"},
		why: "schedules a plan's experiments over agents into a run folder; the methods are a table " +
			"of packages below it",
	},
	"internal/run/remote": {
		imports: []string{"internal/traffic/watch", "internal/agent", "internal/base/failure",
			"internal/base/stat", "internal/base/unit", "internal/record", "internal/traffic"},
		why: "what measurements do with agents, whatever the method; it knows no plan",
	},
	"internal/run/experiment": {
		imports: []string{"internal/traffic/rdma", "internal/agent", "internal/base/failure", "internal/base/method",
			"internal/base/stat", "internal/base/unit", "internal/design/fabric", "internal/design/plan", "internal/facts",
			"internal/host/connect", "internal/inspect/path", "internal/record", "internal/run/remote", "internal/traffic"},
		why: "combinations of a plan's experiments, and the contract between their methods and the " +
			"session",
	},
	"internal/run/network": {
		imports: []string{"internal/traffic/socket", "internal/traffic/rdma", "internal/traffic/placement",
			"internal/traffic/engines", "internal/agent", "internal/base/failure", "internal/base/method",
			"internal/base/stat",
			"internal/base/unit", "internal/design/fabric", "internal/design/plan", "internal/device", "internal/facts",
			"internal/inspect/path", "internal/record", "internal/run/experiment", "internal/run/remote", "internal/traffic"},
		why: "measures the network between hosts of a plan; ceilings are those of its paths",
	},
	"internal/run/command": {
		imports: []string{"internal/agent", "internal/agent/process", "internal/base/failure", "internal/base/method",
			"internal/device", "internal/base/unit", "internal/design/fabric", "internal/design/plan", "internal/record",
			"internal/record/claims", "internal/run/experiment", "internal/run/remote", "internal/traffic"},
		why: "runs a command on hosts; what ready-made programs print is read by package claims",
	},
	"internal/run/halo": {
		imports: []string{"internal/traffic/placement", "internal/traffic/halo", "internal/traffic/engines",
			"internal/agent",
			"internal/agent/process", "internal/base/method", "internal/base/stat", "internal/base/unit",
			"internal/design/fabric", "internal/design/plan", "internal/facts", "internal/record", "internal/run/command",
			"internal/run/experiment", "internal/run/remote", "internal/traffic"},
		why: "measures exchanges among processes; over MPI they are a command on all hosts",
	},
	"internal/run/storage": {
		imports: []string{"internal/agent", "internal/agent/export", "internal/base/failure", "internal/base/method",
			"internal/base/unit", "internal/design/fabric", "internal/design/plan", "internal/inspect/path",
			"internal/record",
			"internal/run/experiment", "internal/run/remote", "internal/storage/block", "internal/traffic"},
		why: "measures jobs of storage on the drives and volumes of a plan",
	},
	"internal/run/filecopy": {
		imports: []string{"internal/agent", "internal/agent/copies", "internal/base/failure", "internal/base/method",
			"internal/base/unit", "internal/design/fabric", "internal/design/plan", "internal/host/connect",
			"internal/inspect/path", "internal/record", "internal/run/experiment", "internal/run/remote", "internal/traffic"},
		why: "measures copies between the drives of a plan, with the agents' tools",
	},
	"internal/run/runtest": {
		imports: []string{"internal/agent", "internal/base/unit", "internal/design/catalog",
			"internal/design/fabric", "internal/design/plan", "internal/facts", "internal/host/connect",
			"internal/record", "internal/run/experiment", "internal/run/remote", "internal/testenv"},
		why: "agents, plans and a session for the tests of the methods; only tests import it",
	},
	"internal/explain/judge": {
		imports: []string{"internal/device/families", "internal/base/method", "internal/base/unit", "internal/design/plan",
			"internal/facts", "internal/inspect/check", "internal/inspect/check/checks", "internal/record",
			"internal/record/runfolder", "internal/facts/read", "internal/device/FAMILY/parse"},
		why: "counters around one experiment, and the judge that asks the causes; what a setting should be is the " +
			"checks' to say",
	},
	"internal/explain/judge/judgetest": {imports: []string{"internal/facts", "internal/facts/read"},
		why: "snapshots with made-up counters; only tests import it"},
	"internal/explain/costs": {
		imports: []string{"internal/base/method", "internal/base/stat", "internal/base/unit",
			"internal/explain/judge", "internal/record"},
		why: "fits costs over the experiments of a run",
	},
	"internal/explain/proof": {
		imports: []string{"internal/base/method", "internal/base/unit", "internal/design/plan",
			"internal/device", "internal/explain/judge", "internal/facts", "internal/inspect/check",
			"internal/inspect/check/checks", "internal/record", "internal/facts/parse/rdma"},
		why: "compares counters of hosts and switches with what losslessness asks for",
	},
	"internal/explain/cause/storage": {
		imports: []string{"internal/base/method", "internal/base/unit", "internal/design/fabric",
			"internal/explain/judge", "internal/facts", "internal/record"},
		why: "the causes of storage and of copies",
	},
	"internal/explain/cause/rdma": {
		imports: []string{"internal/base/unit", "internal/design/ceiling", "internal/explain/judge",
			"internal/explain/proof", "internal/facts", "internal/record", "internal/facts/parse/rdma"},
		why: "the causes of RDMA; counters of PFC are read as a proof of losslessness reads them",
	},
	"internal/explain/cause/address": {
		imports: []string{"internal/device/families", "internal/base/unit", "internal/explain/judge",
			"internal/facts", "internal/inspect/check", "internal/inspect/check/checks", "internal/record"},
		why: "the causes that lead traffic astray",
	},
	"internal/explain/cause": {
		imports: []string{"internal/device/families", "internal/base/method", "internal/base/unit",
			"internal/design/ceiling",
			"internal/explain/cause/address", "internal/explain/cause/rdma", "internal/explain/cause/storage",
			"internal/explain/judge", "internal/facts", "internal/inspect/check", "internal/inspect/check/checks",
			"internal/inspect/path", "internal/record", "internal/device/FAMILY/parse"},
		why: "compares counters, settings and ceilings with an experiment, one cause a file",
	},
	"internal/explain/goals": {
		imports: []string{"internal/base/method", "internal/base/unit", "internal/design/fabric", "internal/design/plan",
			"internal/explain/cause/storage", "internal/explain/judge", "internal/record"},
		why: "compares figures with the goals of the fabric file",
	},
	"internal/explain/figures": {
		imports: []string{"internal/base/lazyregexp", "internal/base/unit", "internal/design/ceiling",
			"internal/explain/judge", "internal/inspect/path", "internal/record", "internal/record/claims"},
		why: "compares figures of other tools with the ceilings of what they were measured on",
	},
	"internal/explain/paste": {
		imports: []string{"internal/base/lazyregexp", "internal/facts/read"},
		why:     "a text may have outputs of tools and of hosts' commands, which package read recognises",
	},
	"internal/explain/whatif": {
		imports: []string{"internal/base/method", "internal/base/unit", "internal/design/ceiling", "internal/design/fabric",
			"internal/design/plan", "internal/explain/cause", "internal/explain/cause/address", "internal/explain/costs",
			"internal/explain/judge", "internal/facts", "internal/inspect/path", "internal/record"},
		why: "builds a changed plan, chains its ceilings, and scales what was measured",
	},
	"internal/explain": {
		imports: []string{"internal/base/method", "internal/base/stat", "internal/base/unit", "internal/design/fabric",
			"internal/design/plan", "internal/explain/cause", "internal/explain/cause/rdma", "internal/explain/cause/storage",
			"internal/explain/costs", "internal/explain/goals", "internal/explain/judge", "internal/explain/proof",
			"internal/explain/whatif", "internal/facts", "internal/inspect/check", "internal/inspect/check/checks",
			"internal/inspect/path", "internal/record", "internal/facts/parse/probe"},
		why: "judges the experiments of a run by the causes; what was wrong beforehand are the checks' findings; what " +
			"a fix gains is a what-if, and what the slot of a NIC carries is of its path",
	},
	"internal/report/summary": {
		imports: []string{"internal/base/diag", "internal/base/method", "internal/base/unit", "internal/design/fabric",
			"internal/explain/cause", "internal/record", "internal/report/format",
			"internal/report/headline"},
		why: "makes the text that is posted of a record, and reads it back; causes have short names",
	},
	"internal/report/picture": {
		imports: []string{"internal/base/unit", "internal/report/style", "internal/report/summary"},
		why:     "a summary as a picture, in the colours of the page",
	},
	"internal/report/format": {imports: []string{"internal/base/unit", "internal/record"},
		why: "values of a record in words, the same in every report"},
	"internal/report/terminal": {imports: []string{"internal/report/format"},
		why: "text within a width; it knows no record"},
	"internal/report/svg": {imports: []string{"internal/base/unit", "internal/report/format"},
		why: "lines, text and axes; it knows no record"},
	"internal/report/style": {why: "colours and style sheets of all pages"},
	"internal/report/diagram": {
		imports: []string{"internal/base/unit", "internal/record", "internal/report/format",
			"internal/report/result", "internal/report/svg"},
		why: "draws the picture of a fabric that a record keeps, and the flows of a run on it",
	},
	"internal/report/result": {
		imports: []string{"internal/base/method", "internal/base/stat", "internal/base/unit",
			"internal/record", "internal/report/format", "internal/report/svg"},
		why: "the experiments of a run in rows, for tables and for charts",
	},
	"internal/report/chart": {
		imports: []string{"internal/base/method", "internal/base/stat", "internal/base/unit",
			"internal/design/fabric", "internal/record", "internal/report/format", "internal/report/result",
			"internal/report/style", "internal/report/svg"},
		why: "draws rows of experiments and the ceilings of a record",
	},
	"internal/report/compare": {
		imports: []string{"internal/base/method", "internal/base/stat", "internal/base/unit",
			"internal/record", "internal/report/chart", "internal/report/format", "internal/report/result",
			"internal/report/style", "internal/report/svg", "internal/report/terminal"},
		why: "compares experiments by statistics; its page has charts in the style of a run's page",
	},
	"internal/report/tables": {
		imports: []string{"internal/base/method", "internal/base/stat", "internal/base/unit",
			"internal/design/ceiling", "internal/design/fabric", "internal/record", "internal/report/chart",
			"internal/report/format", "internal/report/result", "internal/report/style",
			"internal/report/summary", "internal/report/svg", "internal/report/terminal"},
		why: "tables of one method each, on the terminal and for the page; a row of CrystalDiskMark is that of a summary",
	},
	"internal/report/highlight": {
		imports: []string{"internal/base/method", "internal/base/stat", "internal/base/unit",
			"internal/design/fabric", "internal/record", "internal/report/chart", "internal/report/compare",
			"internal/report/format", "internal/report/result"},
		why: "what a run's comparisons and sweeps allow to quote",
	},
	"internal/report/headline": {
		imports: []string{"internal/base/method", "internal/base/unit", "internal/base/xslices", "internal/explain/cause",
			"internal/record", "internal/report/format", "internal/report/result"},
		why: "the sentences that begin every report of a run, in one place",
	},
	"internal/report": {
		imports: []string{"internal/inspect/check/checks", "internal/base/lazyregexp", "internal/base/method",
			"internal/base/unit", "internal/explain/cause", "internal/inspect/check", "internal/inspect/doctor",
			"internal/record",
			"internal/report/chart", "internal/report/compare", "internal/report/format", "internal/report/highlight",
			"internal/report/result", "internal/report/tables", "internal/report/terminal",
			"internal/report/headline"},
		why: "the text of a run, of checks and of facts, and a run as data",
	},
	"internal/report/brief": {
		imports: []string{"internal/base/method", "internal/base/unit", "internal/record", "internal/report",
			"internal/report/format", "internal/report/highlight", "internal/report/result", "internal/report/tables",
			"internal/report/terminal",
			"internal/report/headline"},
		why: "a run in thirty lines, in the words of its complete text",
	},
	"internal/report/page": {
		imports: []string{"internal/base/stat", "internal/base/unit", "internal/record", "internal/record/runfolder",
			"internal/report", "internal/report/chart", "internal/report/compare", "internal/report/diagram",
			"internal/report/format", "internal/report/highlight", "internal/report/result", "internal/report/style",
			"internal/report/svg", "internal/report/tables",
			"internal/report/headline"},
		why: "everything that is known of a run, on one page, in the words of its text",
	},
	"internal/report/design": {
		imports: []string{"internal/device/families", "internal/base/unit", "internal/design/catalog",
			"internal/design/fabric", "internal/design/plan", "internal/design/suggest", "internal/record",
			"internal/report/diagram", "internal/report/format", "internal/report/style", "internal/report/terminal"},
		why: "plans, suggestions and parts, in tables and as pages, with the drawing of a fabric",
	},
	"internal/report/reporttest": {
		imports: []string{"internal/base/method", "internal/base/unit", "internal/design/catalog", "internal/design/fabric",
			"internal/design/plan", "internal/record", "internal/report/format", "internal/report/result",
			"internal/testenv"},
		why: "runs, pictures and readers of pages for tests; only tests import it",
	},
	"internal/lab/guest": {imports: []string{"internal/base/unit"},
		why: "makes a machine and speaks with its init; knows no plan"},
	"internal/lab/fault": {
		imports: []string{"internal/base/unit", "internal/design/ceiling"},
		why: "breaks a lab by its hosts' own commands; it knows causes by their ids alone, and what a bus " +
			"carries is a formula, so that a verdict can be held against it",
	},
	"internal/lab/exam": {
		imports: []string{"internal/lab/layout", "internal/base/unit", "internal/lab/fault",
			"internal/lab/layout", "internal/lab", "internal/design/plan", "internal/record/runfolder"},
		why: "draws faults, finds the path in a lab that they are made on, and counts verdicts; it judges " +
			"nothing itself",
	},
	"rdma": {why: "a C program's sources and its building; what it is told and what it says are measure's"},
	"internal/lab/layout": {
		imports: []string{"internal/base/method", "internal/base/unit", "internal/design/ceiling",
			"internal/design/fabric", "internal/design/plan"},
		why: "a plan as namespaces, guests, bridges and wires; it builds nothing, and a bucket's depth is a formula",
	},
	"internal/lab/labtest": {imports: []string{"internal/base/unit", "internal/design/fabric", "internal/design/plan"},
		why: "plans for the tests of labs; only tests import it"},
	"internal/lab": {
		imports: []string{"internal/lab/layout", "internal/base/unit", "internal/design/ceiling",
			"internal/design/fabric", "internal/design/plan", "internal/host/connect", "internal/lab/guest"},
		why: "builds a plan out of namespaces and guests and is reached like a host",
	},

	"internal/device/guide": {
		imports: []string{"internal/device/families", "internal/base/unit", "internal/design/ceiling",
			"internal/design/catalog", "internal/design/fabric", "internal/design/plan", "internal/device/config"},
		why: "the order of the work and the test of each link, out of the plan and the devices' own steps; " +
			"what a link is to carry is a formula",
	},
	"internal/device/dcb/dcbtest": {
		imports: []string{"internal/design/catalog", "internal/design/fabric", "internal/design/plan",
			"internal/device/config", "internal/device/dcb", "internal/testenv"},
		why: "fabrics that every family of switches is rendered from; only tests import it",
	},
	"internal/device/dcb": {
		imports: []string{"internal/device", "internal/base/unit", "internal/design/plan", "internal/device/config"},
		why:     "what switches of data centres share: ports, classes, what is expected of their answers",
	},

	"internal/device/configtest": {
		imports: []string{"internal/golden", "internal/design/catalog", "internal/design/fabric",
			"internal/design/plan", "internal/device/config"},
		why: "plans and golden folders for the families' tests; only tests import it",
	},
	"internal/device/render/rendertest": {
		imports: []string{"internal/device/config", "internal/device/configtest", "internal/device/render"},
		why:     "devices out of fabrics for the families' tests; only tests import it",
	},
	"internal/device/linux/render": {
		imports: []string{"internal/base/method", "internal/design/plan", "internal/device/config"},
		why:     "a Linux host's settings as scripts and files",
	},
	"internal/design/suggest": {
		imports: []string{"internal/device/families", "internal/base/unit", "internal/record", "internal/design/ceiling",
			"internal/design/catalog", "internal/design/fabric", "internal/design/plan"},
		why: "designs for a wish are fabrics that are written, decoded and planned; a card's bus has a ceiling",
	},
	"internal/report/published": {
		imports: []string{"internal/base/diag", "internal/base/method", "internal/base/stat",
			"internal/base/unit", "internal/design/ceiling", "internal/record"},
		why: "published numbers out of files of the program's own, held against a record; a link of theirs has " +
			"a ceiling, and what repeats carry is statistics",
	},

	"internal/storage/ring": {why: "io_uring by system calls; it knows no job"},
	"internal/cli": {
		imports: []string{"internal/agent", "internal/base/diag", "internal/cli/manual", "internal/design/catalog",
			"internal/design/fabric",
			"internal/design/plan", "internal/host/connect", "internal/record", "internal/record/runfolder",
			"internal/report",
			"internal/report/format", "internal/report/terminal"},
		why: "what every command has: it loads a plan, and prints by the report; it knows no command",
	},
	"internal/cli/inventory": {
		imports: []string{"internal/device/families", "internal/agent", "internal/base/method", "internal/base/unit",
			"internal/cli", "internal/design/catalog", "internal/design/fabric", "internal/design/plan", "internal/facts",
			"internal/host/connect", "internal/inspect/check", "internal/inspect/check/pcie", "internal/inspect/survey",
			"internal/lab", "internal/record", "internal/record/runfolder", "internal/run", "internal/run/network",
			"internal/facts/parse/probe", "internal/facts/read", "internal/facts/snapshot"},
		why: "hosts are asked by agents and switches by connections; a link is loaded by one repeat of a run",
	},
	"internal/cli/machine": {
		imports: []string{"internal/base/unit", "internal/cli", "internal/design/catalog", "internal/device/families",
			"internal/facts", "internal/inspect/check", "internal/inspect/path", "internal/record",
			"internal/report", "internal/report/format", "internal/facts/read"},
		why: "facts of one machine, its parts of the catalogue and its ceilings, as rows of the report",
	},
	"internal/cli/results": {
		imports: []string{"internal/base/diag", "internal/base/method", "internal/base/unit", "internal/cli",
			"internal/cli/inventory",
			"internal/design/catalog", "internal/design/fabric", "internal/design/plan", "internal/explain",
			"internal/explain/whatif", "internal/record", "internal/record/claims", "internal/record/runfolder",
			"internal/report", "internal/report/brief", "internal/report/compare", "internal/report/format",
			"internal/report/highlight", "internal/report/page", "internal/report/published", "internal/report/terminal",
			"internal/report/picture", "internal/report/summary"},
		why: "a finished run is opened, explained again and printed by the report",
	},
	"internal/cli/ceilings": {
		imports: []string{"internal/base/diag", "internal/base/method", "internal/design/fabric", "internal/base/unit",
			"internal/cli", "internal/design/ceiling", "internal/design/plan",
			"internal/explain/figures", "internal/inspect/path", "internal/record", "internal/record/claims"},
		why: "flags become the question that path answers; figures of other tools are judged by explain",
	},
	"internal/cli/explanation": {
		imports: []string{"internal/base/diag", "docs", "internal/base/unit", "internal/base/xslices", "internal/cli",
			"internal/cli/ceilings",
			"internal/cli/inspect", "internal/cli/inventory", "internal/cli/results", "internal/design/fabric",
			"internal/design/plan", "internal/explain/cause", "internal/explain/figures", "internal/explain/paste",
			"internal/facts/read", "internal/inspect/check", "internal/inspect/check/checks", "internal/record",
			"internal/record/claims", "internal/record/runfolder", "internal/report", "internal/report/format",
			"internal/report/terminal"},
		why: "a word is a text, a snapshot, a run or a problem; each is explained by its own package",
	},
	"internal/cli/planning": {
		imports: []string{"internal/base/diag", "docs", "internal/agent", "internal/base/jsonschema", "internal/base/method",
			"internal/base/unit",
			"internal/cli", "internal/cli/inventory", "internal/design/catalog", "internal/design/fabric",
			"internal/design/plan", "internal/design/suggest", "internal/inspect/survey", "internal/record/runfolder",
			"internal/report/design", "internal/report/format", "internal/report/summary", "internal/run",
			"internal/run/experiment"},
		why: "designs are compared, suggested and drafted from facts; a file that is drafted has its schema next to it, " +
			"and says how long more tests take",
	},
	"internal/cli/settings": {
		imports: []string{"internal/base/diag", "internal/cli", "internal/cli/inventory", "internal/design/fabric",
			"internal/design/plan",
			"internal/device/FAMILY/render", "internal/device/config", "internal/device/render", "internal/host/apply",
			"internal/host/connect", "internal/record", "internal/record/runfolder"},
		why: "a plan is rendered, and apply takes what was rendered to hosts",
	},
	"internal/cli/readiness": {
		imports: []string{"internal/agent", "internal/base/unit", "internal/cli", "internal/cli/inventory",
			"internal/design/plan", "internal/facts", "internal/host/connect", "internal/inspect/doctor",
			"internal/lab/guest",
			"internal/report", "internal/run", "internal/run/experiment", "internal/storage/block", "internal/facts/read"},
		why: "agents are asked for what doctor judges",
	},
	"internal/cli/job": {
		imports: []string{"internal/agent", "internal/agent/deploy", "internal/base/method", "internal/base/unit",
			"internal/cli", "internal/cli/inventory", "internal/cli/manual", "internal/design/catalog",
			"internal/design/fabric",
			"internal/design/plan", "internal/explain", "internal/explain/goals", "internal/host/connect", "internal/lab",
			"internal/lab/guest", "internal/lab/layout", "internal/record", "internal/record/runfolder", "internal/report",
			"internal/report/brief", "internal/report/compare", "internal/report/design", "internal/report/format",
			"internal/report/highlight", "internal/report/page", "internal/report/result",
			"internal/report/tables", "internal/report/terminal", "internal/run", "internal/run/command",
			"internal/run/experiment", "internal/run/remote", "internal/run/storage", "internal/traffic/halo",
			"internal/traffic/rdma", "internal/traffic/selftest", "rdma",
			"internal/report/headline"},
		why: "a plan is run, in a lab or not, explained and reported",
	},
	"internal/cli/exam": {
		imports: []string{"internal/base/method", "internal/base/unit", "internal/cli", "internal/design/plan",
			"internal/host/connect", "internal/lab", "internal/lab/exam", "internal/lab/fault", "internal/lab/wire",
			"internal/record", "internal/run", "internal/run/experiment", "internal/traffic",
			"internal/record/runfolder"},
		why: "faults are made in labs, and this program explains the runs",
	},
	"internal/cli/inspect": {
		imports: []string{"internal/base/diag", "internal/device/families", "internal/cli", "internal/cli/inventory",
			"internal/cli/machine",
			"internal/design/fabric", "internal/design/plan", "internal/facts", "internal/host/connect",
			"internal/inspect/check", "internal/inspect/check/checks", "internal/record", "internal/record/runfolder",
			"internal/report", "internal/report/format", "internal/facts/read", "internal/facts/snapshot",
			"internal/host/collect"},
		why: "hosts are asked, and check judges their facts",
	},
	"internal/cli/measure": {
		imports: []string{"internal/base/diag", "internal/agent", "internal/base/method", "internal/base/unit",
			"internal/cli",
			"internal/cli/inventory", "internal/cli/job", "internal/cli/setting", "internal/design/fabric",
			"internal/design/plan", "internal/facts", "internal/host/connect", "internal/host/loopback",
			"internal/record", "internal/run", "internal/run/command", "internal/run/experiment",
			"internal/run/filecopy", "internal/run/storage", "internal/traffic",
			"internal/record/runfolder"},
		why: "flags and the facts of the hosts become a plan, which is a job",
	},
	"internal/cli/quick": {
		imports: []string{"internal/agent", "internal/base/method", "internal/base/unit", "internal/cli",
			"internal/cli/inventory", "internal/cli/job", "internal/cli/measure", "internal/cli/readiness",
			"internal/design/fabric", "internal/design/plan", "internal/facts", "internal/host/connect",
			"internal/inspect/doctor", "internal/inspect/survey", "internal/record", "internal/record/runfolder",
			"internal/report/format", "internal/report/summary", "internal/run", "internal/run/experiment"},
		why: "facts of two machines become a fabric, which is a job; doctor says what would spoil it",
	},
	"internal/cli/schemas": {
		imports: []string{"internal/base/diag", "internal/base/jsonschema", "internal/base/unit", "internal/cli",
			"internal/cli/ceilings",
			"internal/cli/exam", "internal/cli/explanation", "internal/cli/inspect", "internal/cli/planning",
			"internal/cli/results",
			"internal/cli/settings", "internal/design/catalog", "internal/design/fabric", "internal/device/render",
			"internal/explain/figures", "internal/host/loopback", "internal/inspect/check", "internal/inspect/doctor",
			"internal/lab", "internal/record", "internal/report", "internal/report/design", "internal/report/summary"},
		why: "types of all outputs, wherever they are made",
	},
	"internal/cli/completion": {
		imports: []string{"internal/cli", "internal/design/fabric", "internal/inspect/check/checks",
			"internal/lab", "internal/lab/fault", "internal/record/runfolder"},
		why: "reads the files of the user for words to offer",
	},
	"rdma/rdmatest": {imports: []string{"rdma"},
		why: "two ends of the C program by hand, in guests; only tests and benchmarks import it"},
	"internal/lab/exam/live": {
		imports: []string{"internal/base/unit", "internal/record", "internal/design/ceiling", "internal/facts",
			"internal/lab/fault", "internal/lab", "internal/lab/exam", "internal/device/FAMILY/parse"},
		why: "runs the program in labs with faults and counts its verdicts; the depth of its buckets is a " +
			"formula, and other work is read through the one parser of /proc/stat",
	},
	"internal/lab/wire": {imports: []string{"internal/base/unit"}, why: "a link between two interfaces; it knows no lab"},
	"internal/record": {imports: []string{"internal/base/method", "internal/base/unit"},
		why: "everybody reads the record, so that it imports the base alone"},
	"internal/record/runfolder": {imports: []string{"internal/record"}, why: "reads and writes records on disk"},
	"internal/record/recordtest": {imports: []string{"internal/base/method", "internal/base/unit", "internal/record"},
		why: "an example of a record; only tests import it"},
	"internal/base/lazyregexp": {why: "regular expressions, compiled when they are used first"},
	"internal/tested":          {why: "makes a page of what the tests left behind"},
	"internal/tested/page":     {imports: []string{"internal/tested"}, why: "writes that page"},
	"internal/outputs": {imports: []string{"internal/runfile"},
		why: "compares what two builds print, also of recorded runs"},
	"internal/runfile":      {why: "recorded runs as text files; only tests and internal/outputs import it"},
	"internal/architecture": {why: "tests of the project as a whole"},
	"internal/golden":       {why: "compares outputs of tests with files; only tests import it"},
	"internal/testenv":      {why: "decides which tests run; only tests and their helpers import it"},

	"internal/host/connect/connecttest": {imports: []string{"internal/host/connect", "internal/testenv"},
		why: "the contract that every connection is held to; only tests import it"},
}

// order is the data path: a folder imports only those before it.
var order = []string{"internal/base/unit", "internal/base/failure", "internal/base/gomaxprocs", "internal/record",
	"internal/record/runfolder", "internal/base/stat", "internal/base/diag", "internal/design/ceiling",
	"internal/record/claims", "internal/design/catalog", "internal/device", "internal/device/FAMILY",
	"internal/device/families", "internal/design/fabric", "internal/design/plan", "internal/design/suggest",
	"internal/device/config", "internal/device/dcb", "internal/device/FAMILY/render", "internal/device/guide",
	"internal/device/render", "internal/host/connect", "internal/host/loopback", "internal/facts",
	"internal/facts/snapshot", "internal/facts/parse", "internal/facts/parse/show", "internal/facts/parse/dcb",
	"internal/facts/parse/pci", "internal/facts/parse/iproute", "internal/facts/parse/ethtool",
	"internal/facts/parse/lldp", "internal/facts/parse/rdma", "internal/facts/parse/storage",
	"internal/facts/parse/probe",
	"internal/device/FAMILY/parse", "internal/facts/read", "internal/host/collect", "internal/inspect/path",
	"internal/inspect/check", "internal/inspect/check/address", "internal/inspect/check/host",
	"internal/inspect/check/link", "internal/inspect/check/lossless", "internal/inspect/check/pcie",
	"internal/inspect/check/rdma", "internal/inspect/check/storage", "internal/inspect/check/checks",
	"internal/inspect/doctor", "internal/host/apply", "internal/inspect/survey", "rdma", "internal/traffic/socket",
	"internal/traffic/placement", "internal/traffic", "internal/traffic/watch", "internal/traffic/tcp",
	"internal/traffic/udp", "internal/traffic/icmp", "internal/traffic/rdma", "internal/traffic/halo",
	"internal/traffic/mptcp", "internal/traffic/engines", "internal/traffic/selftest", "nvmetcp",
	"internal/storage/block",
	"internal/agent/process", "internal/agent/deploy", "internal/agent/export", "internal/agent/copies", "internal/agent",
	"internal/run/remote", "internal/run/experiment", "internal/run/network", "internal/run/command", "internal/run/halo",
	"internal/run/storage", "internal/run/filecopy", "internal/run", "internal/explain/judge", "internal/explain/costs",
	"internal/explain/proof", "internal/explain/cause/storage", "internal/explain/cause/rdma",
	"internal/explain/cause/address", "internal/explain/cause", "internal/explain/goals", "internal/explain/figures",
	"internal/explain/paste", "internal/explain/whatif", "internal/explain", "internal/report/published",
	"internal/report/format",
	"internal/report/summary", "internal/report/terminal", "internal/report/svg", "internal/report/style",
	"internal/report/picture",
	"internal/report/result", "internal/report/diagram", "internal/report/chart", "internal/report/compare",
	"internal/report/tables", "internal/report/highlight", "internal/report", "internal/report/brief",
	"internal/report/page",
	"internal/report/design", "internal/lab/guest", "internal/lab", "internal/lab/fault", "internal/lab/exam",
	"internal/cli", "internal/cli/inventory", "internal/cli/machine", "internal/cli/results", "internal/cli/ceilings",
	"internal/cli/planning", "internal/cli/settings", "internal/cli/readiness", "internal/cli/job", "internal/cli/exam",
	"internal/cli/inspect", "internal/cli/explanation", "internal/cli/measure", "internal/cli/quick",
	"internal/cli/schemas",
	"internal/cli/completion", "cmd/linerate"}

// anyFamily is the folder of a device family as the table names it: all families may import the same, so a new one
// needs no entry.
func anyFamily(folder string) string {
	inside, ok := strings.CutPrefix(folder, "internal/device/")
	if !ok {
		return folder
	}
	family, layer, _ := strings.Cut(inside, "/")
	if slices.Contains([]string{"config", "configtest", "dcb", "families", "guide", "render"}, family) {
		return folder
	}
	return strings.TrimSuffix("internal/device/FAMILY/"+layer, "/")
}

func TestImports(t *testing.T) {
	seen := 0
	eachGoFile(t, func(file, folder string) {
		if strings.HasSuffix(file, "_test.go") || folder == "." || folder == "cmd/linerate" {
			return
		}
		seen++
		rule, ok := may[anyFamily(folder)]
		if !ok {
			t.Errorf("%s: folder %s is not in the table in internal/architecture/imports_test.go; "+
				"add it with its reason", file, folder)
			return
		}
		for _, imported := range imports(t, file) {
			if imported != everywhere && !slices.Contains(rule.imports, anyFamily(imported)) {
				t.Errorf("%s imports %s, which the table in internal/architecture/imports_test.go does not allow %s (%s)", file,
					imported, folder, rule.why)
			}
		}
	})
	if seen < 20 {
		t.Fatalf("only %d files were looked at", seen)
	}
}

// TestFarEndKnowsNoPlan keeps the agent and the measuring loops independent of the plan: of the decoder of fabric
// files, the catalogue and the checks.
func TestFarEndKnowsNoPlan(t *testing.T) {
	var reached func(folder string, seen map[string]bool)
	reached = func(folder string, seen map[string]bool) {
		for _, i := range may[folder].imports {
			if !seen[i] {
				seen[i] = true
				reached(i, seen)
			}
		}
	}
	for _, folder := range []string{"internal/traffic", "internal/storage/block", "nvmetcp", "internal/agent"} {
		if _, ok := may[folder]; !ok {
			t.Errorf("%s is in no line of the table", folder)
		}
		seen := map[string]bool{}
		reached(folder, seen)
		for _, forbidden := range []string{"internal/base/diag", "internal/design/catalog", "internal/design/fabric",
			"internal/design/plan", "internal/inspect/path", "internal/inspect/check"} {
			if seen[forbidden] {
				t.Errorf("%s depends on %s", folder, forbidden)
			}
		}
	}
}

func TestTableFollowsTheDataPath(t *testing.T) {
	for folder, rule := range may {
		if rule.why == "" {
			t.Errorf("%s: no reason", folder)
		}
		at := slices.Index(order, folder)
		for _, i := range rule.imports {
			if at >= 0 && slices.Index(order, i) >= at {
				t.Errorf("%s may import %s, which is not before it on the data path", folder, i)
			}
		}
	}
}

func TestOnePackageComment(t *testing.T) {
	comments := map[string][]string{}
	eachGoFile(t, func(file, folder string) {
		if strings.HasSuffix(file, "_test.go") {
			return
		}
		f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.PackageClauseOnly|parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		if _, ok := comments[folder]; !ok {
			comments[folder] = nil
		}
		if f.Doc != nil {
			comments[folder] = append(comments[folder], file)
		}
	})
	for folder, files := range comments {
		if len(files) != 1 {
			t.Errorf("folder %s has %d package comments, want exactly one: %v", folder, len(files), files)
		}
	}
}

// TestPrinting allows output in two places only.
func TestPrinting(t *testing.T) {
	eachGoFile(t, func(file, folder string) {
		if strings.HasSuffix(file, "_test.go") || folder == "cmd/linerate" || folder == "internal/report" {
			return
		}
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, call := range []string{"fmt.Print(", "fmt.Println(", "fmt.Printf(", "log.Print", "println("} {
			if i := strings.Index(string(text), call); i >= 0 &&
				!strings.Contains(lineAt(string(text), i), "Fprintln(") {
				t.Errorf("%s prints (%s); only report and cmd do", file, call)
			}
		}
	})
}

func lineAt(text string, i int) string {
	start := strings.LastIndex(text[:i], "\n") + 1
	end := strings.Index(text[i:], "\n")
	if end < 0 {
		return text[start:]
	}
	return text[start : i+end]
}

func eachGoFile(t *testing.T, visit func(file, folder string)) {
	t.Helper()
	left := []string{"testdata", "tools", "runs", "browsertest"}
	err := filepath.WalkDir(".", func(path string, d os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && path != "." && (strings.HasPrefix(d.Name(), ".") || slices.Contains(left, d.Name())) {
			return filepath.SkipDir
		}
		if strings.HasSuffix(path, ".go") {
			visit(path, filepath.ToSlash(filepath.Dir(path)))
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// imports lists the project's own folders that a file imports.
func imports(t *testing.T, file string) []string {
	t.Helper()
	f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ImportsOnly)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, s := range f.Imports {
		path, err := strconv.Unquote(s.Path.Value)
		if err != nil {
			t.Fatal(err)
		}
		if own, ok := strings.CutPrefix(path, "linerate/"); ok {
			out = append(out, own)
		}
	}
	return out
}
