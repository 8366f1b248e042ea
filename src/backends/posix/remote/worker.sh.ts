/** Workers: each runs one request at a time; a command occupies its worker until its output has ended. */
import { sh } from "./sh.js";

export const WORKER = sh`
# A request is "ARGS COMMAND INPUT ID OPERATION WORDS...", its words quoted for the shell. Where ARGS is not 0 the words
# are in the file ID.a.
hf_worker() {
  exec 4>&- 5>&- 6>&- 7>&- 8>&- 9>&- >/dev/null
  hf_exited=
  # Named after the channel too, because workers of an earlier channel may still run commands.
  hf_k=$hf_gen-$1 hf_base= hf_runs=0 hf_uses=0 hf_ready=no hf_reads=no
  hf_own_pid; hf_note "$hf_pid" "$hf_s/worker.$hf_gen.$1"
  while IFS= read -r hf_l; do
    hf_na=\${hf_l%% *}; hf_l=\${hf_l#* }
    hf_nc=\${hf_l%% *}; hf_l=\${hf_l#* }
    hf_ni=\${hf_l%% *}; hf_l=\${hf_l#* }
    if [ "$hf_na" != 0 ]; then hf_l="$hf_l $(cat "$hf_s/\${hf_l%% *}.a")"; fi
    eval "set -- $hf_l"
    hf_id=$1 hf_op=$2
    shift 2
    case $hf_op in
    exec | spawn) ;;
    *)
      # Kept jobs lie in directories beside ours; another user may have made one of that name. It is as if that were missing.
      for hf_e in "$@"; do
        case $hf_e in ../*/*) hf_is_mine "$hf_s/\${hf_e%/*}" || hf_e=missing/0 ;; esac
        shift; set -- "$@" "$hf_e"
      done ;;
    esac
    "hf_do_$hf_op" "$@"
  done
  [ -z "$hf_base" ] || printf 'over\n' >>"$hf_s/$hf_base.r"
  # The pumps of a next command end now. They are waited for, so that they do not become zombies.
  exec 5<&- 8>&- 9>&-
  wait
}

hf_reply() { printf 'T %s,%s\n' "$hf_id" "$1" >&3; }

# Records the request and checks whether this channel may still start anything. A successor changes "gen" first and reads the
# records afterwards, so a request without a record can never start. "stop" does the same for one request.
# Answers and fails if it may not start or cannot be recorded.
hf_begin() {
  printf 'r %s\n' "$hf_id $hf_job_tag $hf_pace" >>"$hf_rec" || { hf_unnoted; return 1; }
  hf_now=; read -r hf_now <"$hf_s/gen"
  if [ "$hf_now" = "$hf_gen" ] && [ ! -e "$hf_s/$hf_id.stop" ]; then return 0; fi
  printf 'refused\n' >"$hf_s/$hf_id.no"
  hf_reply refused
  return 1
}

# Reports that the request cannot be recorded. If the directory is not ours any more, a new channel creates another.
hf_unnoted() { if hf_is_mine "$hf_s"; then hf_reply nonote; else hf_reply refused; fi; }

# exec TAG CWD ALLOWED STAGED COMMAND HEAD TAIL hold|go VARIABLES...: runs a command to its end and answers with its output. "hold":
# there is a listener; see hf_keep_pace.
# Creating files is what takes long, so where a command has no output the next one of this worker uses the same files.
hf_do_exec() {
  hf_job=$hf_id hf_job_tag=$1 hf_head=$6 hf_tail=$7 hf_pace=$8
  hf_set_command "$2" "$3" "$4" "$5" || return 0
  shift 8
  hf_rec=$hf_s/$hf_id.r
  if hf_has mkfifo; then hf_renew; hf_rec=$hf_s/$hf_base.r; fi
  hf_begin || return 0
  hf_run "$@"
  cd /
  hf_b=\${hf_rec%.r}
  if [ "$hf_reads" = yes ]; then hf_clear_record; hf_parse_record "$hf_id" <&5; else hf_read_record "$hf_rec" "$hf_id"; fi
  hf_finish
  if hf_has mkfifo; then
    # Nothing was asked about the command, and none of its processes can add anything.
    if [ "$hf_uses" -ge 8 ] || [ "$hf_looked,$hf_names,$hf_out,$hf_err" != yes,,0,0,0,1,0,0,0,1 ] || [ -e "$hf_s/$hf_id.w" ] ||
      [ -e "$hf_s/$hf_id.stop" ]
    then
      printf 'over\n' >>"$hf_rec"; hf_base=
    fi
    hf_renew
  fi
}

# Prepares the next command, with a new record and new files if hf_base is empty. Opening a FIFO in a directory that a command
# has removed would end this shell. The first line makes the record a block of its own: the lines of eight commands have place
# in it on a full disk too.
hf_renew() {
  [ "$hf_ready" = no ] && [ -d "$hf_s" ] || return 0
  if [ -z "$hf_base" ]; then
    hf_runs=$(( hf_runs + 1 )) hf_uses=0 hf_base=w$hf_k.$hf_runs
    printf 'reserved\n' >"$hf_s/$hf_base.r"
    # Shells read byte by byte: of a record that is held open, only the lines of the latest command are read. "command": otherwise
    # this shell would end where it cannot be opened.
    hf_reads=no; if command exec 5<"$hf_s/$hf_base.r"; then hf_reads=yes; fi
  fi
  hf_uses=$(( hf_uses + 1 )) hf_ready=yes hf_adopted_before=
  if [ -n "$hf_reaper" ]; then hf_orphans; hf_adopted_before=$hf_adopted; fi
  hf_prepare "w$hf_k" "$hf_base"
}

# kill ID: kills the leader of a command, for one that starts no other processes. "no" if it has not begun.
hf_do_kill() {
  printf 'stop\n' >"$hf_s/$1.stop"
  if hf_record "$1" && hf_is_still "$hf_rec_pid" "$hf_rec_start" && kill -KILL "$hf_rec_pid"; then hf_reply kill,yes
  else hf_reply kill,no
  fi
}

# spawn TAG CWD ALLOWED STAGED COMMAND RECORD|no VARIABLES...: starts a detached job, which is kept if it has a record. The
# intermediate shell is killed by its child, so the job does not depend on the channel and this worker is free; init adopts the job.
hf_do_spawn() {
  hf_job_tag=$1 hf_kept=$6 hf_pace=go hf_rec=$hf_s/$hf_id.r
  hf_set_command "$2" "$3" "$4" "$5" || return 0
  shift 6
  hf_begin || return 0
  [ "$hf_kept" = no ] || printf '%s\n' "$hf_kept" >"$hf_s/$hf_id.keep"
  if hf_has mkfifo && [ "$hf_ni" = 0 ]; then mkfifo -m 600 "$hf_s/$hf_id.f"; fi
  # The colon prevents tail-exec of the inner shell.
  ( hf_own_pid; hf_middle=$hf_pid; ( ! hf_is_pid "$hf_middle" || kill -KILL "$hf_middle"; hf_run_apart "$@" ); : )
  cd /
  hf_tries=0
  until { hf_read_record "$hf_rec" "" && [ -n "$hf_rec_pid" ]; } || [ "$hf_tries" = 50 ]; do
    hf_pause 1; hf_tries=$(( hf_tries + 1 ))
  done
  hf_reply "spawned,$hf_rec_pid"
}

# Runs a job with its own FIFOs; the prepared ones of this worker are for its next command.
hf_run_apart() {
  exec 5<&- 8>&- 9>&-
  if hf_has mkfifo; then hf_prepare "$hf_id" "$hf_id"; fi
  hf_run "$@"
}

# Enters the working directory of the command and stays in it even if the path changes.
#   $1: the directory   $2: the real paths that it may have, as quoted words, or "*" for all
#   $3: prefix of the staged files with its input, or ""   $4: the command, if it came with the words
# Answers and fails where the directory cannot be entered ("nocwd") or is another ("moved", with its real path).
hf_set_command() {
  hf_c=$4
  if ! case $2 in "*") cd -P -- "$1" ;; *) hf_enter "$1" ;; esac; then
    if [ ! -e "$1" ]; then hf_x=absent; elif [ ! -d "$1" ]; then hf_x=file; else hf_x=denied; fi
    hf_unstage "$3"
    hf_reply "nocwd,$hf_x"
    return 1
  fi
  if [ "$2" != "*" ] && ! hf_among "$hf_here" "$2"; then
    hf_unstage "$3"
    printf '%s' "$hf_here" >"$hf_s/w$hf_k.s" || { hf_unnoted; return 1; }
    hf_x=$(LC_ALL=C; printf '%s' "\${#hf_here}")
    printf 'F %s,moved %s %s\n' "$hf_id" "$hf_x" "w$hf_k.s" >&3
    return 1
  fi
  # A command over 64 KB runs from a file, because it may exceed the argument limit.
  if [ "$hf_nc" != 0 ] && [ "$hf_nc" -le 65536 ]; then hf_c=$(cat "$hf_s/$hf_id.c"; printf x); hf_c=\${hf_c%x}; fi
  if [ -n "$3" ]; then
    hf_ni=1
    cat "$hf_s/$3".* >"$hf_s/$hf_id.i" || hf_ni=0
    hf_unstage "$3"
    if [ "$hf_ni" = 0 ]; then hf_unnoted; return 1; fi
  fi
}

# Whether $1 is one of the quoted words $2.
hf_among() {
  hf_x=$1
  eval "set -- $2"
  for hf_y in "$@"; do if [ "$hf_y" = "$hf_x" ]; then return 0; fi; done
  return 1
}

hf_unstage() { [ -z "$1" ] || rm -f "$hf_s/$1".*; }

# The command between its two pumps. $@: variables NAME=VALUE. Its streams are FIFOs that only it writes to, so each pump
# sees end of file. The pumps may ignore INT and QUIT, as jobs do; the command must not, so it runs in the foreground.
hf_run() {
  if ! hf_has mkfifo; then hf_run_piped "$@"; return; fi
  hf_feeder
  ( hf_become "$@" ) >&8 2>&9 5<&- 8>&- 9>&- <"$hf_input"
  hf_x=$?
  exec 8>&- 9>&-
  hf_ended "$hf_x"
  hf_ready=no
  wait
}

# Starts the pumps of the next command: $1 names their FIFOs, $2 their files. The descriptors 8 and 9 hold the FIFOs open
# until there is a command; after a command the worker prepares the next pumps while it is idle.
hf_prepare() {
  # A command can change the mode of its own; opening what may not be opened would end this shell.
  for hf_x in "$hf_s/$1.fo" "$hf_s/$1.fe"; do
    if [ ! -p "$hf_x" ] || [ ! -r "$hf_x" ] || [ ! -w "$hf_x" ]; then rm -f "$hf_x"; mkfifo -m 600 "$hf_x"; fi
  done
  # The read ends are opened here: a pump that opened them after the command ended would read nothing.
  exec 8<>"$hf_s/$1.fo" 9<>"$hf_s/$1.fe" 6<"$hf_s/$1.fo" 7<"$hf_s/$1.fe"
  # Closed by "exec": a redirection would keep a copy, to put it back, and with it the FIFO open.
  { exec 3>&- 5<&- 6<&- 7<&- 8>&- 9>&-; hf_pump "$hf_s/$2.o"; } <&6 &
  { exec 3>&- 5<&- 6<&- 7<&- 8>&- 9>&-; hf_pump "$hf_s/$2.e"; } <&7 &
  exec 6<&- 7<&-
}

# The same with pipes, where there is no mkfifo: the outer pump then sees its end only after the inner one. Descriptor 5 is
# the command's stderr on its way to the outer pump; messages of our own shells are discarded.
hf_run_piped() {
  hf_feeder
  { { { ( exec 2>&5 5>&-; hf_become "$@" ) <"$hf_input"; hf_ended "$?"; } | { exec 3>&- 5>&- >/dev/null; hf_pump "$hf_s/$hf_id.o"; }
    } 5>&1 | { exec 3>&- >/dev/null; hf_pump "$hf_s/$hf_id.e"; }
  }
}

# Sets hf_input to where the command's input comes from. That of a job is a FIFO whose writing end is held until the input
# is closed, so that the command sees no end of file between two writes. Only that end is held, so that writing to a
# command that closed its input fails.
hf_feeder() {
  hf_input=/dev/null hf_feed=
  if [ "$hf_ni" != 0 ]; then hf_input=$hf_s/$hf_id.i; fi
  if [ -p "$hf_s/$hf_id.f" ]; then
    hf_input=$hf_s/$hf_id.f
    sleep 2147483647 </dev/null >/dev/null 2>&1 6<>"$hf_input" 7>"$hf_input" 6>&- 3>&- & hf_feed=$!
    hf_note "$hf_feed" "$hf_s/$hf_id.feed"
  fi
}

# Becomes the command, in a session of its own. $@: variables NAME=VALUE, which the local side has kept clear of our names.
hf_become() {
  hf_own_pid; hf_started "$hf_pid"; printf 'p %s %s\n' "$hf_pid" "$hf_began_at" >>"$hf_rec"
  exec 3>&-
  command export "PATH=$hf_path" "HAFT_TAG=$hf_job_tag$hf_id." "$@" || { printf 'a variable cannot be set\n' >&2; exit 126; }
  hf_x="exec \${hf_setsid:+\"\$hf_setsid\"} \"\$hf_program\" $hf_args"
  if [ "$hf_nc" -gt 65536 ]; then eval "$hf_x \"\$hf_s/\$hf_id.c\""; fi
  case $hf_c in *\\) ;; *) hf_c=$hf_c$hf_line_end ;; esac
  eval "$hf_x -c -- \"\$hf_c\""
}

# Records and reports the status of the leader.
hf_ended() {
  hf_exited=$1
  printf 'x %s\n' "$1" >>"$hf_rec"
  [ -z "$hf_feed" ] || hf_kill_noted TERM "$hf_s/$hf_id.feed"
  printf 'T %s,exit,%s\n' "$hf_id" "$1" >&3
}

# Reports on a command that has ended, with its output. Its record has been read.
hf_finish() {
  hf_files=
  hf_gather o $hf_rec_o; hf_out=$hf_meta hf_out_bytes=$hf_bytes
  hf_gather e $hf_rec_e; hf_err=$hf_meta hf_err_bytes=$hf_bytes
  hf_survivors
  hf_report done
}

# "$1,STATUS,LOOKED", for each stream "TOTAL,FIRST,LAST,ENDED", and the size of the names of living processes; then the
# kept bytes of both streams and the names.
hf_report() {
  hf_status=\${hf_rec_status:-$hf_exited}
  hf_x=0
  # A report that cannot be written cannot be sent; the job is not reported as gone.
  if [ -n "$hf_names" ] && ! printf '%s' "$hf_names" >"$hf_s/w$hf_k.s"; then hf_names= hf_looked=no; fi
  if [ -n "$hf_names" ]; then
    hf_files="$hf_files w$hf_k.s" hf_x=$(LC_ALL=C; printf '%s' "\${#hf_names}")
  fi
  hf_y="$hf_id,$1,$hf_status,$hf_looked,$hf_out,$hf_err,$hf_x"
  hf_bytes=$(( hf_out_bytes + hf_err_bytes + hf_x ))
  if [ "$hf_bytes" = 0 ]; then printf 'T %s\n' "$hf_y" >&3
  else printf 'F %s %s%s\n' "$hf_y" "$hf_bytes" "$hf_files" >&3
  fi
}

# The kept bytes of stream $1 (o or e) of hf_job: adds files to hf_files, sets hf_meta to "TOTAL,FIRST,LAST,ENDED" and
# hf_bytes to their number. $2...: what its pump has recorded, if that has ended.
hf_gather() {
  hf_f=\${hf_b#"$hf_s/"}.$1 hf_total=$2 hf_n=$3 hf_size=$4 hf_prev=$5 hf_ended=1
  [ -n "$2" ] || hf_measure "$1"
  if [ "$hf_n" = 0 ] && [ "$hf_total" -le $(( hf_head + hf_tail )) ]; then
    hf_first=$hf_total hf_last=0
    if [ "$hf_total" != 0 ] && [ "$hf_ended" = 1 ]; then hf_files="$hf_files $hf_f.0"
    elif [ "$hf_total" != 0 ]; then
      # The file still grows: reads exactly the measured size.
      if hf_slice "$hf_s/$hf_f.0" 0 "$hf_total" >"$hf_s/w$hf_k.$1"; then hf_files="$hf_files w$hf_k.$1"; else hf_first=0; fi
    fi
  else
    hf_first=$hf_head hf_last=$hf_tail
    # On a full disk only the number of bytes can be reported.
    if hf_ends "$1" >"$hf_s/w$hf_k.$1"; then hf_files="$hf_files w$hf_k.$1"; else hf_first=0 hf_last=0; fi
  fi
  hf_meta=$hf_total,$hf_first,$hf_last,$hf_ended hf_bytes=$(( hf_first + hf_last ))
}

# The first hf_head and last hf_tail bytes of stream $1. Its end may lie in its last two segments.
hf_ends() {
  hf_slice "$hf_s/$hf_f.0" 0 "$hf_head" || return 1
  hf_x=$hf_tail
  if [ "$hf_size" -lt "$hf_tail" ] && [ "$hf_n" -gt 0 ]; then
    hf_slice "$hf_s/$hf_f.$(( hf_n - 1 ))" $(( hf_prev - hf_tail + hf_size )) $(( hf_tail - hf_size )) || return 1
    hf_x=$hf_size
  fi
  [ "$hf_x" = 0 ] || hf_slice "$hf_s/$hf_f.$hf_n" $(( hf_size - hf_x )) "$hf_x"
}

# The stream $1 so far, while its pump still runs.
hf_measure() {
  # Reading a count while it is written leaves the variables empty.
  hf_start=0 hf_ended=0 hf_n=0 hf_size=0 hf_prev=0
  if [ -e "$hf_s/$hf_f.i" ]; then
    while read -r hf_x hf_y; do hf_prev=$(( hf_y - hf_start )) hf_n=$hf_x hf_start=$hf_y; done <"$hf_s/$hf_f.i"
  fi
  hf_x=0; [ ! -e "$hf_s/$hf_f.$hf_n" ] || hf_size_of "$hf_s/$hf_f.$hf_n"
  hf_size=$hf_x hf_total=$(( hf_start + hf_x ))
}

# Quickly searches survivors that hold no pipe: their topmost process was adopted by the reaper and is younger than the leader.
# Usually there is none. Sets hf_names and hf_looked.
hf_survivors() {
  hf_names= hf_looked=no hf_leader= hf_young= hf_tagged= hf_held= hf_mine=no
  hf_has proc && [ -n "$hf_rec_pid" ] || return 0
  hf_leader=$hf_rec_pid hf_looked=yes hf_last=0
  read -r hf_x hf_x hf_x hf_x hf_last </proc/loadavg
  # The numbers have wrapped around: any process may be younger.
  if [ "\${hf_last:-0}" -lt "$hf_leader" ]; then hf_scan "$hf_leader" "$hf_job_tag$hf_job." ""; return 0; fi
  hf_orphans
  for hf_q in $hf_adopted; do
    [ "$hf_q" -gt "$hf_leader" ] || continue
    # One from before the numbers wrapped around: it was there already, and its number was not given to another one since.
    if [ "$hf_q" -gt "$hf_last" ]; then case " $hf_adopted_before " in *" $hf_q "*) continue ;; esac; fi
    hf_look "/proc/$hf_q" "$hf_leader" "" || continue
    if [ "$hf_mine" = yes ]; then break; fi
    hf_young="$hf_young /proc/$hf_q/environ"
  done
  if [ "$hf_mine" != yes ]; then hf_tagged_among "$hf_job_tag$hf_job." $hf_young || return 0; fi
  hf_scan "$hf_leader" "$hf_job_tag$hf_job." ""
}

# Sets hf_adopted to the children of the reaper; all processes if it is unknown.
hf_orphans() {
  hf_adopted=
  if [ -n "$hf_reaper" ]; then read -r hf_adopted <"/proc/$hf_reaper/task/$hf_reaper/children"; return 0; fi
  for hf_d in /proc/[0-9]*; do hf_adopted="$hf_adopted \${hf_d#/proc/}"; done
}
`;
