/** POSIX sh scripts for jobs that outlive their host. */
import { MAX_STREAM_BYTES, SEGMENT_BYTES } from "./output-segments.js";

/**
 * Runs a command and records its exit status. It catches the signals of its group, so that the status is written
 * even when a signal ends the command; the command starts with default signal handling.
 *
 * Arguments: the file for the status, then the program that runs the command, and its arguments.
 */
export const KEEPER_SCRIPT = String.raw`
trap : HUP INT QUIT TERM ALRM USR1 USR2
file=$1
shift
"$@"
status=$?
{ printf '%s\n' "$status" >"$file.new" && mv -f "$file.new" "$file"; } 2>/dev/null
exit "$status"
`;

/**
 * Keeps the pipes of a job open, and reads them once its host is gone: a line on stdin means that the job has
 * ended, end of file that the host has. Then it appends to the output files where the host stopped.
 *
 * Uses one \`dd\` per read: no other POSIX program reads what is available in a pipe and reports how much that was.
 *
 * Descriptors 3 and 4: the read ends. Arguments: the path prefixes of the files of both streams.
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
    # Once the directory is removed, output is discarded; the job continues.
    [ -d "\${1%/*}" ] || { cat >/dev/null; break; }
    report=$(dd bs=65536 count=1 2>&1 >>"$1.$begin")
    case $report in 0+0*) break;; esac
    bytes=$(printf '%s\n' "$report" | tail -n 1)
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
