/** The page of the attempts. */
import type { Attempt } from "./attempts.js";

const INTRO = `# What a supervised session stops

Each row is an attempt to write outside of the workspace, to read a secret or to run a program that no user has approved, in a
session at the default level, \`supervised\`. A test plays every one with bash and with \`sh\`, and checks that nothing of it happened. "refused" is
denied without a question; "asked" runs only if a user approves; "harmless" runs and has no such effect;
"rejected" is not a valid call.

[What may run without asking](../guide/policy.md) says what the policy does not do.
`;

const ENDS: Readonly<Record<Attempt["ends"], string>> = {
  denied: "refused",
  asked: "asked",
  harmless: "harmless",
  invalid: "rejected",
};

export function policyLimits(attempts: readonly Attempt[]): string {
  const kinds = [...new Set(attempts.map(({ kind }) => kind))];
  const sections = kinds.map((kind) => {
    const rows = attempts.filter((one) => one.kind === kind);
    return [
      `## ${kind}`,
      "",
      "| attempt | last step | result |",
      "| --- | --- | --- |",
      ...rows.map((one) => `| ${one.what} | ${shown(one)} | ${ENDS[one.ends]} |`),
    ].join("\n");
  });
  return `${[INTRO, ...sections.map((one) => `${one}\n`)].join("\n")}`;
}

function shown({ steps }: Attempt): string {
  const last = steps.at(-1)!;
  const text = typeof last === "string" ? last : `${last[0]} ${JSON.stringify(last[1])}`;
  const safe = text.replaceAll("\n", "⏎").replaceAll("|", "\\|");
  return safe.includes("`") ? `\`\` ${safe} \`\`` : `\`${safe}\``;
}
