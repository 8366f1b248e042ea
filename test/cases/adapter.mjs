/**
 * Joins the runner of a cases directory to the built product, through its public library.
 *
 * A case that gives no word about the read gate runs with the gate off, because the cases state what happens without one;
 * everything else is the product's default in full autonomy.
 */
import { accessSync, chmodSync, constants, mkdtempSync, rmdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createToolkit, denyByDefaultPolicy } from "../../dist/index.js";

/** The case's name of a tool → the product's name, and its arguments → the product's. */
const TOOLS = {
  read: same("read"),
  write: same("write"),
  edit: same("edit"),
  bash: same("bash"),
  ls: same("ls"),
  grep: { name: "grep", input: grepInput },
  find: same("find"),
  process: same("process"),
  todo_set: same("todo_set"),
};

/** Words of a case's policy that this build can follow, each with the values that it can follow. */
const POLICY_WORDS = {
  readGate: () => true,
  workspaceOnly: () => true,
  autonomy: (value) => value === "full",
};

export async function openSession({ workspace, home, policy }) {
  const toolkit = await createToolkit({
    workspace,
    stateDir: join(home, ".local", "state", "haft"),
    gate: policy.readGate ? "on" : "off",
    ...(policy.workspaceOnly ? { policy: denyByDefaultPolicy({ roots: [workspace], commands: true }) } : {}),
  });
  const box = toolkit.box();
  let calls = 0;
  return {
    async call(tool, input, { signal }) {
      const { name, input: translate } = TOOLS[tool];
      const outcome = await box.runner.run({ id: `call-${++calls}`, name, input: translate(input) }, { signal });
      const text = outcome.content
        .map((block) => (block.kind === "text" ? block.text : JSON.stringify(block.value)))
        .join("\n");
      return { isError: outcome.isError, text, data: { id: outcome.structured?.job?.id } };
    },
    close: () => toolkit.close(),
  };
}

/** True, or why this build cannot play the case. */
export function supports(item) {
  const steps = Array.isArray(item.input) ? item.input : [item];
  const missing = steps.map((step) => step.tool).find((tool) => tool !== undefined && !(tool in TOOLS));
  if (missing === "policy" || missing === "approval") return "this build judges no commands yet";
  if (missing !== undefined) return `this build has no tool "${missing}"`;
  for (const [word, value] of Object.entries(item.policy ?? {})) {
    if (word === "approver" && value === "none") continue;
    if (!POLICY_WORDS[word]?.(value)) return `this build has no policy for ${word}: ${JSON.stringify(value)}`;
  }
  if (item.needs === "non-root") return modesBind() || "permissions do not bind this user";
  return item.needs === undefined ? true : `needs ${item.needs}`;
}

function same(name) {
  return { name, input: (input) => input };
}

/** The cases write flags as letters; the product has a parameter for each that changes what is found. */
function grepInput({ flags = "", ...input }) {
  return {
    ...input,
    ...(flags.includes("i") ? { ignoreCase: true } : {}),
    ...(flags.includes("m") || flags.includes("s") ? { multiline: true } : {}),
  };
}

/** Whether a folder without permissions keeps this process out: not so for root with all its capabilities. */
function modesBind() {
  const folder = mkdtempSync(join(tmpdir(), "modes-"));
  try {
    chmodSync(folder, 0o000);
    accessSync(folder, constants.R_OK);
    return false;
  } catch {
    return true;
  } finally {
    rmdirSync(folder);
  }
}
