package rdma_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"linerate/rdma/rdmatest"
)

// storage is a block device or a folder that guest a exports over RDMA and guest b uses.
type storage struct {
	name string
	// serve runs in a, attach in b, with $a and $b as their addresses; attach ends with the path of the attached storage
	// in $at, a block device or a file in a mounted folder. proof prints a word that appears only with RDMA.
	serve, attach, proof, want, detach string
}

// memory creates block devices of memory in guest a.
const memory = "modprobe brd rd_nr=2 rd_size=65536; grep -q ' /sys/kernel/config ' /proc/mounts || mount -t " +
	"configfs c /sys/kernel/config\n"

var stores = []storage{
	{
		"NVMe over RDMA",
		memory + `modprobe -a nvmet nvmet-rdma; cd /sys/kernel/config/nvmet
mkdir subsystems/lab; echo 1 >subsystems/lab/attr_allow_any_host
mkdir subsystems/lab/namespaces/1; echo /dev/ram0 >subsystems/lab/namespaces/1/device_path; echo 1 >subsystems/lab/namespaces/1/enable
mkdir ports/1; echo rdma >ports/1/addr_trtype; echo ipv4 >ports/1/addr_adrfam; echo $a >ports/1/addr_traddr; echo 4420 >ports/1/addr_trsvcid
ln -s /sys/kernel/config/nvmet/subsystems/lab ports/1/subsystems/lab`,
		`modprobe nvme-rdma; [ -s /etc/nvme/hostid ] || { u=$(cat /proc/sys/kernel/random/uuid); echo nqn.2014-08.org.nvmexpress:uuid:$u >/etc/nvme/hostnqn; echo $u >/etc/nvme/hostid; }
nvme connect -t rdma -a $a -s 4420 -n lab -i 1 >/dev/null; at=/dev/nvme0n1`,
		"cat /sys/class/nvme/nvme0/transport",
		"rdma",
		"nvme disconnect -n lab >/dev/null",
	},
	{
		"NFS over RDMA",
		`modprobe -a nfsd rpcrdma; grep -q " /proc/fs/nfsd " /proc/mounts || mount -t nfsd n /proc/fs/nfsd
mkdir -p /export /var/lib/nfs/rpc_pipefs /var/lib/nfs/v4recovery; mount -t tmpfs -o size=64m t /export; touch /var/lib/nfs/etab /var/lib/nfs/rmtab
echo '/export *(rw,no_root_squash,insecure,no_subtree_check,fsid=1)' >/etc/exports; exportfs -ra; rpc.mountd -N 3
rpc.nfsd -N 3 -G 10 -L 10 --rdma=20049 4; echo Y >/proc/fs/nfsd/v4_end_grace`,
		"modprobe -a nfsv4 rpcrdma; mkdir -p /mnt/nfs; mount.nfs $a:/export /mnt/nfs -o vers=4.2,proto=rdma,port=20049; " +
			"at=/mnt/nfs/f",
		"grep -o 'proto=rdma' /proc/mounts",
		"proto=rdma",
		"umount /mnt/nfs",
	},
	{
		"iSER",
		memory + `modprobe -a target_core_mod iscsi_target_mod target_core_iblock ib_isert
c=/sys/kernel/config/target; q=iqn.2001-04.test.linerate:disk
mkdir -p $c/core/iblock_0/d0; echo udev_path=/dev/ram1 >$c/core/iblock_0/d0/control; echo 1 >$c/core/iblock_0/d0/enable
mkdir -p $c/iscsi/$q/tpgt_1/lun/lun_0; ln -s $c/core/iblock_0/d0 $c/iscsi/$q/tpgt_1/lun/lun_0/d0
for x in authentication:0 demo_mode_write_protect:0 generate_node_acls:1 cache_dynamic_acls:1; do echo ${x#*:} >$c/iscsi/$q/tpgt_1/attrib/${x%:*}; done
mkdir $c/iscsi/$q/tpgt_1/np/$a:3261; echo 1 >$c/iscsi/$q/tpgt_1/np/$a:3261/iser; echo 1 >$c/iscsi/$q/tpgt_1/enable`,
		`modprobe -a ib_iser sd_mod; q=iqn.2001-04.test.linerate:disk; mkdir -p /etc/iscsi /var/lib/iscsi; [ -s /etc/iscsi/initiatorname.iscsi ] || echo InitiatorName=iqn.2001-04.test.linerate:b >/etc/iscsi/initiatorname.iscsi
pidof iscsid >/dev/null || iscsid; for i in 1 2 3 4 5 6 7 8 9 10; do iscsiadm -m session >/dev/null 2>&1 || [ $? != 21 ] || break; sleep 0.3; done
iscsiadm -m node -o new -T $q -p $a:3261,1 -I iser >/dev/null; iscsiadm -m node -T $q -p $a:3261 -I iser --login >/dev/null; at=/dev/sda`,
		"iscsiadm -m session -P 1 | grep -o 'Iface Transport: iser'",
		"Iface Transport: iser",
		"iscsiadm -m node -T iqn.2001-04.test.linerate:disk --logout >/dev/null",
	},
}

// Written data is read back from the other end's own memory, and RDMA transfers it.
const writeAndRead = `
for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do [ -b $at ] && break; case $at in /dev/*) sleep 0.3 ;; esac; done
case $at in /dev/*) [ -b $at ] || { echo "$at is no block device" >&2; exit 1; } ;; esac
dd if=/dev/urandom of=/tmp/data bs=64k count=32 2>/dev/null
dd if=/tmp/data of=$at bs=64k conv=fsync,notrunc 2>/dev/null; sync; echo 3 >/proc/sys/vm/drop_caches
dd if=$at bs=64k count=32 2>/dev/null | cmp - /tmp/data && echo same
`

// Block devices and folders use the same soft devices as the method rdma; iSER over iWARP is left out, as its ports
// are TCP's.
func TestGuestStorage(t *testing.T) {
	g := guests(t)
	for _, way := range []struct {
		name      string
		addresses [2]string
	}{{"rxe", rdmatest.RoCE}, {"siw", rdmatest.IWARP}} {
		for _, s := range stores {
			if way.name == "siw" && s.name == "iSER" {
				continue
			}
			t.Run(s.name+" "+way.name, func(t *testing.T) {
				on := func(host, line string) string {
					t.Helper()
					ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
					defer cancel()
					out, err := g.On(ctx, host, "set -e; a="+way.addresses[0]+" b="+way.addresses[1]+"\n"+line)
					if err != nil {
						t.Fatalf("%s: %v", host, err)
					}
					return strings.TrimSpace(out)
				}
				if way.name == "rxe" {
					on("a", s.serve)
				} else if s.name == "NVMe over RDMA" {
					on(
						"a",
						`cd /sys/kernel/config/nvmet; mkdir ports/2; echo rdma >ports/2/addr_trtype; echo ipv4 >ports/2/addr_adrfam; echo $a >ports/2/addr_traddr; echo 4420 >ports/2/addr_trsvcid
ln -s /sys/kernel/config/nvmet/subsystems/lab ports/2/subsystems/lab`,
					)
				}
				if got := on("b", s.attach+writeAndRead); got != "same" {
					t.Errorf("what was written is not what is read: %q", got)
				}
				if got := on("b", s.proof); got != s.want {
					t.Errorf("%q, want %q: it does not go over RDMA", got, s.want)
				}
				on("b", s.detach)
			})
		}
	}
}
