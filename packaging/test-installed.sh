#!/bin/sh
# Installs /run/linerate.deb, uses it, and purges it; test.sh starts it in a root of its own.
set -eu
fail() {
	echo "packages: $*" >&2
	exit 1
}
version=$1
doc=/usr/share/doc/linerate
! command -v linerate >/dev/null 2>&1 || fail "there is a linerate on this machine already: $(command -v linerate)"

DEBIAN_FRONTEND=noninteractive dpkg -i /run/linerate.deb >/run/told 2>&1 || { cat /run/told; fail "dpkg -i"; }
[ -z "$(dpkg --verify linerate)" ] || fail "dpkg --verify: $(dpkg --verify linerate)"
dpkg -L linerate | while read -r f; do
	[ -e "$f" ] || fail "$f is in the package and not here"
done
[ "$(command -v linerate)" = /usr/bin/linerate ] || fail "linerate is not on the PATH"

told=$(linerate version --json)
case $told in *"\"version\":\"$version\""*) ;; *) fail "version --json: $told" ;; esac
cd /run
linerate plan "$doc/examples/mesh-10g.yaml" >plan || [ $? = 3 ] || fail "plan of the example"
grep -q host1 plan || grep -qi cable plan || fail "the plan of the example: $(cat plan)"

# groff warns of what is wrong in a page on its standard error; all pages, by the names in the package.
pages=$(dpkg -L linerate | grep '/man1/.*\.gz$')
for page in $pages; do
	name=$(basename "$page" .1.gz)
	MANWIDTH=80 MANROFFOPT=-ww man --warnings -P cat "$name" >page 2>warnings || fail "man $name: $(cat warnings)"
	[ ! -s warnings ] || fail "man $name warns: $(cat warnings)"
	[ "$(wc -l <page)" -gt 10 ] || fail "man $name is no page: $(cat page)"
done
if command -v mandoc >/dev/null 2>&1; then
	gzip -dc /usr/share/man/man1/linerate-run.1.gz | mandoc -Tlint -Werror || fail "mandoc is not content with linerate-run(1)"
fi
linked=$(man -w linerate)
[ "$linked" = /usr/share/man/man1/linerate.1.gz ] || fail "man linerate is $linked"

# The file of completions is loaded by its name, as bash-completion does it, and asked as the shell asks.
cat >ask.bash <<'END'
set -eu
if [ -e /usr/share/bash-completion/bash_completion ]; then set +eu; . /usr/share/bash-completion/bash_completion; set -eu; fi
. /usr/share/bash-completion/completions/linerate
complete -p linerate >/dev/null
compopt() { :; } # only within a completion
COMP_WORDS=(linerate com) COMP_CWORD=1 COMP_LINE="linerate com" COMP_POINT=12 COMP_TYPE=9 COMP_KEY=9
set +eu
__start_linerate
printf '%s\n' "${COMPREPLY[@]}"
END
bash ask.bash >completed || fail "bash's completion: $(cat completed)"
grep -q '^compare' completed || fail "bash completes \"linerate com\" to: $(cat completed)"
if command -v fish >/dev/null 2>&1; then
	fish -c 'complete -C "linerate com"' | grep -q '^compare' || fail "fish completes \"linerate com\" to: $(fish -c 'complete -C "linerate com"')"
fi
if command -v zsh >/dev/null 2>&1; then
	zsh -f -c 'fpath=(/usr/share/zsh/vendor-completions $fpath); autoload -Uz compinit && compinit -D && [[ ${_comps[linerate]} == _linerate ]] && autoload +X _linerate' || fail "zsh does not load _linerate"
fi

dpkg --purge linerate >/run/told 2>&1 || { cat /run/told; fail "dpkg --purge"; }
for f in /usr/bin/linerate "$doc" /usr/lib/linerate /usr/share/man/man1/linerate.1.gz; do
	[ ! -e "$f" ] || fail "$f is still there after the purge"
done
echo "deb: installed, $(echo "$pages" | wc -l) man pages without a warning, completions, purged"
