/** Toolkits on one state directory, with a policy that asks and an approver that gives one answer. */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach } from "vitest";
import type { Approval, ApprovalRequest, Policy } from "../kernel/index.js";
import { allowAllPolicy } from "../policy/index.js";
import { createToolkit, type Toolkit, type ToolkitOptions, type ToolkitSession } from "./index.js";

const allowAll = allowAllPolicy();
/** Asks about everything that changes something. */
export const asksBeforeChanges: Policy = {
  name: "ask-before-changes",
  decide(claims, call) {
    const decision = allowAll.decide(claims, call);
    if (decision.effect !== "allow" || call.effect !== "write") return decision;
    return { ...decision, effect: "ask", rule: "changes", reason: "It changes something.", remember: [call.tool] };
  },
};

export interface ApprovalsBench {
  /** The directory of the test: workspaces `ws` and `other`, and `state`. */
  readonly root: string;
  /** What the approver was asked, in order. */
  readonly shown: readonly ApprovalRequest[];
  /** A toolkit in `ws`, closed after the test. */
  open(answer: Approval, more?: Partial<ToolkitOptions>): Promise<Toolkit>;
}

export function approvalsBench(): ApprovalsBench {
  let root = "";
  let shown: ApprovalRequest[] = [];
  let toolkits: Toolkit[] = [];
  beforeEach(() => {
    root = realpathSync(mkdtempSync(join(tmpdir(), "haft-approvals-")));
    for (const name of ["ws", "other"]) mkdirSync(join(root, name));
    shown = [];
    toolkits = [];
  });
  afterEach(async () => {
    await Promise.all(toolkits.map((toolkit) => toolkit.close()));
    rmSync(root, { recursive: true, force: true });
  });
  return {
    get root() {
      return root;
    },
    get shown() {
      return shown;
    },
    async open(answer, more = {}) {
      const approver = {
        async ask(request: ApprovalRequest) {
          shown.push(request);
          return answer;
        },
      };
      const places = { workspace: join(root, "ws"), stateDir: join(root, "state") };
      const toolkit = await createToolkit({ ...places, policy: asksBeforeChanges, approver, ...more });
      toolkits.push(toolkit);
      return toolkit;
    },
  };
}

export const run = (from: Toolkit | ToolkitSession, name: string, input: object, resume?: string) =>
  from.box().runner.run({ id: "c", name, input, ...(resume === undefined ? {} : { resume }) });

/** Input of `write`. */
export const write = { path: "a.txt", content: "new\n" };

/** The bytes of all files in a directory, those of the database among them. */
export function filesIn(directory: string): string {
  const files = readdirSync(directory, { withFileTypes: true }).filter((one) => one.isFile());
  return files.map(({ name }) => readFileSync(join(directory, name), "latin1")).join("");
}
