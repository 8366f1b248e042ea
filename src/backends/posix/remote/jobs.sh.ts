/** Requests about running and ended commands: output so far, processes, end. */
import { sh } from "./sh.js";

export const JOBS = sh`
# poll ID STDOUT-OFFSET MAX STDERR-OFFSET MAX: "STATUS" and for each stream "FROM COUNT ENDED TOTAL", then the bytes. Those
# before the offsets have been received, which hf_keep_pace reads.
hf_do_poll() {
  hf_job=$1
  hf_record "$1"
  # Written in place, because truncating a file is slow. On a full disk this cannot be recorded; then output is not held back.
  if [ "$hf_rec_pace" = hold ]; then
    { printf '%s %s\n' "$2" "$2" 1<>"$hf_b.o.t" && printf '%s %s\n' "$4" "$4" 1<>"$hf_b.e.t"; } || printf 'go\n' >>"$hf_b.r"
  fi
  hf_part o "$2" "$3" $hf_rec_o; hf_out=$hf_meta hf_out_bytes=$hf_bytes
  hf_part e "$4" "$5" $hf_rec_e; hf_err=$hf_meta
  hf_y="$hf_id,poll,$hf_rec_status,$hf_out,$hf_err"
  hf_bytes=$(( hf_out_bytes + hf_bytes ))
  if [ "$hf_bytes" = 0 ]; then printf 'T %s\n' "$hf_y" >&3
  else printf 'F %s %s %s %s\n' "$hf_y" "$hf_bytes" "w$hf_k.o" "w$hf_k.e" >&3
  fi
}

# release ID: the command has no listener any more, so its pump stops waiting. The local side does not wait for the answer.
hf_do_release() {
  ! hf_record "$1" || printf 'go\n' >>"$hf_b.r"
  hf_reply released
}

# Copies up to $3 bytes from offset $2 of stream $1 to the worker's file. If that part was removed it starts with the first
# stored byte. $4: its total, if it has ended.
hf_part() {
  hf_f=$hf_b.$1 hf_bytes=0 hf_ended=0 hf_total=\${4:-0} hf_from=$2
  printf '' >"$hf_s/w$hf_k.$1"
  [ -z "$4" ] || hf_ended=1
  hf_seg=0 hf_start=0 hf_after=
  if [ -e "$hf_f.i" ]; then
    while read -r hf_x hf_y; do
      if [ "$hf_y" -le "$hf_from" ] || [ ! -e "$hf_f.$hf_seg" ]; then hf_seg=$hf_x hf_start=$hf_y hf_after=
      elif [ -z "$hf_after" ]; then hf_after=$hf_y
      fi
    done <"$hf_f.i"
  fi
  [ "$hf_from" -ge "$hf_start" ] || hf_from=$hf_start
  # Behind the end of what is its own, the file may have the output of the next command.
  hf_x=$3 hf_after=\${hf_after:-$4}
  if [ -n "$hf_after" ] && [ $(( hf_after - hf_from )) -lt "$hf_x" ]; then hf_x=$(( hf_after - hf_from )); fi
  if [ "$hf_x" -gt 0 ] && [ -e "$hf_f.$hf_seg" ]; then
    hf_d=$(LC_ALL=C; export LC_ALL; hf_slice "$hf_f.$hf_seg" $(( hf_from - hf_start )) "$hf_x" 2>&1 >"$hf_s/w$hf_k.$1")
    hf_count "$hf_d" "$hf_s/w$hf_k.$1" 0 || hf_bytes=0
  fi
  hf_meta=$hf_from,$hf_bytes,$hf_ended,$hf_total
}

# Sets hf_leader to the leader of job $1, or "" if its pid was reused. The kernel does not reuse the number of a group or
# session that still has processes.
hf_leader_of() {
  hf_record "$1"
  hf_leader_in_record
}
hf_leader_in_record() {
  hf_leader=$hf_rec_pid
  hf_is_pid "$hf_leader" || hf_leader=
  [ -e "/proc/\${hf_leader:-0}" ] || return 0
  if [ -n "$hf_rec_status" ] || ! hf_is_still "$hf_leader" "$hf_rec_start"; then hf_leader=; fi
}

# look ID TAG HEAD TAIL: the processes of a command, and its output so far; see hf_report.
hf_do_look() {
  hf_leader_of "$1"
  hf_job=$1 hf_job_tag=$2 hf_head=$3 hf_tail=$4 hf_files= hf_exited=
  hf_scan "$hf_leader" "$2$1." "$1"
  # If no process holds a stream its pump is about to end: waits for all output, up to 2 s.
  hf_tries=0
  while hf_record "$1" && [ -n "$hf_rec_status" ] && [ "$hf_tries" -lt 200 ]; do
    case ",$hf_holds_o$hf_rec_o,$hf_holds_e$hf_rec_e," in *,no,*) ;; *) break ;; esac
    hf_pause 1; hf_tries=$(( hf_tries + 1 ))
  done
  hf_gather o $hf_rec_o; hf_out=$hf_meta hf_out_bytes=$hf_bytes
  hf_gather e $hf_rec_e; hf_err=$hf_meta hf_err_bytes=$hf_bytes
  hf_report look
}

# end ID TAG GRACE: ends a command with TERM, then KILL. "BY LOOKED", then the names of remaining processes. A
# command that has not begun will not begin; one that is starting is waited for.
hf_do_end() {
  # One that has ended was not stopped, and its end is the time of its last file.
  if ! hf_record "$1" || [ -z "$hf_rec_status" ]; then printf 'stop\n' >"$hf_s/$1.stop"; fi
  hf_tries=0
  while hf_record "$1" && [ -z "$hf_rec_pid" ] && [ ! -e "$hf_s/$1.no" ] && [ "$hf_tries" -lt 50 ]; do
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
  hf_all=
  for hf_e in "$@"; do
    if [ -e "$hf_s/$hf_e.no" ] || ! hf_record "$hf_e"; then hf_x=no
    elif [ -n "$hf_rec_pid$hf_rec_status" ]; then hf_x=yes
    else
      # Recorded but not started: waits a moment, because it may be starting.
      hf_pause 10
      if hf_record "$hf_e" && [ -n "$hf_rec_pid" ]; then hf_x=yes; elif [ -e "$hf_s/$hf_e.no" ]; then hf_x=no; else hf_x=unknown; fi
    fi
    hf_all=$hf_all,$hf_x
  done
  hf_reply "began$hf_all"
}

# collect ID TAG HEAD TAIL: the report on a command that has ended; "running" when it has not, "absent" when nothing of
# it is stored.
hf_do_collect() {
  if ! hf_record "$1"; then hf_reply absent; return 0; fi
  hf_exited=
  if [ -z "$hf_rec_status" ] || [ -z "$hf_rec_o" ] || [ -z "$hf_rec_e" ]; then hf_reply running; return 0; fi
  hf_job=$1 hf_job_tag=$2 hf_head=$3 hf_tail=$4
  hf_finish
}

# write ID: the bytes of this request's input go to the job: "written", or "ended" if no process reads them. Blocks
# while the job does not read; only this worker waits.
hf_do_write() {
  # Waits until the job has opened its input, so that a reader exists.
  hf_tries=0
  while hf_record "$1"; [ -z "$hf_rec_pid$hf_rec_status" ] && [ "$hf_tries" -lt 500 ]; do
    hf_pause 1; hf_tries=$(( hf_tries + 1 ))
  done
  # Briefly opened for reading too: without a reader, opening would block forever; this way the write fails instead.
  if [ -p "$hf_s/$1.f" ] && [ -z "$hf_rec_status" ] && [ ! -e "$hf_s/$1.eof" ] &&
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
  if hf_record "$1"; then hf_reply "found,$hf_rec_tag,$hf_rec_pid"; else hf_reply absent; fi
}

# Adds the files with the prefix $1 to hf_files.
hf_drop() { for hf_f in "$1".*; do [ ! -e "$hf_f" ] || hf_files="$hf_files \"\$hf_s\"\${hf_f#"$hf_s"}"; done; }

# forget ID...: removes their files. The local side usually does not wait for the answer.
hf_do_forget() {
  hf_files=
  for hf_e in "$@"; do hf_drop "$hf_s/$hf_e"; done
  # A worker's record goes with the last command in it, once the worker has begun another one or is dead.
  for hf_g in "$hf_s"/w*.r; do
    hf_read_record "$hf_g" "" || continue
    case " $* " in *" $hf_rec_id "*) printf 'f %s\n' "$hf_rec_id" >>"$hf_g"; hf_rec_f=yes ;; esac
    [ "$hf_rec_f" = yes ] || continue
    hf_x=\${hf_g##*/w}; hf_x=\${hf_x%.*.r}
    if [ "$hf_rec_over" = yes ] || [ ! -s "$hf_s/worker.\${hf_x%-*}.\${hf_x#*-}" ]; then hf_drop "\${hf_g%.r}"; fi
  done
  [ -z "$hf_files" ] || eval "rm -f $hf_files"
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
