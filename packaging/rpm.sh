# The RPM, by Debian's rpmbuild, of the same files; sourced.
rpm() {
	case $1 in amd64) cpu=x86_64 ;; arm64) cpu=aarch64 ;; *) die "rpm: there is no name for $1" ;; esac
	top=$WORK/rpm/$1
	tree=$top/tree
	mkdir -p "$top/rpmdb"
	system_tree "$1" "$tree" usr/share/zsh/site-functions usr/share/fish/vendor_completions.d
	mkdir -p "$tree/usr/share/licenses/linerate"
	cp "$WORK/common/LICENSE" "$tree/usr/share/licenses/linerate"
	mv "$tree/usr/share/doc/linerate/NOTICE" "$tree/usr/share/licenses/linerate"
	settle "$tree"
	# Of the folders only those that are linerate's alone.
	(cd "$tree" && {
		find usr -type d -name linerate | sed 's|.*|%dir "/&"|'
		find usr -path '*/linerate/*' -type d | sed 's|.*|%dir "/&"|'
		find usr -type f -path 'usr/share/man/*' | sed 's|.*|%doc "/&"|'
		find usr -type f -path 'usr/share/doc/*' | sed 's|.*|%doc "/&"|'
		find usr -type f -path 'usr/share/licenses/*' | sed 's|.*|%license "/&"|'
		find usr -type f ! -path 'usr/share/man/*' ! -path 'usr/share/doc/*' ! -path 'usr/share/licenses/*' | sed 's|.*|"/&"|'
	} | sort -u >"$top/files")
	licences=$(cut -sf 3 "$WORK/common/MODULES" | sed 's/ AND /\n/g' | sort -u | grep -vx Apache-2.0 | sed 's/^/ AND /' | tr -d '\n')
	cat >"$top/linerate.spec" <<END
Name: linerate
Version: $PACKAGED
Release: 1
Summary: Get a fast storage network to line rate
License: Apache-2.0$licences
Group: Applications/System
Packager: $PACKAGER
AutoReqProv: no
Recommends: openssh-clients, iproute, ethtool, nftables
Suggests: libibverbs-utils, mstflint, lldpd, rsync, samba-client, openmpi, gcc, rdma-core-devel

%description
linerate plans a fast storage network from one file, configures its hosts and
switches, measures every link in both directions, and says for each what it
carries, what it could carry, and which part holds it back.

It needs nothing on the other hosts: it sends itself over ssh, and is gone
when the run ends. A fabric can be tried in a lab of network namespaces on one
machine first.

%install
mkdir -p %{buildroot}
cp -a $tree/. %{buildroot}

%files -f $top/files
%defattr(-,root,root)
END
	# Nothing of this machine: no name of it, no time but the commit's, nothing stripped or looked up.
	rpmbuild --quiet -bb --target "$cpu-linux" --dbpath "$top/rpmdb" \
		--define "_topdir $top" --define "_rpmdir $top/made" --define "_build_name_fmt %%{NAME}-%%{VERSION}-%%{RELEASE}.%%{ARCH}.rpm" \
		--define "_buildhost reproducible" --define "use_source_date_epoch_as_buildtime 1" --define "clamp_mtime_to_source_date_epoch 1" \
		--define "debug_package %{nil}" --define "__os_install_post %{nil}" --define "_build_id_links none" \
		--define "_binary_payload w6.xzdio" --define "_tmppath $top" --define "_docdir /usr/share/doc" --buildroot "$top/root" "$top/linerate.spec"
	cp "$top"/made/*.rpm "$2"
	rm -rf "$top"
}
