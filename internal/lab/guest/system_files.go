package guest

// SystemAgent is the path of the lab's linerate in a guest with an operating system. Its init copies it there at each
// boot.
const SystemAgent = "/run/linerate/init"

// systemTexts are the files that maintainer scripts would have made, and those that make the system a guest of the lab.
// The lab's files are below usr/lib, because etc is the user's.
func systemTexts() map[string]string {
	return map[string]string{
		"etc/passwd": "root:x:0:0:root:/root:/bin/sh\nmessagebus:x:101:101::/nonexistent:/usr/sbin/nologin\n" +
			"systemd-network:x:998:998:systemd Network " +
			"Management:/:/usr/sbin/nologin\nnobody:x:65534:65534:nobody:/nonexistent:/usr/sbin/nologin\n",
		"etc/group": "root:x:0:\ntty:x:5:\ndisk:x:6:\nkmem:x:15:\ndialout:x:20:\n" +
			"floppy:x:25:\ncdrom:x:24:\ntape:x:26:\naudio:x:29:\nvideo:x:44:\nusers:x:100:\n" +
			"messagebus:x:101:\nutmp:x:43:\nadm:x:4:\nlp:x:7:\ninput:x:102:\nkvm:x:103:\nsgx:x:104:\nrender:x:105:\n" +
			"systemd-journal:x:999:\nsystemd-network:x:998:\nnogroup:x:65534:\n",
		"etc/shadow":         "root:*:19700:0:99999:7:::\n",
		"etc/nsswitch.conf":  "passwd: files\ngroup: files\nshadow: files\nhosts: files\nservices: files\nprotocols: files\n",
		"etc/services":       "nfs 2049/tcp\nnfs 2049/udp\nsunrpc 111/tcp\nsunrpc 111/udp\n",
		"etc/fstab":          "# The disk's one file system is mounted before systemd starts.\n",
		"etc/selinux/config": "SELINUX=disabled\n", // otherwise each boot starts with a warning about it
		// As the package's own script makes it.
		"etc/network/interfaces": "# interfaces(5) file used by ifup(8) and ifdown(8)\n# Include files from " +
			"/etc/network/interfaces.d:\nsource /etc/network/interfaces.d/*\n",
		"etc/machine-id": "", // the guest's init writes one
		// A NIC keeps the name that the lab gave it before udev saw it.
		"usr/lib/systemd/network/99-default.link": "[Match]\nOriginalName=*\n\n[Link]\nNamePolicy=keep " +
			"kernel\nMACAddressPolicy=none\n",
		// Only network devices are triggered again: several hundred others would take an emulated guest ten seconds.
		"usr/lib/systemd/system/systemd-udev-trigger.service.d/linerate.conf": "[Service]\nExecStart=\n" +
			"ExecStart=-udevadm trigger --type=devices --action=add --subsystem-match=net --subsystem-match=infiniband\n",
		// The agent runs from it until the end.
		"usr/lib/systemd/system/run-linerate.mount.d/linerate.conf": "[Unit]\nDefaultDependencies=no\n",
		// It starts only if it has connections: without them it would only watch.
		"usr/lib/systemd/system/NetworkManager.service.d/linerate.conf": "[Unit]\n" +
			"ConditionDirectoryNotEmpty=|/etc/NetworkManager/system-connections\n" +
			"ConditionDirectoryNotEmpty=|/run/NetworkManager/system-connections\n",
		// ifupdown starts under the same condition.
		"usr/lib/systemd/system/networking.service.d/linerate.conf": "[Unit]\n" +
			"ConditionDirectoryNotEmpty=/etc/network/interfaces.d\n",
		"usr/lib/systemd/system/ifupdown-pre.service.d/linerate.conf": "[Unit]\n" +
			"ConditionDirectoryNotEmpty=/etc/network/interfaces.d\n",
		"usr/lib/NetworkManager/conf.d/90-linerate.conf": "[main]\nplugins=keyfile\nno-auto-default=*\n" +
			"auth-polkit=root-only\ndns=none\n\n[connectivity]\nenabled=false\n",
		"usr/lib/systemd/journald.conf.d/linerate.conf": "[Journal]\nStorage=volatile\nRuntimeMaxUse=16M\n" +
			"ForwardToSyslog=no\nAudit=no\n",
		"usr/lib/systemd/system.conf.d/linerate.conf": "[Manager]\nDefaultTimeoutStopSec=10s\n" +
			"DefaultTimeoutStartSec=60s\nDefaultDeviceTimeoutSec=30s\n",
		// Python finds libraries only in this table, and netplan needs Python.
		"usr/lib/systemd/system/linerate-libraries.service": "[Unit]\nDescription=Table of the " +
			"libraries\nConditionPathExists=!/etc/ld.so.cache\n\n" +
			"[Service]\nType=oneshot\nExecStart=/usr/sbin/ldconfig -X\n",
		"usr/lib/systemd/system/linerate.service": "[Unit]\nDescription=linerate's end of the lab's " +
			"channel\nDefaultDependencies=no\n" +
			"Conflicts=shutdown.target\nBefore=shutdown.target\n\n" + "[Service]\nExecStart=" + SystemAgent + " lab-guest " +
			"agent\nRestart=on-failure\nRestartSec=1\nOOMPolicy=continue\nOOMScoreAdjust=-900\n" +
			"KillMode=mixed\nTimeoutStopSec=5s\nTasksMax=infinity\nLimitMEMLOCK=infinity\nLimitNOFILE=1048576\n",
	}
}
