/** The command channel: how its shell starts, which process reads and writes, and how it ends. */
import { sh } from "./sh.js";

export const COMMAND = sh`
# One shell starts several processes, connected by pipes that no command inherits:
#
#   channel in -> dispatcher -> workers (five a level, further levels on demand) -> emitter -> channel out
#                           \-> sentinel (acts when the dispatcher has ended)
#
# They are started as a foreground pipeline: a job started by "&" would ignore INT and QUIT, for itself and for every
# command, and a shell cannot undo that.
hf_main() {
  unset hf_nonce hf_gen hf_tag hf_s hf_c hf_path hf_me
  IFS= read -r hf_l || exit 0
  eval "set -- $hf_l"
  hf_nonce=$1 hf_gen=$2 hf_parent=\${3:-\${TMPDIR:-/tmp}} hf_fresh=$4 hf_old=$5 hf_orphan=$6 hf_lease=$7 hf_tag=$8 hf_program=$9
  shift 9
  hf_args=$1
  shift
  exec 2>/dev/null
  hf_know_shell
  hf_own_path "$1"
  # Before anything is created.
  if [ -n "$1" ]; then cd "$1" || hf_refuse "cannot enter the directory \"$1\""; fi
  hf_adopt
  # Set for every command: no colors, pager, editor or interactive prompts.
  export TERM=dumb NO_COLOR=1 PAGER=cat GIT_PAGER=cat GIT_EDITOR=: EDITOR=: GIT_TERMINAL_PROMPT=0
  eval "set -- $2"
  for hf_x in "$@"; do export "$hf_x"; done
  hf_cwd=$(pwd; printf x); hf_cwd=\${hf_cwd%?x}
  hf_real_cwd=$(pwd -P; printf x); hf_real_cwd=\${hf_real_cwd%?x}
  cd "$hf_s" && hf_probe
  hf_setsid=; if hf_has setsid; then hf_setsid=$(command -v setsid); fi
  # A command gets its own PATH, so the tools that start it are located here.
  hf_x=$(command -v "$hf_program"); case $hf_x in /*) hf_program=$hf_x ;; esac
  # Some shells ignore QUIT themselves and hand that on to the last command of "-c", unless a newline follows it.
  hf_line_end=
  case $(eval "\"\$hf_program\" $hf_args -c -- 'cat /proc/self/status'") in *SigIgn:*[1-9a-f]*SigCgt:*) hf_line_end=$hf_nl ;; esac
  hf_sid=0 hf_own_group=
  hf_own_pid
  if hf_has proc; then
    read -r hf_x </proc/self/stat; set -- \${hf_x##*) }; hf_sid=$4
    # A process group of our own.
    if [ "$3" = "$hf_pid" ] && hf_is_pid "$3"; then hf_own_group=$3; fi
    printf '%s\n' "$hf_sid" >"$hf_s/session.$hf_gen"
  fi
  hf_find_reaper
  # The sessions of our own shells: this channel's, and of those before it, whose commands it has taken over.
  hf_sids=" "
  for hf_f in "$hf_s"/session.*; do if read -r hf_x <"$hf_f"; then hf_sids="$hf_sids$hf_x "; fi; done
  [ -z "$hf_old" ] || hf_take_over
  (
    LC_ALL=C
    hf_home=\${HOME:-/}
    hf_ready=$hf_home$hf_cwd$hf_real_cwd$hf_s$PATH$hf_facts
    printf '%s ready,%s,%s,%s,%s,%s,%s,%s %s\n%s%s\n' "$hf_nonce" "$hf_pid" "$hf_found_old" "\${#hf_home}" "\${#hf_cwd}" \
      "\${#hf_real_cwd}" "\${#hf_s}" "\${#PATH}" "\${#hf_ready}" "$hf_ready" "$hf_nonce"
  )
  cd /
  { { hf_watch </dev/null >/dev/null | hf_level 0 <&7 7<&-; } 7<&0 3>&1; } | hf_emit
}

# Finds the process that adopts orphans: init or a subreaper. Sets hf_reaper, "" if it or its children are not visible.
hf_find_reaper() {
  hf_reaper=
  if hf_has proc && hf_has sleep; then
    hf_y=$(exec sh -c 'sleep 5 >/dev/null & echo "$!"')
    if hf_is_pid "$hf_y" && read -r hf_x <"/proc/$hf_y/stat"; then set -- \${hf_x##*) }; hf_reaper=$2; kill "$hf_y"; fi
    [ -r "/proc/$hf_reaper/task/$hf_reaper/children" ] || hf_reaper=
  fi
}

# Reports why the channel cannot work, and ends it.
hf_refuse() { printf '%s refused %s\n%s%s\n' "$hf_nonce" "\${#1}" "$1" "$hf_nonce"; exit 1; }

# Takes over the spool directory of the previous channel, or creates one: where that one was removed, another user may have made
# a directory of its name. Once "gen" is written the old channel may not start anything; see hf_begin.
hf_adopt() {
  hf_found_old=none
  if [ -n "$hf_old" ]; then
    hf_real_parent
    hf_s=$hf_parent/$hf_old hf_found_old=lost
    if hf_is_mine "$hf_s" && hf_take_over; then
      [ ! -e "$hf_s/reaping" ] || hf_pause 30
      if [ ! -e "$hf_s/reaping" ]; then hf_found_old=adopted; return 0; fi
    fi
  fi
  hf_s=$hf_parent/$hf_fresh hf_old=
  hf_parent_there
  hf_s=$hf_parent/$hf_fresh
  mkdir -m 700 "$hf_s" || hf_refuse "cannot create the directory $hf_s"
  printf '%s\n' "$hf_gen" >"$hf_s/gen" || hf_refuse "cannot write to the directory $hf_s"
}

# Creates hf_parent if it is missing, and sets it to its real path, because open files are listed by real path.
hf_parent_there() { [ -d "$hf_parent" ] || mkdir -p -- "$hf_parent"; hf_real_parent; }
hf_real_parent() { hf_x=$(cd -P -- "$hf_parent" >/dev/null && pwd -P && printf x) && hf_parent=\${hf_x%?x}; }

# Makes this channel the current one, unless it was abandoned during startup and a newer one exists.
hf_take_over() {
  hf_now=0; read -r hf_now <"$hf_s/gen"
  # After a full disk, or a command that writes into our directory, there may be no number.
  case $hf_now in closed) return 1 ;; "" | *[!0-9]*) hf_now=0 ;; esac
  [ "$hf_now" -le "$hf_gen" ] || hf_refuse "a newer channel has taken over"
  [ "$hf_now" = "$hf_gen" ] || printf '%s\n' "$hf_gen" >"$hf_s/gen"
}

# One level: a dispatcher, five workers on the descriptors 4 to 8, and the next level behind descriptor 9. Each group
# waits for the processes inside it, so they end from the dispatcher outwards. $1: number of the first worker.
hf_level() {
  hf_base=$1
  { { { { { { hf_dispatch | hf_sentinel
    } 4>&1 | hf_worker "$1"
    } 5>&1 | hf_worker "$(( $1 + 1 ))"
    } 6>&1 | hf_worker "$(( $1 + 2 ))"
    } 7>&1 | hf_worker "$(( $1 + 3 ))"
    } 8>&1 | hf_worker "$(( $1 + 4 ))"
  } 9>&1 | hf_next "$(( $1 + 5 ))"
}

# The next level starts with its first request.
hf_next() {
  IFS= read -r hf_first || return 0
  hf_level "$1"
}

# Passes each request to the worker that it names; the local side names only idle ones, so no pipe fills up. A line is
#   WORKER ARGS COMMAND INPUT ID OPERATION WORDS...
# where the three numbers are the sizes of blocks that follow the line and go to files of the request.
hf_dispatch() {
  if [ "$hf_base" = 0 ]; then hf_own_pid; hf_note "$hf_pid" "$hf_s/dispatch.$hf_gen"; else hf_pass "$hf_first"; fi
  hf_beat=0
  while IFS= read -r hf_l; do
    case $hf_l in
    [0-9]*) hf_pass "$hf_l" ;;
    # A heartbeat of the local side: answered, and recorded for the watchdog.
    beat*)
      hf_beat=$(( hf_beat + 1 )); printf '%s\n' "$hf_beat" >"$hf_s/beat.$hf_gen"
      printf 'T 0,beat\n' >&3
      hf_wake ;;
    shutdown*) printf 'shutdown\n'; return 0 ;;
    esac
  done
}

# A command can stop or kill our shells. Stopped workers are continued; dead ones are reported once.
hf_wake() {
  for hf_f in "$hf_s/worker.$hf_gen".*; do
    if [ -s "$hf_f" ] && ! hf_kill_noted CONT "$hf_f"; then
      printf 'T 0,dead,%s\n' "\${hf_f##*.}" >&3
      printf '' >"$hf_f"
    fi
  done
}

hf_pass() {
  hf_w=\${1%% *} hf_r=\${1#* }
  case $hf_r in
  "0 0 0 "*) ;;
  *)
    # Only the first level reads from the channel; below it the blocks are already in their files.
    if [ "$hf_base" = 0 ] && ! hf_blocks "$hf_r"; then
      # Without the whole block, the rest would be parsed as requests.
      hf_has fullblock || exit 1
      printf 'T %s,nonote\n' "$hf_x" >&3
      return 0
    fi ;;
  esac
  case $(( hf_w - hf_base )) in
  0) printf '%s\n' "$hf_r" >&4 ;;
  1) printf '%s\n' "$hf_r" >&5 ;;
  2) printf '%s\n' "$hf_r" >&6 ;;
  3) printf '%s\n' "$hf_r" >&7 ;;
  4) printf '%s\n' "$hf_r" >&8 ;;
  *) printf '%s\n' "$1" >&9 ;;
  esac
}

# Stores the blocks of a request. One that cannot be stored, or ends early because of a disconnect, drops the request; hf_x is
# its id then.
hf_blocks() {
  hf_x=$1
  hf_na=\${hf_x%% *}; hf_x=\${hf_x#* }
  hf_nc=\${hf_x%% *}; hf_x=\${hf_x#* }
  hf_ni=\${hf_x%% *}; hf_x=\${hf_x#* }
  hf_x=\${hf_x%% *}
  { [ "$hf_na" = 0 ] || hf_block "$hf_na" "$hf_s/$hf_x.a"; } &&
  { [ "$hf_nc" = 0 ] || hf_block "$hf_nc" "$hf_s/$hf_x.c"; } &&
  { [ "$hf_ni" = 0 ] || hf_block "$hf_ni" "$hf_s/$hf_x.i"; }
}

# Reads exactly $1 bytes from the channel into the file $2.
hf_block() {
  if hf_has fullblock; then
    case $(dd bs="$1" count=1 iflag=fullblock 2>&1 >"$2") in 1+0*) return 0 ;; esac
  else
    case $(dd bs=1 count="$1" 2>&1 >"$2") in "$1"+0*) return 0 ;; esac
  fi
  return 1
}

# Reads the files $@ into hf_short with shell builtins, which for a few lines is faster than starting cat. Fails if the result
# is not hf_size bytes long, because variables cannot contain NULs.
hf_in_short() {
  hf_short=
  for hf_f in "$@"; do
    hf_x=
    while IFS= read -r hf_x; do hf_short=$hf_short$hf_x$hf_nl; done <"$hf_f"
    hf_short=$hf_short$hf_x
  done
  [ "\${#hf_short}" = "$hf_size" ]
}

# The only writer of the channel. A line "T META" is a frame without bytes; "F META SIZE FILE..." one with the bytes of
# files in the spool directory. Lines are written atomically because they are shorter than PIPE_BUF.
hf_emit() {
  cd "$hf_s" || exit 1
  LC_ALL=C
  while IFS= read -r hf_l; do
    case $hf_l in
    T*) printf '%s %s 0\n' "$hf_nonce" "\${hf_l#T }" ;;
    F*)
      set -- \${hf_l#F }
      hf_meta=$1 hf_size=$2
      shift 2
      if [ "$hf_size" -le 1024 ] && hf_in_short "$@"; then
        printf '%s %s %s\n%s%s\n' "$hf_nonce" "$hf_meta" "$hf_size" "$hf_short" "$hf_nonce"
      else
        printf '%s %s %s\n' "$hf_nonce" "$hf_meta" "$hf_size"
        cat "$@"; printf '%s\n' "$hf_nonce"
      fi ;;
    Q*) printf '%s %s 0\n' "$hf_nonce" "\${hf_l#Q }"; exit 0 ;;
    esac
  done
}
`;
