/** Scripts that signal the processes of a pane of ours, on the machine of the backend. */

/** `for_each CONDITION`: what is in the session of a pane's shell, by /proc. */
const MEMBERS = String.raw`
for f in /proc/[0-9]*/stat; do
  read -r line < "$f" || continue
  p=$\{line%% *}
  set -- $\{line##*") "}
  [ "$4" = "$sid" ] && [ "$1" != Z ] || continue
`.replaceAll("$\\{", "${");

/** Signals the group of a command, if it is still one of the pane's session and not the shell's own. */
export function signalGroupScript(signal: "TERM" | "KILL", shellPid: number, group: number): string {
  return `sid=${shellPid}; ${MEMBERS}
  if [ "$3" = ${group} ] && [ "$3" != "$sid" ]; then kill -CONT -${group} 2>/dev/null; kill -${signal} -${group}; exit; fi
done 2>/dev/null; exit 1`;
}

/** Ends all that runs in the panes with these shells: HUP and TERM, 2 s, KILL. Prints what is left. */
export function endPanesScript(shellPids: readonly number[]): string {
  return `each() { for sid in ${shellPids.join(" ")}; do ${MEMBERS} found=$((found + 1)); [ -z "$signal" ] || kill -$signal $p
  done; done 2>/dev/null; }
count() { found=0; signal=$1; each; [ $found -gt 0 ]; }
count TERM; count HUP; n=0
while count "" && [ $n -lt 40 ]; do n=$((n + 1)); sleep 0.05 2>/dev/null || sleep 1; done
count KILL; exit 0`;
}
