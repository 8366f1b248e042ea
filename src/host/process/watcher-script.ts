/**
 * The POSIX sh script of the watcher. It needs no file on disk and 2 MB of memory.
 *
 * It reads lines `+PID:START` and `-PID` until its input ends, which happens when the host ends for any reason. Then it
 * ends every process that has the host's tag, belongs to the session or group of a reported command, or is a child of one
 * of these: TERM, three seconds, KILL. A pid that was reused, which its start time shows, is skipped.
 *
 * Arguments: the variable and the prefix of the host's tags, the path of a report or "".
 */
export const WATCHER_SCRIPT = String.raw`
trap '' HUP INT QUIT TERM PIPE
tag=$1 report=$2 known=' '
while IFS= read -r line; do
  case $line in
    +*) known="$known\${line#+} ";;
    -*) pid=\${line#-}
      case $known in *" $pid:"*) rest=\${known#*" $pid:"}; known="\${known%%" $pid:"*} \${rest#* }";; esac;;
  esac
done
look() {
  tagged=" $(grep -lsz "^$tag" /proc/[0-9]*/environ | tr '\n' ' ')"
  found=' ' parents=' '
  for dir in /proc/[0-9]*; do
    pid=\${dir#/proc/}
    case $pid in "$$" | 1) continue;; esac
    IFS= read -r stat 2>/dev/null <"$dir/stat" || continue
    rest=\${stat##*) }
    set -- $rest
    [ $# -ge 20 ] || continue
    case $1 in Z | X) continue;; esac
    mine=no
    case $tagged in *" $dir/environ "*) mine=yes;; esac
    for id in $3 $4; do
      case $known in *" $id:"*)
        from=\${known#*" $id:"}; from=\${from%% *}
        shift 19; start=$1; set -- $rest
        if [ "$start" -ge "$from" ] && owns "$id" "$from"; then mine=yes; fi;;
      esac
    done
    if [ $mine = yes ]; then found="$found$pid "; else parents="$parents$pid<$2 "; fi
  done
  more=yes
  while [ $more = yes ]; do
    more=no
    for pair in $parents; do
      case $found in *" \${pair#*<} "*)
        case $found in *" \${pair%%<*} "*) ;; *) found="$found\${pair%%<*} "; more=yes;; esac;;
      esac
    done
  done
}
owns() {
  IFS= read -r leader 2>/dev/null <"/proc/$1/stat" || return 0
  set -- "$2" \${leader##*) }
  from=$1; shift 20; [ "$1" = "$from" ]
}
look
[ "$found" = ' ' ] && exit 0
if [ -n "$report" ]; then
  for pid in $found; do
    IFS= read -r name 2>/dev/null <"/proc/$pid/comm" && printf '%s %s\n' "$pid" "$name"
  done >"$report" 2>/dev/null
fi
kill -TERM $found 2>/dev/null; kill -CONT $found 2>/dev/null
end=$(($(date +%s) + 3))
while [ "$(date +%s)" -lt $end ]; do
  sleep 0.2 2>/dev/null || sleep 1
  look
  [ "$found" = ' ' ] && exit 0
done
turns=0
while [ $turns -lt 5 ]; do
  kill -KILL $found 2>/dev/null
  sleep 0.1 2>/dev/null || sleep 1
  look
  [ "$found" = ' ' ] && exit 0
  turns=$((turns + 1))
done
`.replaceAll("\\$", "$");
