/** Detects the abilities of the remote machine once, by trying them, because the existence of a tool is not enough. */
import { sh } from "./sh.js";

export const FACTS = sh`
hf_nl='
'

# Whether the remote machine has the ability $1.
hf_has() { case " $hf_facts " in *" $1 "*) return 0 ;; esac; return 1; }

# The process id of this shell. In a subshell "$$" is the parent, so the id is read from the name of its only thread.
hf_own_pid() {
  set -- /proc/self/task/[0-9]*
  hf_pid=\${1##*/}
  case $hf_pid in *[!0-9]*) hf_pid=$(exec sh -c 'echo "$PPID"') ;; esac
}

# Process ids are reused, so each is recorded with the start time that the kernel reports.
# Sets hf_began_at to the start time of $1, empty where none is reported. Fails if the process does not exist.
hf_started() {
  hf_began_at= hf_stat=
  { while IFS= read -r hf_line_of; do hf_stat="$hf_stat $hf_line_of"; done <"/proc/$1/stat"; } 2>/dev/null || return 1
  set -- \${hf_stat##*") "}
  [ $# -lt 20 ] || { shift 19; hf_began_at=$1; }
}

# Whether $1 can be the pid of one of our processes. "kill" treats other numbers as groups or as all processes.
hf_is_pid() { case $1 in "" | *[!0-9]* | 0* | 1) return 1 ;; esac; }

# Whether $1 is still the process that started at $2. Without /proc no start time is recorded; with it, a record without one
# means that the process had already ended.
hf_is_still() {
  hf_is_pid "$1" || return 1
  [ -n "$2" ] || { [ ! -e /proc/self/stat ]; return; }
  hf_started "$1" && [ "$hf_began_at" = "$2" ]
}

# Records the process $1 in the file $2.
hf_note() { hf_started "$1"; printf '%s %s\n' "$1" "$hf_began_at" >"$2"; }

# Sends the signal $1 to the process recorded in the file $2, if it is still the same one.
hf_kill_noted() {
  hf_noted= hf_noted_start=
  read -r hf_noted hf_noted_start <"$2" || return 1
  hf_is_still "$hf_noted" "$hf_noted_start" && kill "-$1" "$hf_noted"
}

# Sets PATH for the programs that these scripts start: calls can write to the workspace without a question, so what it holds is
# none of them. Each entry becomes its real path; one that is relative, cannot be entered or lies in the workspace is left out.
# hf_path is the PATH of commands. $1: the workspace, "" for the working directory. The root directory excludes nothing.
hf_own_path() {
  hf_path=\${PATH-}
  hf_y=$(cd -P -- "\${1:-.}" >/dev/null && pwd -P && printf x) && hf_y=\${hf_y%?x} || hf_y=$1
  hf_rest=$hf_path: hf_kept=
  while [ -n "$hf_rest" ]; do
    hf_x=\${hf_rest%%:*} hf_rest=\${hf_rest#*:}
    case $hf_x in /*) ;; *) continue ;; esac
    hf_x=$(cd -P -- "$hf_x" >/dev/null && pwd -P && printf x) || continue
    hf_x=\${hf_x%?x}
    case $hf_x/ in *:* | "$hf_y"/*) ;; *) hf_kept=$hf_kept:$hf_x ;; esac
  done
  # Where the workspace holds them all, those of the system.
  PATH=\${hf_kept:-:/usr/bin:/bin}; PATH=\${PATH#:}
  command -v mkdir >/dev/null || PATH=$PATH:/usr/bin:/bin
  export PATH
}

# Tries each ability in the spool directory, the working directory. Sets hf_facts to those that work.
hf_probe() {
  hf_facts=
  for hf_x in sha256sum setsid grep readlink sleep ln mkfifo tr rmdir; do
    if command -v "$hf_x" >/dev/null; then hf_facts="$hf_facts $hf_x"; fi
  done
  if [ "$(stat -c %s /dev/null)" = 0 ]; then hf_facts="$hf_facts stat"; fi
  if [ "$(printf ab | dd bs=2 count=1 iflag=fullblock)" = ab ]; then hf_facts="$hf_facts fullblock"; fi
  if [ "$(stat -c %s - </dev/null)" = 0 ]; then hf_facts="$hf_facts statfd"; fi
  if [ "$(printf 'a\0b\0' | xargs -0 printf '%s,')" = a,b, ]; then hf_facts="$hf_facts xargs0"; fi
  # Some versions of grep ignore everything after a NUL.
  if hf_has grep && printf 'a\0b\n' | grep -qsF -e b; then hf_facts="$hf_facts grep0"; fi
  printf abcd >probe
  if [ "$(dd if=probe bs=64 skip=1 count=2 iflag=skip_bytes,count_bytes)" = bc ]; then hf_facts="$hf_facts bytes"; fi
  if dd if=probe of=probe2 conv=fsync; then hf_facts="$hf_facts fsync"; fi
  # A GNU option; other versions of cp reject it. A cp builtin hides the one of the machine.
  hf_x=$(command -v cp); case $hf_x in /*) set -- "$hf_x" ;; *) set -- /usr/bin/cp /bin/cp ;; esac
  for hf_x in "$@"; do
    if "$hf_x" --attributes-only --preserve=mode,xattr probe probe2; then hf_facts="$hf_facts attributes:$hf_x"; break; fi
  done
  if mv -fT probe probe2; then hf_facts="$hf_facts mvT"; fi
  if sleep 0.001; then hf_facts="$hf_facts fraction"; fi
  if read -r hf_x </proc/self/stat; then hf_facts="$hf_facts proc"; fi
  rm -f probe probe2
}

# Waits $1 hundredths of a second; rounded up to seconds if sleep accepts no fractions.
hf_pause() {
  if hf_has fraction; then
    hf_x=$(( $1 % 100 )); [ "$hf_x" -gt 9 ] || hf_x=0$hf_x
    sleep "$(( $1 / 100 )).$hf_x"
  elif hf_has sleep; then
    sleep "$(( ($1 + 99) / 100 ))"
  fi
}

# Checks whether "cd -P" of this shell is reliable; see hf_enter.
hf_know_shell() { hf_ask_kernel="\${BASH_VERSION:-}\${KSH_VERSION:-}\${ZSH_VERSION:-}\${YASH_VERSION:-}"; }

# Enters the directory $1 and sets hf_here to its real path. The working directory stays the same directory even if it is
# renamed, so operations on "./name" happen there. Some shells compute "cd -P" from the string before they change directory:
# there the kernel is asked.
hf_enter() {
  cd -P -- "$1" || return 1
  hf_here=$PWD
  if [ -n "$hf_ask_kernel" ]; then hf_here=$(/bin/pwd -P; printf x); hf_here=\${hf_here%?x}; fi
}

# Creates the file $1 exclusively: the creator owns the claim.
hf_claim() { ( set -C; printf '' >"$1" ) 2>/dev/null; }
`;
