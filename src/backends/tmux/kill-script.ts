/** Scripts that signal the processes of a pane of ours, on the machine of the backend. */

/** Begins a loop over the processes in the sessions of the shells in `$sids`, each in `$p` with its `$group` and `$sid`, by one pass over /proc. */
const MEMBERS = String.raw`
for f in /proc/[0-9]*/stat; do
  read -r line < "$f" || continue
  p=$\{line%% *}
  st=$\{line##*") "}; state=$\{st%% *}; st=$\{st#* }; st=$\{st#* }; group=$\{st%% *}; st=$\{st#* }
  sid=$\{st%% *}
  case $sids in *" $sid "*) [ "$state" != Z ] || continue;; *) continue;; esac
`.replaceAll("$\\{", "${");

/** tmux gives 0 for a pane without a process. Session 0 has the processes whose session lies outside of a PID namespace, and those of the kernel. */
const isOfShell = (pid: number): boolean => Number.isInteger(pid) && pid > 1;

/** Signals the group of a command, if it is still one of the pane's session and not the shell's own. */
export function signalGroupScript(signal: "TERM" | "KILL", shellPid: number, group: number): string {
  if (!isOfShell(shellPid) || !isOfShell(group)) return "exit 1";
  return `sids=" ${shellPid} "; ${MEMBERS}
  if [ "$group" = ${group} ] && [ "$group" != "$sid" ]; then kill -CONT -${group} 2>/dev/null; kill -${signal} -${group}; exit; fi
done 2>/dev/null; exit 1`;
}

/**
 * Ends what runs in the panes with these shells, but not the shells: as long as these live, the numbers of their sessions are not
 * used again. HUP, which ends shells, with TERM; 1 s; KILL. A host that is asked to end may have few seconds.
 */
export function endPanesScript(shellPids: readonly number[]): string {
  return `sids=" ${shellPids.filter(isOfShell).join(" ")} "
each() { found=0; ${MEMBERS} [ $p != $sid ] || continue
  found=$((found + 1)); [ -z "$1" ] || kill -$1 $p; [ "$1" != HUP ] || { kill -TERM $p; kill -CONT $p; }
  done 2>/dev/null; [ $found -gt 0 ]; }
each HUP || exit 0
n=0; while each "" && [ $n -lt 5 ]; do n=$((n + 1)); sleep 0.2 2>/dev/null || { sleep 1; n=5; }; done
each KILL; exit 0`;
}
