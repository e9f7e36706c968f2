package agent

// smbKernel is SMB 3.1.1 of the kernel at both ends: ksmbd and cifs.
func smbKernel() kernelWay {
	return kernelWay{
		protocol: "smb", port: 445, folder: true,
		server: "ksmbd, the SMB server", client: "the SMB 3.1.1 client (cifs)",
		serves: []string{"ksmbd"}, uses: []string{"cifs"},
		serverP: []programOf{{"ksmbd.mountd", "ksmbd-tools"}, {"ksmbd.adduser", "ksmbd-tools"}, {"ksmbd.control", "ksmbd-tools"}},
		clientP: []programOf{{"mount.cifs", "cifs-utils"}},
		name:    func(_, id string) string { return "share" + id },
		user:    func(string) string { return "root" }, // with a password of this run's: ksmbd's users are those of the system
		give: `modprobe ksmbd; ` + shareInMemory + `mkdir -p /etc/ksmbd /run
[ -e $dir/ksmbd ] && { echo "one share a host is what ksmbd is given here" >&2; exit 1; }
: >$dir/ksmbd; printf '[global]\n\tworkgroup = LINERATE\n\ttcp port = %s\n\tserver max protocol = SMB3_11\n\tmap to guest = never\n[%s]\n\tpath = %s\n\tread only = no\n\tvalid users = %s\n' $port $name $path $user >$dir/ksmbd.conf
: >$dir/ksmbdpwd; ksmbd.adduser -c $dir/ksmbd.conf -i $dir/ksmbdpwd -a $user -p $secret
ksmbd.mountd -c $dir/ksmbd.conf -u $dir/ksmbdpwd`,
		ungive: `ksmbd.control -s; kill $(pidof ksmbd.mountd); sleep 0.2; umount $path || umount -l $path; rm -f $dir/ksmbd; true`,
		attach: `modprobe cifs; mkdir -p $dir/$id; export PASSWD=$secret
mount.cifs //$at/$name $dir/$id -o user=$user,vers=3.1.1,port=$port,cache=none,nobrl,echo_interval=2`,
		detach: `umount $dir/$id || umount -l $dir/$id`,
	}
}
