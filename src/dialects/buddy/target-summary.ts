/**
 * A target in buddy's words: `local`, `local (tmux:S)`, `container:C (via docker)`, `ssh:T (tmux:S)`.
 *
 * @param target - Such as "container:web+tmux=main".
 * @param engine - That of a `container:` target. Default "docker".
 */
export function buddyTargetSummary(target: string, engine: "docker" | "podman" = "docker"): string {
  const [, machine = "", session] = /^(.*?)(?:\+tmux(?:=([^,]*))?(?:,.*)?)?$/s.exec(target) ?? [];
  const hasTerminal = machine !== target;
  const [, kind = "", name = ""] = /^(container|docker|podman):(.*)$/s.exec(machine) ?? [];
  const via = kind === "" ? [] : [`via ${kind === "container" ? engine : kind}`];
  const facts = [...via, ...(hasTerminal ? [`tmux:${session ?? "default"}`] : [])];
  return `${kind === "" ? machine : `container:${name}`}${facts.length === 0 ? "" : ` (${facts.join(", ")})`}`;
}
