import type { PolicyCall } from "../kernel/index.js";

/** A supervised call of `bash` in a workspace on this machine, as a policy gets it. */
export const POLICY_CALL: PolicyCall = {
  callId: "c1",
  tool: "bash",
  effect: "write",
  target: "local",
  sessionId: "s",
  cwd: "/ws",
  workspace: "/ws",
  home: "/home/u",
  autonomy: "supervised",
  sandboxed: false,
  taint: [],
};
