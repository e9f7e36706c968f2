package storage

import (
	"strings"

	"linerate/internal/facts"
	"linerate/internal/facts/parse"
)

// Sources are the outputs of storage clients.
func Sources() []parse.Source {
	return []parse.Source{
		parse.Parsed("proc/mounts", parseMounts, putMounts).On("linux").
			KeptAs("proc mounts", `(?m)^\S+ /\S* (?:nfs4?|cifs|smb3) \S+ \d+ \d+$`),
		parse.Source{Name: "proc/fs/cifs/DebugData", OS: "linux", Read: readCIFS}.
			KeptAs("proc fs cifs debugdata", `^Display Internal CIFS Data Structures`),
		parse.Source{Name: "iscsiadm -m session", OS: "linux", Read: readISCSI}.
			KeptAs("iscsiadm", `(?m)^(?:iSCSI Transport Class|\s*Current Portal:|tcp: \[\d+\] )`),
		parse.Source{Name: "grep . /sys/class/nvme/nvme*/transport", OS: "linux", Read: readNVMeFiles},
		parse.Source{Name: "nvme list-subsys", OS: "linux", Read: readNVMeSubsystems}.
			KeptAs(
				"nvme list subsys",
				`(?m)^nvme-subsys\d+ - NQN=|^\s*(?:\[\s*)?\{\s*(?:"HostNQN":[^\n]*\n\s*(?:"HostID":[^\n]*\n\s*)?)?"Subsystems"\s*:`,
			),
		parse.Parsed("nvme list", parseNVMeList, putNVMe).On("linux").
			KeptAs("nvme list", `(?s)^\s*\{\s*"Devices"|^Node +(?:Generic +)?SN +Model`),
		parse.Parsed("zpool status", parseZpoolStatus, putPools).
			KeptAs("zpool status", `(?m)^ *pool: \S+\n *state: `),
		parse.Parsed("proc/mdstat", parseMdstat, putArrays).On("linux").
			KeptAs("proc mdstat", `^Personalities :`),
		parse.Parsed("proc/diskstats", ParseDiskstats,
			func(f *parse.Builder, _ []string, v []facts.BlockCount) { f.Storage.Blocks = v }).On("linux").
			KeptAs("proc diskstats", `^ +\d+ +\d+ [a-z][\w-]* \d+ \d+ \d+ \d+ `),
		{Name: LayersSource, OS: "linux", Read: ReadLayers},
		{Name: LoopsSource, OS: "linux", Read: ReadLoops},
		parse.Parsed("lsblk", parseLsblk, func(f *parse.Builder, _ []string, v []facts.Drive) {
			f.Storage.Drives = v
		}).On("linux").
			KeptAs("lsblk", `^\s*\{\s*"blockdevices"`),
		parse.Parsed("zpool list", parseZpoolList, putPools).
			KeptAs("zpool list", `^NAME\s+SIZE\s+ALLOC\s+FREE\s`),
	}
}

// Canonical converts these commands to the form of the table.
func Canonical(words []string) (name string, ok bool) {
	tool := words[0][strings.LastIndexByte(words[0], '/')+1:]
	rest := strings.Join(words[1:], " ")
	switch {
	case tool == "iscsiadm" && strings.HasPrefix(rest, "-m session"), tool == "iscsiadm" &&
		strings.HasPrefix(rest, "--mode session"):
		return "iscsiadm -m session", true
	case tool == "nvme" && strings.HasPrefix(rest, "list-subsys"):
		return "nvme list-subsys", true
	case tool == "nvme" && (rest == "list" || strings.HasPrefix(rest, "list -")):
		return "nvme list", true
	case tool == "zpool" && len(words) > 1 && (words[1] == "status" || words[1] == "list"):
		return "zpool " + words[1], true
	case tool == "lsblk":
		return tool, true
	case tool == "mounts" && len(words) == 1 && strings.HasPrefix(strings.TrimPrefix(words[0], "/"), "proc/"),
		words[0] == "/etc/mtab":
		return "proc/mounts", true
	}
	return "", false
}
