package export

// iscsiKernel is iSCSI of LIO, the kernel's target, by configfs (Linux's Documentation/target), and of the kernel's
// initiator by open-iscsi. Only an initiator with a random name may connect.
func iscsiKernel() kernelWay {
	return kernelWay{
		protocol: "iscsi", port: 3260,
		server: "LIO, the iSCSI target", client: "the iSCSI initiator (iscsi_tcp)",
		serverModules: []string{"iscsi_target_mod", "target_core_file"}, clientModules: []string{"iscsi_tcp", "sd_mod"},
		clientPrograms: []program{{"iscsid", "open-iscsi"}, {"iscsiadm", "open-iscsi"}},
		name:           func(word, _ string) string { return "iqn.2026-11.linerate:" + word },
		user:           func(word string) string { return "iqn.2026-11.linerate:from-" + word },
		export: configFS + `modprobe -a target_core_mod iscsi_target_mod target_core_file
b=$c/target/core/fileio_$id/disk t=$c/target/iscsi/$name/tpgt_1
mkdir -p $b; echo fd_dev_name=$path,fd_dev_size=$size >$b/control; echo $id$port$size >$b/wwn/vpd_unit_serial; echo 1 >$b/enable
mkdir -p $t/lun/lun_0 $t/acls/$user/lun_0; ln -s $b $t/lun/lun_0/disk; ln -s $t/lun/lun_0 $t/acls/$user/lun_0/disk
echo 0 >$t/attrib/authentication; mkdir $t/np/$at:$port; echo 1 >$t/enable`,
		unexport: `c=/sys/kernel/config; b=$c/target/core/fileio_$id/disk t=$c/target/iscsi/$name/tpgt_1
echo 0 >$t/enable; rm -f $t/acls/$user/lun_0/disk; rmdir $t/acls/$user/lun_0 $t/acls/$user $t/np/*; rm -f $t/lun/lun_0/disk
rmdir $t/lun/lun_0 $t $c/target/iscsi/$name $b $c/target/core/fileio_$id`,
		attach: `modprobe -a iscsi_tcp sd_mod; mkdir -p /etc/iscsi /var/lib/iscsi
[ -s /etc/iscsi/initiatorname.iscsi ] || echo InitiatorName=$user >/etc/iscsi/initiatorname.iscsi
pidof iscsid >/dev/null || { iscsid; : >$dir/iscsid; }
for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do r=0; iscsiadm -m session >/dev/null 2>&1 || r=$?; [ $r != 20 ] && [ $r != 6 ] && break; sleep 0.3; done
iscsiadm -m iface -I lr$id -o new >/dev/null; iscsiadm -m iface -I lr$id -o update -n iface.initiatorname -v $user >/dev/null
n="-m node -T $name -p $at:$port,1 -I lr$id"
iscsiadm $n -o new >/dev/null
for x in node.session.timeo.replacement_timeout:5 node.session.initial_login_retry_max:1 node.conn[0].timeo.noop_out_interval:2 node.conn[0].timeo.noop_out_timeout:2; do iscsiadm $n -o update -n ${x%:*} -v ${x##*:} >/dev/null; done
iscsiadm $n --login >/dev/null`,
		detach: `n="-m node -T $name -p $at:$port,1 -I lr$id"
iscsiadm $n --logout; iscsiadm $n -o delete; iscsiadm -m iface -I lr$id -o delete
if [ -e $dir/iscsid ] && ! iscsiadm -m session; then iscsiadm -k 0; fi; true`,
		found: `for s in /sys/class/iscsi_session/session*; do [ "$(cat $s/targetname)" = $name ] || continue
for d in $s/device/target*/*:*/block/*; do [ -e $d ] && echo /dev/${d##*/}; done; done`,
	}
}

// configFS mounts the folder of the kernel's targets where it is not mounted, and calls it c.
const configFS = `c=/sys/kernel/config; modprobe -q configfs || :; grep -q " $c " /proc/mounts || mount -t configfs configfs $c
`

// nvmeKernel is NVMe/TCP of the kernel at both ends: nvmet by configfs, and nvme-tcp by nvme-cli. Only a host with a
// random name may connect.
func nvmeKernel() kernelWay {
	return kernelWay{
		protocol:       "nvme-tcp",
		port:           4420,
		server:         "nvmet, the NVMe target",
		client:         "the NVMe/TCP initiator (nvme-tcp)",
		serverModules:  []string{"nvmet-tcp"},
		clientModules:  []string{"nvme-tcp"},
		clientPrograms: []program{{"nvme", "nvme-cli"}},
		name:           func(word, _ string) string { return "nqn.2026-11.linerate:" + word },
		user:           func(word string) string { return "nqn.2026-11.linerate:from-" + word },
		// Each export has a port object of its own; nvmet refuses two with one address and port.
		export: configFS + `modprobe -a nvmet nvmet-tcp; s=$c/nvmet/subsystems/$name p=$c/nvmet/ports/$id
mkdir -p $c/nvmet/hosts/$user $s/namespaces/1; echo 0 >$s/attr_allow_any_host; ln -s $c/nvmet/hosts/$user $s/allowed_hosts/$user
echo $path >$s/namespaces/1/device_path; echo 1 >$s/namespaces/1/buffered_io; echo 1 >$s/namespaces/1/enable
mkdir -p $p; echo tcp >$p/addr_trtype; case $at in *:*) echo ipv6 ;; *) echo ipv4 ;; esac >$p/addr_adrfam; echo $at >$p/addr_traddr; echo $port >$p/addr_trsvcid
ln -s $s $p/subsystems/$name`,
		unexport: `c=/sys/kernel/config; s=$c/nvmet/subsystems/$name p=$c/nvmet/ports/$id
rm -f $p/subsystems/$name; rmdir $p; echo 0 >$s/namespaces/1/enable; rmdir $s/namespaces/1; rm -f $s/allowed_hosts/$user; rmdir $s $c/nvmet/hosts/$user`,
		attach: `modprobe nvme-tcp; nvme connect -t tcp -a $at -s $port -n $name -q $user -I $(cat /proc/sys/kernel/random/uuid) --ctrl-loss-tmo=5 --reconnect-delay=2 --keep-alive-tmo=5 >/dev/null`,
		detach: `nvme disconnect -n $name`,
		found: `for s in /sys/class/nvme-subsystem/nvme-subsys* /sys/class/nvme/nvme*; do [ "$(cat $s/subsysnqn)" = $name ] || continue
for d in $s/nvme*n*; do [ -b /dev/${d##*/} ] && echo /dev/${d##*/}; done; done`,
	}
}

// nfsKernel is NFS 4.2 of the kernel at both ends. The folder is in memory, so that it has a size: guests of a lab have
// no drives.
func nfsKernel() kernelWay {
	return kernelWay{
		protocol:      "nfs",
		port:          2049,
		folder:        true,
		server:        "nfsd, the NFS server",
		client:        "the NFS 4.2 client",
		serverModules: []string{"nfsd"},
		clientModules: []string{"nfsv4"},
		serverPrograms: []program{{"rpc.nfsd", "nfs-kernel-server"}, {"rpc.mountd", "nfs-kernel-server"},
			{"exportfs", "nfs-kernel-server"}},
		clientPrograms: []program{{"mount.nfs", "nfs-common"}},
		export: `modprobe nfsd; grep -q " /proc/fs/nfsd " /proc/mounts || mount -t nfsd nfsd /proc/fs/nfsd
` + shareInMemory + `mkdir -p /var/lib/nfs/rpc_pipefs /var/lib/nfs/v4recovery; touch /var/lib/nfs/etab /var/lib/nfs/rmtab /etc/exports
exportfs -o rw,no_root_squash,insecure,no_subtree_check,fsid=$id $peer:$path
if [ "$(cat /proc/fs/nfsd/threads)" = 0 ]; then : >$dir/nfsd; pidof rpc.mountd >/dev/null || rpc.mountd -N 3; rpc.nfsd -N 3 -G 10 -L 10 8; echo Y >/proc/fs/nfsd/v4_end_grace; fi`,
		unexport: `exportfs -u $peer:$path; if [ -e $dir/nfsd ]; then rpc.nfsd 0; kill $(pidof rpc.mountd); rm -f $dir/nfsd; fi
umount $path || umount -l $path`,
		attach: `modprobe nfsv4; mkdir -p $dir/$id; [ -e /etc/protocols ] || echo "tcp 6 TCP" >/etc/protocols;  mount.nfs $at:$name $dir/$id -o vers=4.2,proto=tcp,port=$port,soft,timeo=50,retrans=1`,
		detach: `umount $dir/$id || umount -l $dir/$id`,
	}
}

// shareInMemory makes a folder with room for a file of the size and what is written next to it.
const shareInMemory = `mkdir -p $path; mount -t tmpfs -o size=$((size + size / 8 + 4194304)),mode=755 linerate $path
`

// smbKernel is SMB 3.1.1 of the kernel at both ends: ksmbd and cifs.
func smbKernel() kernelWay {
	return kernelWay{
		protocol:      "smb",
		port:          445,
		folder:        true,
		server:        "ksmbd, the SMB server",
		client:        "the SMB 3.1.1 client (cifs)",
		serverModules: []string{"ksmbd"},
		clientModules: []string{"cifs"},
		serverPrograms: []program{{"ksmbd.mountd", "ksmbd-tools"}, {"ksmbd.adduser", "ksmbd-tools"},
			{"ksmbd.control", "ksmbd-tools"}},
		clientPrograms: []program{{"mount.cifs", "cifs-utils"}},
		name:           func(_, id string) string { return "share" + id },
		// with a password of this run's: ksmbd's users are those of the system
		user: func(string) string { return "root" },
		export: `modprobe ksmbd; ` + shareInMemory + `mkdir -p /etc/ksmbd /run
[ -e $dir/ksmbd ] && { echo "one share a host is what ksmbd is given here" >&2; exit 1; }
: >$dir/ksmbd; printf '[global]\n\tworkgroup = LINERATE\n\ttcp port = %s\n\tserver max protocol = SMB3_11\n\tmap to guest = never\n[%s]\n\tpath = %s\n\tread only = no\n\tvalid users = %s\n' $port $name $path $user >$dir/ksmbd.conf
: >$dir/ksmbdpwd; ksmbd.adduser -c $dir/ksmbd.conf -i $dir/ksmbdpwd -a $user -p $secret
ksmbd.mountd -c $dir/ksmbd.conf -u $dir/ksmbdpwd`,
		unexport: `ksmbd.control -s; kill $(pidof ksmbd.mountd); sleep 0.2; umount $path || umount -l $path; rm -f $dir/ksmbd; true`,
		attach: `modprobe cifs; mkdir -p $dir/$id; export PASSWD=$secret
mount.cifs //$at/$name $dir/$id -o user=$user,vers=3.1.1,port=$port,cache=none,nobrl,echo_interval=2`,
		detach: `umount $dir/$id || umount -l $dir/$id`,
	}
}
