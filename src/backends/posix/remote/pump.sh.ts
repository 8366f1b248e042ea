/** The pump: copies the output of a command to disk, capped but counted in full. */
import { sh } from "./sh.js";

export const PUMP = sh`
# Reads one stream of a command to its end. It writes segments $1.0, $1.1, ... of about 16 MiB; the first two and the
# last three stay, so the disk never holds more than five of them. dd writes each read at once, so that readers of the
# file are up to date; its final report gives the exact count. $1.i lists "SEGMENT START". Last is a line of the record:
# "STREAM TOTAL SEGMENT ITS-SIZE SIZE-BEFORE".
hf_pump() {
  hf_n=0 hf_size=0 hf_prev=0 hf_total=0 hf_many=16
  while :; do
    hf_d=$(LC_ALL=C dd bs=65536 count="$hf_many" 2>&1 >>"$1.$hf_n")
    hf_count "$hf_d" "$1.$hf_n" "$hf_size" || { hf_drain "$1"; return; }
    hf_size=$(( hf_size + hf_bytes )) hf_total=$(( hf_total + hf_bytes ))
    if [ "$hf_records" -lt "$hf_many" ]; then break; fi
    hf_many=256
    hf_keep_pace "$1"
    if [ "$hf_size" -ge 16777216 ]; then
      hf_n=$(( hf_n + 1 )) hf_prev=$hf_size hf_size=0
      printf '%s %s\n' "$hf_n" "$hf_total" >>"$1.i"
      if [ "$hf_n" -ge 5 ]; then rm -f "$1.$(( hf_n - 3 ))"; fi
    fi
  done
  hf_note_count "$1"
}

hf_note_count() { printf '%s %s %s %s %s\n' "\${1##*.}" "$hf_total" "$hf_n" "$hf_size" "$hf_prev" >>"\${1%.?}.r"; }

# While the local side has a listener, the record says "hold" and $1.t how much of the stream was received. A pump that is
# 4 MiB ahead waits, which blocks the command, and no segment is removed before it was received. The record says "go" when
# there is no listener any more, and "x" when the leader has ended.
# Shells read byte by byte, so a read while $1.t is overwritten can mix two numbers, "0" and "1048576" to "0048576", on which
# arithmetic ends the shell. The number is therefore written twice; a read in which the two differ counts as 0.
hf_keep_pace() {
  while hf_read_record "\${1%.?}.r" "" && [ "$hf_rec_pace" = hold ]; do
    hf_many=16 hf_q=0 hf_y=0
    read -r hf_q hf_y <"$1.t" && [ "$hf_q" = "$hf_y" ] || hf_q=0
    [ $(( hf_total - hf_q )) -gt 4194304 ] || return 0
    hf_pause 1
  done
}

# Reads dd's report, "7+1 records in, 7+1 records out, 461000 bytes ..." on three lines, into hf_records and hf_bytes.
# Some versions of dd omit the third line: then the growth of the file $2 beyond $3 bytes is the count, which costs a process, so
# that it is not asked for where nothing was read. Fails when a write
# failed: the report then starts with the error. (It may also start with a warning about partial reads.)
hf_count() {
  case $1 in *" writing "* | *[Ee]"rror"* | *"o space"*) return 1 ;; esac
  hf_x=\${1%%" records in"*}; hf_x=\${hf_x##*"$hf_nl"}
  case $hf_x in "" | *[!0-9+]*) return 1 ;; esac
  hf_records=$(( \${hf_x%+*} + \${hf_x#*+} ))
  hf_x=\${1##*" records out$hf_nl"}
  case $hf_x in
  [0-9]*" bytes"*) hf_bytes=\${hf_x%% *} ;;
  *) if [ "$hf_records" = 0 ]; then hf_bytes=0; return 0; fi
     hf_size_of "$2"; hf_bytes=$(( hf_x - $3 )) ;;
  esac
}

# The size of the file $1 as hf_x.
hf_size_of() {
  if hf_has stat; then hf_x=$(stat -c %s "$1")
  else hf_x=$(ls -ln "$1"); set -- $hf_x; hf_x=$5
  fi
}

# Writing failed, but the command must not block: the rest is read, counted and dropped.
hf_drain() {
  hf_rest=$(wc -c) || cat >/dev/null
  hf_size_of "$1.$hf_n"
  hf_total=$(( hf_total + hf_x - hf_size + hf_rest )) hf_size=$hf_x
  hf_note_count "$1"
}

# Bytes $2 to $2 + $3 of the file $1.
hf_slice() {
  if hf_has bytes; then dd if="$1" bs=65536 skip="$2" count="$3" iflag=skip_bytes,count_bytes
  else dd if="$1" bs=1 skip="$2" count="$3"
  fi
}
`;
