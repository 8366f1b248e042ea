/** What keeps a job going that outlives its host, as scripts of POSIX sh. */
import { MAX_STREAM_BYTES, SEGMENT_BYTES } from "./output-segments.js";

/**
 * Runs a command and writes down how it ended. It hears the signals of its group and waits on, so that the status is written
 * when a signal has ended the command; what it runs starts with no signal ignored.
 *
 * Arguments: the file for the status, then those of the shell that runs the command.
 */
export const KEEPER_SCRIPT = String.raw`
trap : HUP INT QUIT TERM ALRM USR1 USR2
file=$1
shift
/bin/sh "$@"
status=$?
{ printf '%s\n' "$status" >"$file.new" && mv -f "$file.new" "$file"; } 2>/dev/null
exit "$status"
`;

/**
 * Holds the pipes of a job, and reads them once its host does so no more: a line on standard input says that the job has
 * ended, its end that the host has. Then it appends to the files where the host stopped, in the same names and sizes.
 *
 * Reads with one \`dd\` for each piece: no other program of POSIX takes from a pipe what is there, no more, and tells how much.
 *
 * Descriptors 3 and 4: the read ends. Arguments: what the names of the files of either stream begin with.
 */
export const PUMP_SCRIPT = String.raw`
trap '' HUP INT QUIT TERM
IFS= read -r line && exit 0
pump() {
  total=0
  for file in "$1".*; do
    at=\${file##*.}
    case $at in '' | *[!0-9]*) continue;; esac
    # A FIFO of that name would be waited for.
    [ -f "$file" ] || continue
    size=$(wc -c <"$file") || continue
    [ $((at + size)) -gt "$total" ] && total=$((at + size))
  done
  begin=$total
  while :; do
    # Whoever removed the folder wants no more of the output; the job goes on.
    [ -d "\${1%/*}" ] || { cat >/dev/null; break; }
    told=$(dd bs=65536 count=1 2>&1 >>"$1.$begin")
    case $told in 0+0*) break;; esac
    bytes=$(printf '%s\n' "$told" | tail -n 1)
    bytes=\${bytes%%[!0-9]*}
    total=$((total + \${bytes:-0}))
    if [ $((total - begin)) -ge SEGMENT ]; then
      begin=$total
      for file in "$1".*; do
        at=\${file##*.}
        case $at in '' | *[!0-9]*) continue;; esac
        [ "$at" -le $((total - MAXIMUM)) ] && rm -f "$file"
      done
    fi
    [ "\${bytes:-0}" -lt 65536 ] && sleep 0.05 2>/dev/null
  done
}
umask 077
(exec 4<&-; pump "$1") <&3 &
(exec 3<&-; pump "$2") <&4 &
exec 3<&- 4<&-
wait
`
  .replaceAll("\\$", "$")
  .replace("SEGMENT", String(SEGMENT_BYTES))
  .replace("MAXIMUM", String(MAX_STREAM_BYTES));
