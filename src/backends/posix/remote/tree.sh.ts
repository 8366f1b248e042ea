/** Finds and ends the processes of commands. */
import { sh } from "./sh.js";

export const TREE = sh`
# Finds the living processes of commands by everything that links a process to one: its session, its group, its parents, the
# tag in its environment, and the output pipe it holds. Zombies count as dead. The channel's own shells are skipped.
#   $1: leaders (session and group carry their number)   $2: start of the tag   $3: ids whose pipes to look for, or ""
# Sets hf_found to the process ids, hf_names to lines "PID HOLDS NAME", hf_holds_o and hf_holds_e to whether a stream is
# held, and hf_looked to yes if it could search.
hf_scan() {
  hf_found= hf_names= hf_rest= hf_looked=no hf_held= hf_holds_o=no hf_holds_e=no hf_groups=" " hf_near=" $1 "
  hf_has proc || return 0
  hf_looked=yes
  [ -z "$3" ] || hf_holders "$3"
  hf_tagged= hf_by_hand=no
  if hf_has grep0; then hf_tagged=$(grep -lsF -e "HAFT_TAG=$2" /proc/[0-9]*/environ)
  elif hf_tagged_among "$2" /proc/[0-9]*/environ; then hf_by_hand=yes
  fi
  if hf_has grep && [ "$hf_by_hand" = no ]; then hf_scan_chosen "$1" "$2"; else hf_scan_all "$1" "$2"; fi
  hf_found=\${hf_found# }
}

# Checks only processes selected by grep: those whose line names a leader as group or session, those with the tag, those that
# hold a pipe, and repeatedly the children of processes found.
hf_scan_chosen() {
  hf_any_of $1
  hf_hits=
  if [ -n "$hf_or" ]; then
    hf_hits=$(grep -lsE -e "^($hf_or) \(|\) [A-Za-z] [0-9]+ ($hf_or) |\) [A-Za-z] [0-9]+ [0-9]+ ($hf_or) " /proc/[0-9]*/stat)
  fi
  for hf_e in $hf_hits $hf_tagged; do hf_e=\${hf_e#/proc/}; hf_try "\${hf_e%%/*}" "$1" "$2"; done
  for hf_e in $hf_held; do hf_try "\${hf_e%:*}" "$1" "$2"; done
  hf_before=
  while [ "$hf_found" != "$hf_before" ]; do
    hf_before=$hf_found
    hf_any_of $hf_found
    for hf_e in $(grep -lsE -e "\) [A-Za-z] ($hf_or) " /proc/[0-9]*/stat); do
      hf_e=\${hf_e#/proc/}; hf_e=\${hf_e%%/*}
      case " $hf_found " in *" $hf_e "*) continue ;; esac
      if hf_look "/proc/$hf_e" "" ""; then hf_take; fi
    done
  done
}

# "A|B|C" of $@, in hf_or.
hf_any_of() { hf_or=; for hf_x in "$@"; do hf_or="$hf_or|$hf_x"; done; hf_or=\${hf_or#"|"}; }

# Adds the process $1 once if it belongs to the leaders $2 or has the tag $3.
hf_try() {
  case " $hf_found " in *" $1 "*) return 0 ;; esac
  if hf_look "/proc/$1" "$2" "$3" && [ "$hf_mine" = yes ]; then hf_take; fi
}

# Checks all processes, one by one.
hf_scan_all() {
  hf_oldest "$1"
  for hf_d in /proc/[0-9]*; do
    [ "\${hf_d#/proc/}" -ge "$hf_first_pid" ] || continue
    hf_look "$hf_d" "$1" "$2" || continue
    if [ "$hf_mine" = yes ]; then hf_take; else hf_rest="$hf_rest $hf_q:$hf_parent_of"; fi
  done
  # Children of processes found, until none is added.
  hf_more=yes
  while [ "$hf_more" = yes ] && [ -n "$hf_found" ]; do
    hf_more=no hf_next_rest=
    for hf_e in $hf_rest; do
      case " $hf_found " in
      *" \${hf_e#*:} "*) hf_look "/proc/\${hf_e%:*}" "" "" && { hf_take; hf_more=yes; } ;;
      *) hf_next_rest="$hf_next_rest $hf_e" ;;
      esac
    done
    hf_rest=$hf_next_rest
  done
}

# Nothing that the leaders $1 started has a lower number than the lowest of them, unless the numbers have wrapped around
# since. Sets hf_first_pid; 0 where nothing is known.
hf_oldest() {
  hf_first_pid=0
  for hf_x in $1; do
    if [ "$hf_first_pid" = 0 ] || [ "$hf_x" -lt "$hf_first_pid" ]; then hf_first_pid=$hf_x; fi
  done
  hf_x=0
  read -r hf_x hf_x hf_x hf_x hf_x </proc/loadavg
  [ "\${hf_x:-0}" -ge "$hf_first_pid" ] || hf_first_pid=0
}

# Reads one process. Sets hf_q, hf_name, hf_parent_of and hf_mine; fails for what is dead, gone, init, or one of our shells.
hf_look() {
  hf_q=\${1#/proc/} hf_stat= hf_mine=no
  hf_is_pid "$hf_q" || return 1
  # The name may contain newlines and parentheses: the fields follow the last parenthesis.
  { while IFS= read -r hf_x; do hf_stat="$hf_stat $hf_x"; done <"$1/stat"; } || return 1
  hf_name=\${hf_stat#*"("} hf_name=\${hf_name%")"*}
  hf_fields=\${hf_stat##*") "}
  hf_state=\${hf_fields%% *}; hf_fields=\${hf_fields#* }
  hf_parent_of=\${hf_fields%% *}; hf_fields=\${hf_fields#* }
  hf_group=\${hf_fields%% *}; hf_fields=\${hf_fields#* }
  hf_session=\${hf_fields%% *}
  case $hf_state in "" | Z | X | x) return 1 ;; esac
  case " $2 " in
  *" $hf_q "* | *" $hf_session "*) hf_mine=yes; return 0 ;;
  *" $hf_group "*) if [ "$hf_group" != 0 ]; then hf_mine=yes; return 0; fi ;;
  esac
  case $hf_tagged in *"/proc/$hf_q/environ"*) hf_mine=yes; return 0 ;; esac
  if [ "$3" != "" ] && [ "$hf_by_hand" = yes ] && hf_has_tag "$hf_q" "$3"; then hf_mine=yes; return 0; fi
  # Our own shells share the channel's session. They hold the pipes too, but are not part of a command.
  case $hf_sids in *" $hf_session "*) [ -z "$hf_setsid" ]; return ;; esac
  case $hf_held in *" $hf_q:"*) hf_mine=yes ;; esac
  return 0
}

hf_take() {
  hf_found="$hf_found $hf_q"
  case $hf_near in *" $hf_group "*) case $hf_groups in *" $hf_group "*) ;; *) hf_groups="$hf_groups$hf_group " ;; esac ;; esac
  hf_x=none
  case $hf_held in *" $hf_q:e"*) hf_x=stderr hf_holds_e=yes ;; esac
  case $hf_held in *" $hf_q:o"*) hf_x=stdout hf_holds_o=yes ;; esac
  hf_names="$hf_names$hf_q $hf_x $hf_name$hf_nl"
}

# Whether process $1 has the tag that starts with $2. The shell drops the NULs between the variables, so the tag must
# end with a separator.
hf_has_tag() {
  hf_env=
  { while IFS= read -r hf_x || [ -n "$hf_x" ]; do hf_env="$hf_env$hf_x"; hf_x=; done <"/proc/$1/environ"; } || return 1
  case $hf_env in *"HAFT_TAG=$2"*) return 0 ;; esac
  return 1
}

# Whether one of the environments "/proc/PID/environ" in $2... holds the tag that starts with $1.
hf_tagged_among() {
  hf_wanted=$1
  shift
  [ $# -gt 0 ] || return 1
  if hf_has grep0; then grep -qsF -e "HAFT_TAG=$hf_wanted" "$@"; return; fi
  if hf_has grep && hf_has tr; then cat "$@" | tr '\0' '\n' | grep -qsF -e "HAFT_TAG=$hf_wanted"; return; fi
  for hf_d in "$@"; do
    hf_d=\${hf_d%/environ}
    if hf_has_tag "\${hf_d#/proc/}" "$hf_wanted"; then return 0; fi
  done
  return 1
}

# The record of job $1: sets hf_b to the prefix of its files, hf_pipe to the name of its FIFOs, and what hf_read_record sets.
# Fails if there is none. A command that is waited for is recorded by its worker; see hf_renew. Its record is named in "ID.w"
# from the first question about it, after which the worker uses another one for its next command.
hf_record() {
  hf_b=$hf_s/$1 hf_pipe=\${1##*/}
  if [ -e "$hf_b.r" ]; then hf_read_record "$hf_b.r" "$hf_pipe"; return; fi
  if ! read -r hf_pipe <"$hf_b.w"; then
    hf_pipe=none
    for hf_f in "$hf_s"/w*.r; do
      hf_read_record "$hf_f" "$1" || continue
      hf_pipe=\${hf_f##*/}; hf_pipe=\${hf_pipe%.r}
      printf '%s\n' "$hf_pipe" >"$hf_b.w"
      break
    done
  fi
  hf_b=$hf_s/$hf_pipe hf_pipe=\${hf_pipe%.*}
  # Again, if it was just found: where the worker did not see the question, the command had ended.
  hf_read_record "$hf_b.r" "$1"
}

# Reads what the record $1 says of the command $2, of the last one if that is "". Lines are only ever added, each in one write:
#   r ID TAG hold|go           it may begin            p PID START   its leader       x STATUS   the leader has ended
#   o|e TOTAL SEGMENT SIZES    all of its output       go            no listener      f ID       it is not needed any more
#   over                       no further command is recorded here
hf_read_record() { hf_clear_record; hf_parse_record "$2" <"$1"; }

# The same, of the command $1, from the lines of stdin. The record has to be cleared before.
hf_parse_record() {
  while read -r hf_x hf_y hf_z hf_w; do
    case $hf_x in
    r)
      if [ -n "$1" ] && [ "$hf_rec_id" = "$1" ]; then break; fi
      hf_clear_record
      hf_rec_id=$hf_y hf_rec_tag=$hf_z hf_rec_pace=$hf_w ;;
    p) hf_rec_pid=$hf_y hf_rec_start=$hf_z ;;
    x) hf_rec_status=$hf_y hf_rec_pace=go ;;
    o) hf_rec_o="$hf_y $hf_z $hf_w" ;;
    e) hf_rec_e="$hf_y $hf_z $hf_w" ;;
    go) hf_rec_pace=go ;;
    f) [ "$hf_y" != "$hf_rec_id" ] || hf_rec_f=yes ;;
    over) hf_rec_over=yes ;;
    esac
  done
  if [ -n "$hf_rec_id" ] && [ "\${1:-$hf_rec_id}" = "$hf_rec_id" ]; then return 0; fi
  hf_clear_record
  return 1
}
hf_clear_record() { hf_rec_id= hf_rec_tag= hf_rec_pace= hf_rec_pid= hf_rec_start= hf_rec_status= hf_rec_o= hf_rec_e= hf_rec_f=no hf_rec_over=no; }

# Whether a pump of the job $1 ("*": of any that is not to be kept) still runs: if all have ended, no process holds a stream.
# Sets hf_pipes to the FIFOs of those that do.
hf_open() {
  hf_pipes=" "
  if [ "$1" != "*" ]; then hf_record "$1"; hf_open_one
  else
    for hf_f in "$hf_s"/*.r; do
      hf_pipe=\${hf_f##*/}; hf_pipe=\${hf_pipe%.r}
      case $hf_pipe in w*) hf_pipe=\${hf_pipe%.*} ;; esac
      if [ ! -e "\${hf_f%.r}.keep" ] && hf_read_record "$hf_f" "" && [ -n "$hf_rec_pid" ]; then hf_open_one; fi
    done
  fi
  [ "$hf_pipes" != " " ]
}

hf_open_one() { if [ -z "$hf_rec_o" ] || [ -z "$hf_rec_e" ]; then hf_pipes="$hf_pipes$hf_pipe "; fi; }

# Finds the processes that hold the output FIFOs of the job $1 ("*": of any job) in one listing of all open files. Sets hf_held
# to " PID:o PID:e ...".
hf_holders() {
  hf_held=" "
  hf_open "$1" || return 0
  hf_held=" $(ls -ln /proc/[0-9]*/fd | { hf_q=; while IFS= read -r hf_l; do
    case $hf_l in
    /proc/*) hf_q=\${hf_l#/proc/}; hf_q=\${hf_q%%/*} ;;
    *"-> $hf_s/"*.fo | *"-> $hf_s/"*.fe)
      hf_l=\${hf_l##*/}
      case $hf_pipes in *" \${hf_l%.f?} "*) printf '%s ' "$hf_q:\${hf_l##*.f}" ;; esac ;;
    esac
  done; })"
}

# Signals all of them: groups first, so that nothing is started meanwhile in one that has had its signal. A group of which
# no process was found has released its number; where processes are not visible, only the number is known.
hf_signal() {
  [ "$hf_looked" = yes ] || hf_groups=$2
  if [ -n "$hf_setsid" ]; then for hf_x in $hf_groups; do kill "-$1" "-$hf_x"; done; fi
  [ -z "$hf_found" ] || kill "-$1" $hf_found
}

# Whether any of hf_found is still alive, without a search of all processes.
hf_any_alive() {
  for hf_e in $hf_found; do
    if hf_look "/proc/$hf_e" "" ""; then return 0; fi
  done
  return 1
}

# Ends the processes of the leaders $1 with the tag $2 and the ids $4: TERM, then KILL after $3 hundredths of a second; KILL alone where that is 0.
# Sets hf_ended_by, and hf_found and hf_names to the remaining processes. Holders of pipes are searched last, because that
# is slow and there are usually none.
hf_end_tree() {
  hf_ended_by=none hf_waited=0 hf_step=1
  hf_scan "$1" "$2" ""
  [ -n "$hf_found" ] || hf_scan_holders "$@" || return 0
  hf_ended_by=TERM
  [ "$3" -eq 0 ] || { hf_signal TERM "$1"; hf_signal CONT "$1"; }
  hf_clock; hf_since=$hf_time
  while [ "$hf_waited" -lt "$3" ]; do
    hf_pause "$hf_step"; hf_waited=$(( hf_waited + hf_step )); [ "$hf_step" -ge 5 ] || hf_step=$(( hf_step + 1 ))
    # Search time counts too, if there is a clock.
    hf_clock
    if [ $(( hf_time - hf_since )) -gt "$hf_waited" ]; then hf_waited=$(( hf_time - hf_since )); fi
    if hf_any_alive; then continue; fi
    hf_scan "$1" "$2" ""
    [ -n "$hf_found" ] || hf_scan_holders "$@" || return 0
    hf_signal TERM "$1"
  done
  hf_ended_by=KILL hf_tries=0
  while [ "$hf_tries" -lt 20 ]; do
    hf_tries=$(( hf_tries + 1 ))
    hf_scan "$1" "$2" ""
    [ -n "$hf_found" ] || hf_scan_holders "$@" || return 0
    hf_signal KILL "$1"
    hf_pause 2
  done
}

# Sets hf_time to the hundredths of a second since boot; 0 where the system does not report it.
hf_clock() {
  hf_time=0
  if read -r hf_x hf_y </proc/uptime; then hf_time=$(( \${hf_x%.*} * 100 + 1\${hf_x#*.} - 100 )); fi
}

# Whether an unknown process holds a pipe of the ids $4. Gives pumps a moment to see end of file.
hf_scan_holders() {
  if [ "$hf_looked" = no ]; then return 0; fi
  hf_open "$4" || return 1
  hf_pause 2
  hf_open "$4" || return 1
  hf_scan "$1" "$2" "$4"
  [ -n "$hf_found" ]
}
`;
