package agent

// iscsiKernel is iSCSI of LIO, the kernel's target, by its folders (configfs: Linux's Documentation/target), and of the kernel's initiator by open-iscsi. Who may
// come in is an initiator with a name that nobody guesses.
func iscsiKernel() kernelWay {
	return kernelWay{
		protocol: "iscsi", port: 3260,
		server: "LIO, the iSCSI target", client: "the iSCSI initiator (iscsi_tcp)",
		serves: []string{"iscsi_target_mod", "target_core_file"}, uses: []string{"iscsi_tcp", "sd_mod"},
		clientP: []programOf{{"iscsid", "open-iscsi"}, {"iscsiadm", "open-iscsi"}},
		name:    func(word, _ string) string { return "iqn.2026-11.linerate:" + word },
		user:    func(word string) string { return "iqn.2026-11.linerate:from-" + word },
		give: configFS + `modprobe -a target_core_mod iscsi_target_mod target_core_file
b=$c/target/core/fileio_$id/disk t=$c/target/iscsi/$name/tpgt_1
mkdir -p $b; echo fd_dev_name=$path,fd_dev_size=$size >$b/control; echo $id$port$size >$b/wwn/vpd_unit_serial; echo 1 >$b/enable
mkdir -p $t/lun/lun_0 $t/acls/$user/lun_0; ln -s $b $t/lun/lun_0/disk; ln -s $t/lun/lun_0 $t/acls/$user/lun_0/disk
echo 0 >$t/attrib/authentication; mkdir $t/np/$at:$port; echo 1 >$t/enable`,
		ungive: `c=/sys/kernel/config; b=$c/target/core/fileio_$id/disk t=$c/target/iscsi/$name/tpgt_1
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

// configFS mounts the folders of the kernel's targets where nobody did, and calls them c.
const configFS = `c=/sys/kernel/config; modprobe -q configfs || :; grep -q " $c " /proc/mounts || mount -t configfs configfs $c
`
