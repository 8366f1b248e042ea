/** The bulk channel: a loop that handles file requests one after the other and writes their bytes itself. */
import { sh } from "./sh.js";

export const BULK = sh`
# No command runs here, so nothing can write between the bytes of an answer. A request line is
#   DATA ARGS ID OPERATION WORDS... haft-end
# where DATA and ARGS are the sizes of blocks that follow: first the rest of the line, then the data.
hf_main() {
  unset hf_nonce hf_s hf_me
  IFS= read -r hf_l || exit 0
  eval "set -- $hf_l"
  hf_nonce=$1 hf_s=$2 hf_facts=$3 hf_serial=$4 hf_stream= hf_at=0 hf_counting= hf_timeout=unknown
  PATH=$5; export PATH
  exec 2>/dev/null 4>&1
  LC_ALL=C; export LC_ALL; unset CDPATH
  hf_umask=$(umask)
  hf_know_shell
  if ! hf_is_mine "$hf_s"; then hf_id=refused; hf_answer no "the directory $hf_s is gone or of another user"; exit 1; fi
  # Recorded so that cleanup can kill it: a shell that hangs on a file does not see end of file on its stdin.
  hf_own_pid; hf_note "$hf_pid" "$hf_s/bulk.$hf_serial.pid"
  hf_id=ready; hf_say "$hf_pid"
  while IFS= read -r hf_l; do
    hf_data=\${hf_l%% *}; hf_l=\${hf_l#* }
    hf_na=\${hf_l%% *}; hf_l=\${hf_l#* }
    if [ "$hf_na" != 0 ]; then hf_l="$hf_l $(hf_take "$hf_na")"; fi
    # A line without its end was truncated by a disconnect.
    case $hf_l in *" haft-end") hf_l=\${hf_l% haft-end} ;; *) exit 0 ;; esac
    eval "set -- $hf_l"
    hf_id=$1 hf_op=$2 hf_temp=
    shift 2
    "hf_fs_$hf_op" "$@"
    [ "$hf_data" = 0 ] || hf_take "$hf_data" >/dev/null
    cd /
  done
  rm -f "$hf_s/bulk.$hf_serial.pid"
}

# Copies the next $1 bytes of the channel to stdout.
hf_take() {
  if hf_has fullblock; then dd bs="$1" count=1 iflag=fullblock; else dd bs=1 count="$1"; fi
}

# Copies stdin to stdout and syncs it to disk. On failure stdin is still read to its end, because the rest would be parsed as
# requests.
hf_drain() {
  if dd bs=65536 $hf_sync; then return 0; fi
  cat >/dev/null
  return 1
}

# An answer without bytes, and one with the text $2.
hf_say() { printf '%s %s,%s 0\n' "$hf_nonce" "$hf_id" "$1"; }
hf_answer() {
  if [ -z "$2" ]; then hf_say "$1"; return; fi
  printf '%s %s,%s %s\n%s%s\n' "$hf_nonce" "$hf_id" "$1" "\${#2}" "$2" "$hf_nonce"
}
hf_refuse() { hf_answer "fail,$hf_code,$1" "$hf_note"; }

# Records that this request is about to make a change, then checks whether this channel still may. A successor writes "stop"
# first and reads the record afterwards, so a request without a record can never begin.
hf_begin() {
  printf '%s\n' "$hf_id" >"$hf_s/bulk.$hf_serial"
  [ -e "$hf_s/bulk.$hf_serial.stop" ] || return 0
  [ -z "$hf_temp" ] || rm -f "$hf_temp"
  exit 0
}

# began SERIAL: the last request that the channel SERIAL began, 0 for none. It begins no further one.
hf_fs_began() {
  printf 'stop\n' >"$hf_s/bulk.$1.stop"
  hf_x=0; read -r hf_x <"$hf_s/bulk.$1"
  hf_say "began,$hf_x"
}

# read PATH ALLOWED OFFSET COUNT STREAM: "read,SIZE,START", the line about the file, its bytes from START, and in ten digits how
# many of those are the file's, or "unreadable" if the system failed to read them. A negative offset counts from the end.
# START is before the offset if dd can only count in blocks. The file of a STREAM stays open for its next request, as
# descriptor 5 at hf_at: it is authorized already, and its name is not looked up again.
hf_fs_read() {
  if [ -z "$5" ] || [ "$5" != "$hf_stream" ] || [ "$3" -lt "$hf_at" ]; then hf_open_file "$@" || { hf_refuse; return; }; fi
  hf_from=$3
  if [ "$hf_from" -lt 0 ]; then hf_from=$(( hf_size + hf_from )); [ "$hf_from" -ge 0 ] || hf_from=0; fi
  hf_give "$4" || return
  if [ -z "$5" ] || [ "$hf_real" -lt "$hf_n" ] || [ "$hf_at" -ge "$hf_size" ] || ! hf_has bytes; then hf_shut_file; fi
}

# Answers with up to $1 bytes of the open file from hf_from on; $2 are further words. Fails if the file was closed.
hf_give() {
  hf_n=$(( hf_size - hf_from ))
  [ "$hf_n" -le "$1" ] || hf_n=$1
  if [ "$hf_n" -le 0 ]; then
    hf_answer "read,$hf_size,$hf_from,\${#hf_file_line}$2" "\${hf_file_line}0000000000"; hf_shut_file; return 1
  fi
  if ! hf_has bytes; then hf_n=$(( hf_n + hf_from % 65536 )) hf_from=$(( hf_from - hf_from % 65536 )); fi
  printf '%s %s,read,%s,%s,%s%s %s\n%s' "$hf_nonce" "$hf_id" "$hf_size" "$hf_from" "\${#hf_file_line}" "$2" \
    "$(( \${#hf_file_line} + hf_n + 10 ))" "$hf_file_line"
  hf_send $(( hf_from - hf_at )) "$hf_n" <&5
  if [ "$hf_sent" = no ] && [ "$hf_real" -lt "$hf_n" ]; then
    printf 'unreadable%s\n' "$hf_nonce"; hf_shut_file; return 1
  fi
  printf '%010d%s\n' "$hf_real" "$hf_nonce"
  hf_at=$(( hf_from + hf_n ))
}

# lines PATH ALLOWED OFFSET NEWLINES LENGTH: passes NEWLINES line feeds from OFFSET on, and answers as "read" with up to LENGTH
# bytes after them, or with the last LENGTH bytes if the file ends before. Further words: how many were passed, the size of a
# block, and the line feeds of each block before the last one, ":" before each. "unable" if they cannot be counted here.
hf_fs_lines() {
  hf_can_count || { hf_say unable; return; }
  hf_open_file "$1" "$2" || { hf_refuse; return; }
  hf_from=$3 hf_passed=0 hf_blocks=
  # At most 256 blocks, so that their counts fit into the line of the answer.
  hf_block=$(( hf_size / 256 + 1 )); [ "$hf_block" -ge 16777216 ] || hf_block=16777216
  while [ "$hf_passed" -lt "$4" ] && [ "$hf_from" -lt "$hf_size" ]; do
    hf_n=$(( hf_size - hf_from )); [ "$hf_n" -le "$hf_block" ] || hf_n=$hf_block
    hf_counted $(hf_part "$hf_from" "$hf_n" | wc -lc)
    # It became shorter or cannot be read: a plain read reports it.
    if [ "$hf_bytes" != "$hf_n" ]; then hf_shut_file; hf_say unable; return; fi
    hf_x=$(( $4 - hf_passed ))
    if [ "$hf_newlines" -ge "$hf_x" ]; then
      hf_counted $(hf_part "$hf_from" "$hf_n" | head -n "$hf_x" | wc -lc)
      if [ "$hf_newlines" != "$hf_x" ]; then hf_shut_file; hf_say unable; return; fi
      hf_n=$hf_bytes
    else
      hf_blocks=$hf_blocks:$hf_newlines
    fi
    hf_passed=$(( hf_passed + hf_newlines )) hf_from=$(( hf_from + hf_n ))
  done
  if [ "$hf_passed" -lt "$4" ]; then hf_from=$(( hf_from > $3 + $5 ? hf_from - $5 : $3 )); fi
  hf_give "$5" ",$hf_passed,$hf_block,$hf_blocks" && hf_shut_file
}

# Prints $2 bytes of the open file from $1 on. The file is opened again by its descriptor, whose own offset stays as it is.
hf_part() { dd if=/proc/self/fd/5 bs=65536 skip="$1" count="$2" iflag=skip_bytes,count_bytes 5<&5; }

hf_counted() { hf_newlines=$1 hf_bytes=$2; }

# Whether the programs here count line feeds, and find one, in bytes that are not text. Tried once, when first needed.
hf_can_count() {
  if [ -z "$hf_counting" ]; then
    hf_counting=no
    hf_counted $(printf 'a\0b\n\377\nc' | head -n 1 | wc -lc)
    if hf_has bytes && hf_has proc && [ "$hf_newlines,$hf_bytes" = 1,4 ]; then hf_counting=yes; fi
  fi
  [ "$hf_counting" = yes ]
}

# Opens the file and verifies that it is the directory entry of that name, not the target of a symlink swapped in meanwhile.
hf_open_file() {
  hf_shut_file
  hf_place "$1" yes "$2" || return 1
  if [ ! -f "./$hf_name" ]; then hf_no_file; return 1; fi
  hf_note=
  command exec 5<"./$hf_name" || { hf_code=denied; return 1; }
  hf_at=0 hf_stream=$5
  hf_same_file || { hf_shut_file; hf_code=changed; return 1; }
  hf_file_line=$hf_line
  hf_x=\${hf_line#*"|"}; hf_x=\${hf_x#* }; hf_size=\${hf_x%% *}
  [ "$hf_size" != 0 ] || hf_copy_unsized
}

# Files generated by the kernel, for example in /proc, report size 0 although they have content: they are copied and the copy is
# read. An empty regular file needs no extra process; an unreadable file of the kernel looks empty, too.
hf_copy_unsized() {
  case $hf_real in
  /proc/kmsg | /sys/*/trace_pipe | /sys/*/trace_pipe_raw)
    hf_shut_file; hf_code=io hf_note="reading it waits for the kernel and never ends"; return 1 ;;
  /proc/* | /sys/*) ;;
  *) IFS= read -r hf_x <&5 || [ -n "$hf_x" ] || return 0 ;;
  esac
  hf_copy=$hf_s/bulk.$hf_serial.copy
  command exec 5<"./$hf_name" || { hf_code=denied; return 1; }
  hf_same_file || { hf_shut_file; hf_code=changed; return 1; }
  hf_sent=yes
  hf_d=$(dd bs=65536 count=4096 <&5 2>&1 >"$hf_copy") || hf_sent=no
  hf_x=$(hf_info "$hf_copy"); hf_x=\${hf_x#*"|"}; hf_x=\${hf_x#* }; hf_size=\${hf_x%% *}
  command exec 5<"$hf_copy" || { hf_code=io hf_note="it cannot be copied"; return 1; }
  rm -f "$hf_copy"
  # End of file was not reached, or it could not be read or copied completely.
  case $hf_sent:$hf_d in no:* | *:4096+* | *"+4096 "* | *" reading "* | *" writing "* | *[Ee]"rror"* | *"o space"*)
    hf_shut_file; hf_code=io hf_note="it reports no size, and not all of it could be read"; return 1 ;;
  esac
}

hf_shut_file() { exec 5<&-; hf_stream= hf_at=0; }

# shut STREAM: closes its file.
hf_fs_shut() {
  [ "$1" != "$hf_stream" ] || hf_shut_file
  hf_say shut
}

# Sets hf_line to the line about descriptor 5, if ./hf_name is that file.
hf_same_file() {
  if hf_has statfd; then
    hf_line=$(stat -c "$hf_format" - "./$hf_name" <&5)
    hf_x=\${hf_line#*"$hf_nl"} hf_line=\${hf_line%%"$hf_nl"*}
  elif hf_has stat; then
    hf_line=$(stat -L -c "$hf_format" /proc/self/fd/5 5<&5)
    hf_x=$(stat -c "$hf_format" "./$hf_name")
  else
    hf_line=$(hf_info "./$hf_name"); hf_x=$hf_line
    if [ -L "./$hf_name" ]; then return 1; fi
  fi
  hf_x=\${hf_x#*"|"} hf_y=\${hf_line#*"|"}
  [ -n "$hf_x" ] && [ "\${hf_x%% *}" = "\${hf_y%% *}" ]
}

# Sends exactly $2 bytes of stdin (descriptor 5) to the channel after skipping $1. A file that became shorter than its
# reported size is padded with NULs: hf_real counts the file's own bytes, hf_sent says whether dd could read it.
hf_send() {
  hf_sent=yes
  if hf_has bytes; then hf_d=$(dd bs=65536 skip="$1" count="$2" iflag=skip_bytes,count_bytes 2>&1 >&4) || hf_sent=no
  else hf_d=$(dd bs=65536 skip=$(( $1 / 65536 )) count=$(( ($2 + 65535) / 65536 )) 2>/dev/null | dd bs=1 count="$2" 2>&1 >&4)
  fi
  hf_real=\${hf_d##*" records out$hf_nl"}; hf_real=\${hf_real%% *}
  # Some versions of dd report no byte count; the offset of the descriptor gives it.
  case $hf_real in "" | *[!0-9]*)
    if hf_position; then hf_real=$(( hf_real - hf_from )); else hf_real=$2; fi ;;
  esac
  [ "$hf_real" -le "$2" ] || hf_real=$2
  [ "$hf_real" -ge 0 ] || hf_real=0
  if [ "$hf_real" -lt "$2" ]; then dd if=/dev/zero bs=1 count=$(( $2 - hf_real )); fi
}

# Sets hf_real to the offset of descriptor 5; fails where the system does not report it.
hf_position() {
  hf_real=
  while read -r hf_x hf_y; do case $hf_x in pos:) hf_real=$hf_y ;; esac; done </proc/self/fdinfo/5
  [ -n "$hf_real" ]
}

# stage NAME: stores the data in the spool directory for a later request.
hf_fs_stage() {
  hf_sync=
  if hf_has fullblock; then hf_take "$hf_data" >"$hf_s/$1" && hf_x=staged || hf_x=failed
  else hf_take "$hf_data" | hf_drain >"$hf_s/$1" && hf_x=staged || hf_x=failed
  fi
  hf_data=0
  if [ "$hf_x" = staged ]; then hf_say staged; else hf_answer failed "$hf_s"; fi
}

hf_fs_unstage() { rm -f "$hf_s/$1".*; hf_say gone; }
`;
