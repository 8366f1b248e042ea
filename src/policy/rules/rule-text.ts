/** The text of a rule, as it stands on a command line, in a configuration and in messages. */
import { HaftError } from "../../kernel/index.js";
import { type PolicyRule, RULE_EFFECTS, type RuleEffect } from "./policy-rule.js";

/** What a rule is about. */
export type RuleSubject = Pick<PolicyRule, "tool" | "command" | "path" | "host" | "access">;

/** `npm test *`, `tool:NAME`, `path:GLOB`, `read path:GLOB`, `write path:GLOB`, `host:NAME`. @throws `CONFIG_INVALID` */
export function parseSubject(text: string): RuleSubject {
  const trimmed = text.trim();
  const [, access, kind, rest = ""] = /^(?:(read|write)\s+)?(tool|path|host):\s*(.*)$/s.exec(trimmed) ?? [];
  if (kind === undefined) return { command: trimmed };
  if (access !== undefined && kind !== "path") throw invalidRule(text, `"${access}" goes with path: only`);
  return { [kind]: rest, ...(access === undefined ? {} : { access: access as "read" | "write" }) };
}

/**
 * The problem of a command that is a mistyped rule about something else: as a command it would be about a program that does not exist,
 * and a deny would deny nothing. Undefined for a command; one in quotes is a command.
 */
export function commandMistake(effect: string, command: string): string | undefined {
  const [, access, path = ""] = /^(read|write)(?:\s*:\s*|\s+)(?!-)(\S+)$/.exec(command) ?? [];
  if (access !== undefined && (command.startsWith(`${access}:`) || /[/.~*:]/.test(path)))
    return `for a path write "${effect} ${access} path:${path.replace(/^\w*:/, "")}"`;
  const [, prefix] = /^([\w.+-]+:)/.exec(command) ?? [];
  if (prefix === undefined) return undefined;
  return `"${prefix}" is none of path:, read path:, write path:, host: and tool:. Put the name of a program in quotes`;
}

/** A rule with its effect first: "deny path:infra/**". @throws `CONFIG_INVALID` */
export function parseRule(text: string): PolicyRule {
  const [, effect, rest = ""] = /^\s*(\S+)(?:\s+(.*))?$/s.exec(text) ?? [];
  if (!RULE_EFFECTS.includes(effect as RuleEffect))
    throw invalidRule(text, 'it begins with allow, ask or deny: "allow npm test"');
  return { effect: effect as RuleEffect, ...parseSubject(rest) };
}

/** The subject as `parseSubject` reads it. */
export function subjectText({ tool, command, path, host, access }: RuleSubject): string {
  if (tool !== undefined) return `tool:${tool}`;
  if (host !== undefined) return `host:${host}`;
  if (path !== undefined) return `${access === undefined ? "" : `${access} `}path:${path}`;
  return command ?? "";
}

export function ruleText(rule: PolicyRule): string {
  return `${rule.effect} ${subjectText(rule)}`;
}

export function invalidRule(text: string, why: string): HaftError {
  return new HaftError("CONFIG_INVALID", `The rule "${text}" is invalid: ${why}${why.endsWith("?") ? "" : "."}`, {
    details: { rule: text },
  });
}
