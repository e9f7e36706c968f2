# guard.sh FOLDER SECONDS KEPT: applies, verifies, waits to be confirmed, or takes everything back. KEPT is there when an
# earlier apply was not undone; undo.sh then undoes that, too.
# It runs in a session of its own and must go on when every connection to the host is gone.
cd "$1" || exit 1
patience=$2
earlier=
[ -z "$3" ] || [ ! -e "${LINERATE_STATE:-$3}" ] || earlier=1
trap '' HUP PIPE INT
echo $$ >guard.pid

say() { printf '%s\n' "$1" >state.new && mv state.new state; }

back() {
	say "undoing $1"
	sh ./undo.sh --since-boot >undo.log 2>&1
	rc=$?
	sh ./verify.sh >after.log 2>&1
	if [ $rc -eq 0 ] && [ -n "$earlier" ]; then
		say "undone $1; the apply before it was undone with it"
	elif [ $rc -eq 0 ] && cmp -s before.log after.log; then say "undone $1"; else say "stuck $1 (undo.sh ended with $rc)"; fi
	exit 1
}

# silence counts the seconds since the beat changed. It does not look at a clock: that may jump.
silence=0
last=none
alone() {
	sleep 1
	now=$(cat beat 2>/dev/null)
	if [ "$now" = "$last" ]; then silence=$((silence + 1)); else silence=0 last=$now; fi
	[ $silence -ge "$patience" ]
}

# work STATE SCRIPT LOG: runs a script, and looks up meanwhile.
work() {
	say "$1"
	rm -f ended
	(sh "./$2" >"$3" 2>&1; echo $? >ended.new; mv ended.new ended) &
	child=$!
	while [ ! -e ended ]; do
		if alone; then stop "nobody asked for $patience s while $2 was running"; fi
		if [ -e abort ]; then stop "it was asked to, while $2 was running"; fi
	done
	wait $child
	rc=$(cat ended)
}

stop() {
	# What the script started goes with it: a change that comes after the undo would stay.
	for p in $(descendants $child); do kill -9 "$p" 2>/dev/null; done
	wait $child 2>/dev/null
	back "$1"
}

descendants() {
	for d in /proc/[0-9]*; do
		[ "$(sed -n 's/^PPid:[[:space:]]*//p' "$d/status" 2>/dev/null)" = "$1" ] && descendants "${d#/proc/}"
	done
	echo "$1"
}

sh ./verify.sh >before.log 2>&1
work applying apply.sh apply.log
# 3: this machine does not have something, and said so; whether it is as planned all the same is for verify.sh to say.
[ "$rc" = 0 ] || [ "$rc" = 3 ] || back "apply.sh ended with $rc"
work verifying verify.sh verify.log
# 3: something could not be read. That is said, and is no reason to take back what could be.
[ "$rc" = 0 ] || [ "$rc" = 3 ] || back "verify.sh ended with $rc"
say waiting
while :; do
	if [ -e confirm ]; then
		say applied
		exit 0
	fi
	if [ -e abort ]; then back "it was asked to"; fi
	if alone; then back "nobody confirmed for $patience s"; fi
done
