import type { Suite } from "./plan.js";
import { stateApprovals } from "./state/approvals.js";
import { stateDocuments } from "./state/documents.js";
import { stateSessions } from "./state/sessions.js";
import type { StateFixture } from "./state/state-fixture.js";

/** What every `State` guarantees: exact documents and atomic updates, sessions that end, approvals that are used once. */
export const stateSuite: Suite<StateFixture> = [...stateDocuments, ...stateSessions, ...stateApprovals];
