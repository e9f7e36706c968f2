package fabric

// shapes say what may stand behind each key, for the JSON Schema of fabric files: "text" one value, "texts" one or a list, "table" names with
// one value each, "flag" true or false, "int LOW HIGH", "word A B ..", "entry E" a mapping with E's keys, "map E" names with such mappings, "list E"
// one or a list of them; several with " | ". Settings of experiments are not here: settings() has them. Tests hold all of it against the decoder.
func shapes() map[string]string {
	const exports, behind = "word iscsi nvme-tcp nbd nfs smb http", "word cpu chipset switch | like cpu[0-9]{1,2}"
	return map[string]string{
		"fabric.fabric": "text", "fabric.mtu": "int 576 65520", "fabric.addressing": "entry addressing", "fabric.subnets": "map subnet", "fabric.hosts": "map host",
		"fabric.volumes": "map volume", "fabric.profiles": "map profile", "fabric.switches": "map switch", "fabric.links": "list link", "fabric.spares": "list item | texts",
		"fabric.classes": "map class", "fabric.trust": "word dscp pcp port", "fabric.dcbx": "word none switch", "fabric.experiments": "map experiment", "fabric.goals": "map goal", "fabric.variants": "variants",
		"addressing.pool": "text", "addressing.prefix": "int 0 127", "addressing.avoid": "texts", "addressing.names": "word hosts-file",
		"subnet.range": "text", "subnet.vlan": "int 1 4094",
		"host.os": "word linux freebsd truenas windows proxmox macos", "host.version": "text", "host.system": "text", "host.cpu": "text", "host.memory": "text", "host.reach": "text",
		"host.slots": "texts", "host.on": "text", "host.guest": "flag | word systemd", "host.price": "text", "host.settings": "table", "host.nics": "map nic", "host.bonds": "map bond", "host.drives": "map drive",
		"nic.part": "text | entry part", "nic.slot": "text", "nic.behind": behind, "nic.mode": "word eth ib", "nic.speed": "text", "nic.rdma": "word rocev1 rocev2 iwarp ib none", "nic.vfs": "int 0 4096",
		"nic.vf": "text", "nic.firmware": "text", "nic.settings": "table", "nic.ports": "texts", "nic.price": "text",
		"bond.of": "texts", "bond.mode": "word lacp backup set", "bond.subnet": "text",
		"drive.part": "text | entry part", "drive.bus": "text", "drive.behind": behind, "drive.count": "int 1 10000", "drive.layout": "text", "drive.read": "text", "drive.write": "text", "drive.capacity": "text",
		"drive.path": "text", "drive.mounts": "table", "drive.export": exports, "drive.size": "text", "drive.shares": "table", "drive.login": "text", "drive.price": "text",
		"volume.of": "texts", "volume.layout": "text", "volume.tiers": "texts", "volume.at": "text", "volume.path": "text", "volume.export": exports, "volume.shares": "table", "volume.login": "text",
		"profile.repeats": "int 1 1000",
		"switch.part":     "text | entry part", "switch.os": "word routeros onyx mlnx-os cumulus sonic eos", "switch.version": "text", "switch.system": "text", "switch.reach": "text", "switch.price": "text",
		"link.ends": "texts", "link.mesh": "texts", "link.name": "text", "link.subnet": "text", "link.addresses": "texts", "link.cable": "text | entry item", "link.adapter": "text | entry item",
		"link.length": "text", "link.mtu": "int 576 65520",
		"item.part": "text | entry part", "item.price": "text", "item.label": "text", "item.count": "int 1 100000",
		"part.kind": "text", "part.name": "text", "part.speed": "text", "part.ports": "int 1 1024", "part.cage": "text", "part.bus": "text", "part.rdma": "texts", "part.media": "text", "part.ends": "texts",
		"part.length": "text", "part.capacity": "text",
		"class.priority": "int 0 7", "class.dscp": "int 0 63", "class.lossless": "flag", "class.ecn": "flag", "class.share": "text", "class.match": "text",
		"experiment.from": "texts", "experiment.to": "texts", "experiment.on": "texts", "experiment.via": "texts", "experiment.repeats": "int 1 1000", "experiment.figure": "entry figure",
		"figure.match": "text", "figure.unit": "text",
		"goal.of": "text", "goal.where": "lists", "goal.want": "text",
	}
}
