import { IS_MINE } from "../posix/index.js";

/**
 * The script that finds or starts the server and becomes the client. It runs on the machine of the backend, as
 * `sh -c SCRIPT haft MARK KIND DIRECTORY SOCKET TARGET CWD COLUMNS HISTORY STALE [SHELL...]`, and first prints
 * `MARK DIRECTORY MADE SESSION SHELL...`, or `MARK fail WHY`.
 *
 * KIND is "private", "named" or "current"; a DIRECTORY is that of an earlier client, whose server is expected to run.
 * CWD is escaped as a format. A directory of ours has the PID of its owner in the file "o". Where that process is gone, no server answers,
 * and STALE minutes have passed, it is removed. An earlier directory that is not only ours any more is not used.
 */
export const OPEN_SCRIPT = String.raw`${IS_MINE}
mark=$1 kind=$2 dir=$3 sock=$4 target=$5 cwd=$6 size=$7 history=$8 stale=$9
shift 9
report() { printf '%s %s\n' "$mark" "$*"; }
fail() { report fail "$@"; exit 3; }
unset TMUX TMUX_PANE
TERM=$\{TERM:-xterm-256color} && [ "$TERM" != dumb ] || TERM=xterm-256color
export TERM
command -v tmux >/dev/null 2>&1 || fail missing
case $(tmux -V) in "tmux 1."*|"tmux 2."*|"tmux 3.0"*|"tmux 3.1"*) fail old "$(tmux -V)" ;; esac
again=$dir
if [ -z "$dir" ]; then
  mask=$(umask)
  umask 077
  dir=$(mktemp -d /tmp/haft-XXXXXX 2>/dev/null || mktemp -d "$\{TMPDIR:-/tmp}/haft-XXXXXX" 2>/dev/null)
  [ -n "$dir" ] || fail directory
  umask "$mask"
  for old in "$\{dir%/*}"/haft-??????; do
    [ -f "$old/o" ] && hf_is_mine "$old" && read -r owner < "$old/o" && [ "$owner" -gt 1 ] || continue
    ! kill -0 "$owner" && ! tmux -S "$old/s" has-session || continue
    [ "$stale" = 0 ] || [ -n "$(find "$old" -prune -mmin "+$stale")" ] || continue
    rm -rf -- "$old"
  done 2>/dev/null
elif ! hf_is_mine "$dir"; then
  if [ -e "$dir" ] || [ -L "$dir" ]; then fail taken; else fail gone; fi
fi
{ echo "$PPID" > "$dir/o"; } 2>/dev/null
leave() { [ -n "$again" ] || rm -rf -- "$dir"; fail "$@"; }
case $kind in
private) t() { tmux -u -f /dev/null -S "$dir/s" "$@"; } ;;
current) t() { tmux -u -S "$sock" "$@"; } ;;
*) t() { tmux -u "$@"; } ;;
esac
if [ $# = 0 ]; then
  set -- "$\{SHELL:-/bin/sh}"
  case $\{1##*/} in
  zsh) set -- "$1" -g ;; # lines that begin with a space are not stored
  bash|dash|sh|ash|ksh|mksh) ;;
  *) set -- /bin/sh ;;
  esac
fi
made=no
case $target in "$"*|%*) exact=$target ;; *) exact="=$target:" ;; esac
if [ "$kind" = current ]; then
  t display-message -p -t "$target" x >/dev/null 2>&1 || leave gone
elif ! t has-session -t "$exact" 2>/dev/null; then
  [ -z "$again" ] || leave gone
  made=yes
  case $kind in
  private) why=$(t start-server \; set-option -g history-limit "$history" \; set-option -g allow-rename off \; \
    new-session -d -s "$target" -n shared -x "$\{size%x*}" -y "$\{size#*x}" -c "$cwd" -- env "$@" 2>&1) ;;
  *) why=$(t new-session -d -s "$target" -n shared -x "$\{size%x*}" -y "$\{size#*x}" -c "$cwd" -- env "$@" 2>&1) ;;
  esac || leave start "$why"
fi
report "$dir" $made "$(t display-message -p -t "$exact" '#{session_id}')" "$@"
case $kind in
private) exec tmux -u -f /dev/null -S "$dir/s" -C attach-session -f ignore-size -t "$exact" ;;
current) exec tmux -u -S "$sock" -C attach-session -f ignore-size -t "$target" ;;
*) exec tmux -u -C attach-session -f ignore-size -t "$exact" ;;
esac
`.replaceAll("$\\{", "${");
