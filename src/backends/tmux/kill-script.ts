/** Scripts that signal the processes of a pane of ours, on the machine of the backend. */

/** `for_each CONDITION`: what is in the session of a pane's shell, by /proc. */
const MEMBERS = String.raw`
for f in /proc/[0-9]*/stat; do
  read -r line < "$f" || continue
  p=$\{line%% *}
  st=$\{line##*") "}; state=$\{st%% *}; st=$\{st#* }; st=$\{st#* }; group=$\{st%% *}; st=$\{st#* }
  [ "$\{st%% *}" = "$sid" ] && [ "$state" != Z ] || continue
`.replaceAll("$\\{", "${");

/** Signals the group of a command, if it is still one of the pane's session and not the shell's own. */
export function signalGroupScript(signal: "TERM" | "KILL", shellPid: number, group: number): string {
  return `sid=${shellPid}; ${MEMBERS}
  if [ "$group" = ${group} ] && [ "$group" != "$sid" ]; then kill -CONT -${group} 2>/dev/null; kill -${signal} -${group}; exit; fi
done 2>/dev/null; exit 1`;
}

/**
 * Ends what runs in the panes with these shells, but not the shells: as long as these live, the numbers of their sessions are not
 * used again. TERM, 2 s, KILL.
 */
export function endPanesScript(shellPids: readonly number[]): string {
  return `each() { found=0; for sid in ${shellPids.join(" ")}; do ${MEMBERS} [ $p != $sid ] || continue
  found=$((found + 1)); [ -z "$1" ] || kill -$1 $p; [ "$1" != TERM ] || kill -CONT $p
  done; done 2>/dev/null; [ $found -gt 0 ]; }
each TERM || exit 0
n=0; while each "" && [ $n -lt 10 ]; do n=$((n + 1)); sleep 0.2 2>/dev/null || { sleep 1; n=$((n + 9)); }; done
each KILL; exit 0`;
}
