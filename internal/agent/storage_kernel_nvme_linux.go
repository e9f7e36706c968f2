package agent

// nvmeKernel is NVMe/TCP of the kernel at both ends: nvmet by its folders (configfs), and nvme-tcp by nvme-cli. Who may come in is a host with a name that nobody guesses.
func nvmeKernel() kernelWay {
	return kernelWay{
		protocol: "nvme-tcp", port: 4420,
		server: "nvmet, the NVMe target", client: "the NVMe/TCP initiator (nvme-tcp)",
		serves: []string{"nvmet-tcp"}, uses: []string{"nvme-tcp"},
		clientP: []programOf{{"nvme", "nvme-cli"}},
		name:    func(word, _ string) string { return "nqn.2026-11.linerate:" + word },
		user:    func(word string) string { return "nqn.2026-11.linerate:from-" + word },
		// A port of its own of each: two of one address and port cannot be.
		give: configFS + `modprobe -a nvmet nvmet-tcp; s=$c/nvmet/subsystems/$name p=$c/nvmet/ports/$id
mkdir -p $c/nvmet/hosts/$user $s/namespaces/1; echo 0 >$s/attr_allow_any_host; ln -s $c/nvmet/hosts/$user $s/allowed_hosts/$user
echo $path >$s/namespaces/1/device_path; echo 1 >$s/namespaces/1/buffered_io; echo 1 >$s/namespaces/1/enable
mkdir -p $p; echo tcp >$p/addr_trtype; case $at in *:*) echo ipv6 ;; *) echo ipv4 ;; esac >$p/addr_adrfam; echo $at >$p/addr_traddr; echo $port >$p/addr_trsvcid
ln -s $s $p/subsystems/$name`,
		ungive: `c=/sys/kernel/config; s=$c/nvmet/subsystems/$name p=$c/nvmet/ports/$id
rm -f $p/subsystems/$name; rmdir $p; echo 0 >$s/namespaces/1/enable; rmdir $s/namespaces/1; rm -f $s/allowed_hosts/$user; rmdir $s $c/nvmet/hosts/$user`,
		attach: `modprobe nvme-tcp; nvme connect -t tcp -a $at -s $port -n $name -q $user -I $(cat /proc/sys/kernel/random/uuid) --ctrl-loss-tmo=5 --reconnect-delay=2 --keep-alive-tmo=5 >/dev/null`,
		detach: `nvme disconnect -n $name`,
		found: `for s in /sys/class/nvme-subsystem/nvme-subsys* /sys/class/nvme/nvme*; do [ "$(cat $s/subsysnqn)" = $name ] || continue
for d in $s/nvme*n*; do [ -b /dev/${d##*/} ] && echo /dev/${d##*/}; done; done`,
	}
}
