/** Requests about running and ended commands: output so far, processes, end. */
import { sh } from "./sh.js";

export const JOBS = sh`
# poll ID STDOUT-OFFSET MAX STDERR-OFFSET MAX: "STATUS" and for each stream "FROM COUNT ENDED TOTAL", then the bytes. Those
# before the offsets have been received, which hf_keep_pace reads.
hf_do_poll() {
  hf_job=$1 hf_status=
  hf_base_of "$1"
  read -r hf_status <"$hf_s/$hf_job.x"
  # On a full disk this cannot be recorded. Then output is not held back; truncating a file still works.
  if [ -e "$hf_b.h" ]; then
    { printf '%s %s\n' "$2" "$2" >"$hf_b.o.t" && printf '%s %s\n' "$4" "$4" >"$hf_b.e.t"; } || : >"$hf_b.h"
  fi
  hf_part o "$2" "$3"; hf_out=$hf_meta hf_out_bytes=$hf_bytes
  hf_part e "$4" "$5"; hf_err=$hf_meta
  hf_y="$hf_id,poll,$hf_status,$hf_out,$hf_err"
  hf_bytes=$(( hf_out_bytes + hf_bytes ))
  if [ "$hf_bytes" = 0 ]; then printf 'T %s\n' "$hf_y" >&3
  else printf 'F %s %s %s %s\n' "$hf_y" "$hf_bytes" "w$hf_k.o" "w$hf_k.e" >&3
  fi
}

# release ID: the command has no listener any more, so its pump stops waiting. The local side does not wait for the answer.
hf_do_release() {
  hf_base_of "$1"
  [ ! -e "$hf_b.h" ] || printf 'go\n' >"$hf_b.h"
  hf_reply released
}

# Copies up to $3 bytes from offset $2 of stream $1 to the worker's file. If that part was removed it starts with the first
# stored byte.
hf_part() {
  hf_f=$hf_b.$1 hf_bytes=0 hf_ended=0 hf_total=0 hf_from=$2
  printf '' >"$hf_s/w$hf_k.$1"
  if read -r hf_total hf_x <"$hf_f.n"; then hf_ended=1; fi
  hf_seg=0 hf_start=0 hf_after=
  if [ -e "$hf_f.i" ]; then
    while read -r hf_x hf_y; do
      if [ "$hf_y" -le "$hf_from" ] || [ ! -e "$hf_f.$hf_seg" ]; then hf_seg=$hf_x hf_start=$hf_y hf_after=
      elif [ -z "$hf_after" ]; then hf_after=$hf_y
      fi
    done <"$hf_f.i"
  fi
  [ "$hf_from" -ge "$hf_start" ] || hf_from=$hf_start
  if [ "$3" -gt 0 ] && [ -e "$hf_f.$hf_seg" ]; then
    hf_x=$3
    if [ -n "$hf_after" ] && [ $(( hf_after - hf_from )) -lt "$hf_x" ]; then hf_x=$(( hf_after - hf_from )); fi
    hf_d=$(LC_ALL=C; export LC_ALL; hf_slice "$hf_f.$hf_seg" $(( hf_from - hf_start )) "$hf_x" 2>&1 >"$hf_s/w$hf_k.$1")
    hf_count "$hf_d" "$hf_s/w$hf_k.$1" 0 || hf_bytes=0
  fi
  hf_meta=$hf_from,$hf_bytes,$hf_ended,$hf_total
}

# Sets hf_leader to the leader of job $1, or "" if its pid was reused. The kernel does not reuse the number of a group or
# session that still has processes.
hf_leader_of() {
  hf_leader= hf_leader_start=
  { read -r hf_leader hf_leader_start <"$hf_s/$1.p" && hf_is_pid "$hf_leader"; } || { hf_leader=; return 0; }
  [ -e "/proc/$hf_leader" ] || return 0
  if [ -e "$hf_s/$1.x" ] || ! hf_is_still "$hf_leader" "$hf_leader_start"; then hf_leader=; fi
}

# look ID TAG HEAD TAIL: the processes of a command, and its output so far; see hf_report.
hf_do_look() {
  hf_leader_of "$1"
  hf_job=$1 hf_job_tag=$2 hf_head=$3 hf_tail=$4 hf_files= hf_exited=
  hf_scan "$hf_leader" "$2$1." "$1"
  # If no process holds a stream its pump is about to end: waits for all output.
  hf_base_of "$1"
  if [ -e "$hf_s/$1.x" ]; then
    [ "$hf_holds_o" = yes ] || hf_await "$hf_b.o.n"
    [ "$hf_holds_e" = yes ] || hf_await "$hf_b.e.n"
  fi
  hf_gather o; hf_out=$hf_meta hf_out_bytes=$hf_bytes
  hf_gather e; hf_err=$hf_meta hf_err_bytes=$hf_bytes
  hf_report look
}

# Waits up to 2 s until the file $1 is not empty.
hf_await() {
  hf_tries=0
  while [ ! -s "$1" ] && [ "$hf_tries" -lt 200 ]; do hf_pause 1; hf_tries=$(( hf_tries + 1 )); done
}

# end ID TAG GRACE: ends a command with TERM, then KILL. "BY LOOKED", then the names of remaining processes. A
# command that has not begun will not begin; one that is starting is waited for.
hf_do_end() {
  printf 'stop\n' >"$hf_s/$1.stop"
  hf_tries=0
  while [ -e "$hf_s/$1.r" ] && [ ! -e "$hf_s/$1.p" ] && [ ! -e "$hf_s/$1.no" ] && [ "$hf_tries" -lt 50 ]; do
    hf_pause 1; hf_tries=$(( hf_tries + 1 ))
  done
  hf_leader_of "$1"
  hf_end_tree "$hf_leader" "$2$1." "$3" "$1"
  hf_answer "end,$hf_ended_by,$hf_looked"
}

# signal ID TAG SIGNAL: one signal to all of it.
hf_do_signal() {
  hf_leader_of "$1"
  hf_scan "$hf_leader" "$2$1." "$1"
  hf_signal "$3" "$hf_leader"
  hf_answer signal,$hf_looked
}

# Answers with "$1,SIZE" and the lines of hf_names.
hf_answer() {
  if [ -z "$hf_names" ]; then hf_reply "$1,0"; return 0; fi
  printf '%s' "$hf_names" >"$hf_s/w$hf_k.s"
  hf_x=$(LC_ALL=C; printf '%s' "\${#hf_names}")
  printf 'F %s,%s,%s %s %s\n' "$hf_id" "$1" "$hf_x" "$hf_x" "w$hf_k.s" >&3
}

# began ID...: for each, yes, no or unknown. Sent after a reconnect, when earlier channels can no longer start it.
hf_do_began() {
  hf_y=
  for hf_e in "$@"; do
    if [ -e "$hf_s/$hf_e.no" ] || [ ! -e "$hf_s/$hf_e.r" ]; then hf_x=no
    elif [ -e "$hf_s/$hf_e.p" ] || [ -e "$hf_s/$hf_e.x" ]; then hf_x=yes
    else
      # Recorded but not started: waits a moment, because it may be starting.
      hf_pause 10
      if [ -e "$hf_s/$hf_e.p" ]; then hf_x=yes; elif [ -e "$hf_s/$hf_e.no" ]; then hf_x=no; else hf_x=unknown; fi
    fi
    hf_y=$hf_y,$hf_x
  done
  hf_reply "began$hf_y"
}

# collect ID TAG HEAD TAIL: the report on a command that has ended; "running" when it has not, "absent" when nothing of
# it is stored.
hf_do_collect() {
  if [ ! -e "$hf_s/$1.r" ]; then hf_reply absent; return 0; fi
  hf_exited=
  hf_base_of "$1"
  if [ ! -e "$hf_s/$1.x" ] || [ ! -s "$hf_b.o.n" ] || [ ! -s "$hf_b.e.n" ]; then hf_reply running; return 0; fi
  hf_job=$1 hf_job_tag=$2 hf_head=$3 hf_tail=$4
  hf_finish
}

# write ID: the bytes of this request's input go to the job: "written", or "ended" if no process reads them. Blocks
# while the job does not read; only this worker waits.
hf_do_write() {
  # Waits until the job has opened its input, so that a reader exists.
  hf_tries=0
  while [ ! -e "$hf_s/$1.p" ] && [ ! -e "$hf_s/$1.x" ] && [ "$hf_tries" -lt 500 ]; do hf_pause 1; hf_tries=$(( hf_tries + 1 )); done
  # Briefly opened for reading too: without a reader, opening would block forever; this way the write fails instead.
  if [ -p "$hf_s/$1.f" ] && [ ! -e "$hf_s/$1.x" ] && [ ! -e "$hf_s/$1.eof" ] &&
    cat "$hf_s/$hf_id.i" 6<>"$hf_s/$1.f" >"$hf_s/$1.f" 6>&-
  then hf_reply written
  else hf_reply ended
  fi
}

# close ID: sends end of file to the job's input.
hf_do_close() {
  printf 'closed\n' >"$hf_s/$1.eof"
  hf_kill_noted TERM "$hf_s/$1.feed"
  hf_reply closed
}

# stop PID: ends a shell of the bulk channel that hangs.
hf_do_stop() {
  for hf_f in "$hf_s"/bulk.*.pid; do
    if read -r hf_x hf_y <"$hf_f" && [ "$hf_x" = "$1" ]; then hf_kill_noted KILL "$hf_f"; fi
  done
  hf_reply stopped
}

# find ID: "found,TAG,PID" where there is such a job.
hf_do_find() {
  hf_x= hf_pid=
  if read -r hf_x <"$hf_s/$1.r"; then read -r hf_pid hf_y <"$hf_s/$1.p"; hf_reply "found,$hf_x,$hf_pid"; else hf_reply absent; fi
}

# forget ID...: removes their files. The local side usually does not wait for the answer.
hf_do_forget() {
  hf_files=
  for hf_e in "$@"; do
    hf_base_of "$hf_e"
    for hf_f in "$hf_s/$hf_e".* "$hf_b".*; do hf_files="$hf_files \"\$hf_s\"\${hf_f#"$hf_s"}"; done
  done
  eval "rm -f $hf_files"
  # A directory that another backend left for kept jobs is removed with the last of them.
  for hf_e in "$@"; do
    case $hf_e in
    */*)
      # A channel that is still active keeps its directory.
      hf_x=closed; read -r hf_x <"$hf_s/\${hf_e%/*}/gen"
      if [ "$hf_x" = closed ]; then rm -f "$hf_s/\${hf_e%/*}/gen"; rmdir "$hf_s/\${hf_e%/*}"; fi ;;
    esac
  done
  hf_reply forgotten
}
`;
