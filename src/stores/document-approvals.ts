/** Approvals kept as documents, for every store whose documents are updated in one step. */
import {
  type ApprovalDecision,
  type ApprovalScope,
  type Approvals,
  type ApprovedCall,
  type Documents,
  HaftError,
  isDocumentKey,
  isRecord,
  type Json,
  type StoredApproval,
  type TakenApproval,
} from "../kernel/index.js";

/** The most requests that are stored at once. */
export const MAX_STORED_APPROVALS = 1_000;
/** The most requests that are stored for one session, so that no session takes the place of all others. */
export const MAX_SESSION_APPROVALS = 50;
/** A request expires when it was not used for this long. */
export const APPROVAL_EXPIRES_MS = 7 * 24 * 60 * 60 * 1000;
/** The most keys that are remembered for one session or project. */
export const MAX_REMEMBERED_KEYS = 1_000;

/** Documents that can be counted without reading them. What is not a document may be counted too. */
export interface CountedDocuments extends Documents {
  count(): Promise<number>;
}

/** Where approvals are stored. */
export interface ApprovalPlaces {
  /** One document for each stored request, by its token. */
  readonly requests: CountedDocuments;
  /** The document with the keys that are remembered for a session or a project. */
  remembered(scope: ApprovalScope): { readonly documents: Documents; readonly key: string };
  /** Milliseconds since the epoch. */
  now(): number | Promise<number>;
}

interface RememberedKey {
  readonly key: string;
  readonly by: string;
  readonly sinceMs: number;
}

/** The approvals in these documents. */
export function documentApprovals({ requests, remembered, now }: ApprovalPlaces): Approvals {
  // A time far in the future would never pass.
  const expiry = async () => {
    const nowMs = await now();
    return ({ createdMs }: StoredApproval) => Math.abs(nowMs - createdMs) > APPROVAL_EXPIRES_MS;
  };

  return {
    async add({ request, call }) {
      const isExpired = await expiry();
      // Below the smaller limit nothing has to be read.
      if ((await requests.count()) >= MAX_SESSION_APPROVALS) await makeRoomFor(call.session, requests, isExpired);
      const one: StoredApproval = { request, call, createdMs: await now() };
      await requests.update(request.token, (old) => {
        const before = asApproval(request.token, old);
        if (old === undefined || (before !== undefined && isExpired(before))) return asJson(one);
        throw new HaftError("STORE_CONFLICT", "Did not store the request for approval: its token is in use.");
      });
    },

    async get(token) {
      if (!isDocumentKey(token)) return undefined;
      const isExpired = await expiry();
      const one = asApproval(token, (await requests.get(token))?.value);
      return one === undefined || isExpired(one) ? undefined : one;
    },

    async decide(token, decision) {
      const checked = checkedDecision(decision);
      if (!isDocumentKey(token)) return false;
      const isExpired = await expiry();
      let holds = false;
      await requests.update(token, (old) => {
        const one = asApproval(token, old);
        holds = one !== undefined && !isExpired(one) && mayDecide(one, checked);
        return one !== undefined && holds ? asJson({ ...one, decision: checked }) : old;
      });
      return holds;
    },

    async list({ session, pending } = {}) {
      const isExpired = await expiry();
      const found = (await storedIn(requests)).filter(
        (one) =>
          !isExpired(one) &&
          (session === undefined || one.call.session === session) &&
          (pending === undefined || pending === (one.decision === undefined)),
      );
      return found.sort((one, other) => one.createdMs - other.createdMs);
    },

    async take(token, call) {
      let taken: TakenApproval = { state: "unknown" };
      if (!isDocumentKey(token) || (await requests.get(token)) === undefined) return taken;
      const isExpired = await expiry();
      await requests.update(token, (old) => {
        const one = asApproval(token, old);
        taken = one === undefined || isExpired(one) ? { state: "unknown" } : takenBy(one, call);
        return taken.state === "granted" || taken.state === "denied" ? undefined : old;
      });
      return taken;
    },

    ...rememberedApprovals({ remembered, now }),
  };
}

async function storedIn(requests: Documents): Promise<readonly StoredApproval[]> {
  const found: StoredApproval[] = [];
  for await (const { key, value } of requests.list()) {
    const one = asApproval(key, value);
    if (one !== undefined) found.push(one);
  }
  return found;
}

/** Deletes expired requests. @throws `STORE_CONFLICT` where no further one of the session fits. */
async function makeRoomFor(
  session: string,
  requests: Documents,
  isExpired: (one: StoredApproval) => boolean,
): Promise<void> {
  const all = await storedIn(requests);
  for (const { request } of all.filter(isExpired)) {
    await requests.update(request.token, (old) => {
      const one = asApproval(request.token, old);
      return one !== undefined && isExpired(one) ? undefined : old;
    });
  }
  const left = all.filter((one) => !isExpired(one));
  const isFull = left.length >= MAX_STORED_APPROVALS;
  if (!isFull && left.filter((one) => one.call.session === session).length < MAX_SESSION_APPROVALS) return;
  const many = isFull ? `${MAX_STORED_APPROVALS}` : `${MAX_SESSION_APPROVALS} of this session`;
  throw new HaftError(
    "STORE_CONFLICT",
    `Did not store the request for approval: ${many} are stored already. Decide on them, or send the approved calls.`,
  );
}

function rememberedApprovals({
  remembered,
  now,
}: Omit<ApprovalPlaces, "requests">): Pick<Approvals, "remember" | "remembered"> {
  return {
    async remember(scope, keys, by) {
      if (keys.length === 0) return;
      const { documents, key } = remembered(scope);
      const sinceMs = await now();
      await documents.update(key, (old) => {
        const before = asRemembered(old).filter((one) => !keys.includes(one.key));
        const added = keys.map((one) => ({ key: one, by, sinceMs }));
        return [...before, ...added].slice(-MAX_REMEMBERED_KEYS);
      });
    },

    async remembered({ project, ...session }, keys) {
      if (keys.length === 0) return false;
      const known = new Set<string>();
      for (const scope of [session, { project }]) {
        const { documents, key } = remembered(scope);
        for (const one of asRemembered((await documents.get(key))?.value)) known.add(one.key);
      }
      return keys.every((key) => known.has(key));
    },
  };
}

function checkedDecision(decision: ApprovalDecision): ApprovalDecision {
  const { granted, denied, scope } = decision as Readonly<Record<string, unknown>>;
  // Where both are given, the denial counts.
  if (typeof denied === "string") return { denied };
  if (denied === undefined && typeof granted === "string") {
    if (scope === undefined) return { granted };
    if (isScope(scope)) return { granted, scope };
  }
  throw new HaftError(
    "STORE_INVALID",
    'Did not decide on the request: pass `granted` with who allowed it, or `denied` with the reason, as a string; `scope` is "session" or "project".',
    { details: { key: "decision", why: "it has neither `granted` nor `denied` as a string, or another `scope`" } },
  );
}

function isScope(value: unknown): value is "session" | "project" {
  return value === "session" || value === "project";
}

function mayDecide({ decision }: StoredApproval, next: ApprovalDecision): boolean {
  return decision === undefined || ("granted" in decision && "denied" in next);
}

function takenBy(one: StoredApproval, call: ApprovedCall): TakenApproval {
  const { tool, session, digest, touches } = one.call;
  if (tool !== call.tool || session !== call.session || digest !== call.digest) return { state: "different-call" };
  if (touches !== call.touches) return { state: "different-place" };
  if (one.decision === undefined) return { state: "pending", request: one.request };
  if ("denied" in one.decision) return { state: "denied", reason: one.decision.denied };
  const { granted, scope } = one.decision;
  return { state: "granted", by: granted, ...(scope === undefined ? {} : { scope }) };
}

/** Undefined for a document that is not a whole approval, or not in its own place: it grants nothing. */
function asApproval(key: string, value: Json | undefined): StoredApproval | undefined {
  const one: unknown = value;
  if (!isRecord(one) || !isRecord(one.request) || !isRecord(one.call) || typeof one.createdMs !== "number")
    return undefined;
  const { decision, request, call } = one;
  if (request.token !== key) return undefined;
  if (![call.tool, call.session, call.digest, call.touches].every((text) => typeof text === "string")) return undefined;
  if (decision === undefined) return one as unknown as StoredApproval;
  if (!isRecord(decision) || typeof (decision.denied ?? decision.granted) !== "string") return undefined;
  if (decision.scope !== undefined && !isScope(decision.scope)) return undefined;
  return one as unknown as StoredApproval;
}

function asRemembered(value: Json | undefined): readonly (RememberedKey & Readonly<Record<string, Json>>)[] {
  const list: readonly unknown[] = Array.isArray(value) ? value : [];
  return list.filter(
    (one): one is RememberedKey & Readonly<Record<string, Json>> => isRecord(one) && typeof one.key === "string",
  );
}

/** A request is data from its making on; what JSON cannot hold of it is refused when it is stored. */
function asJson(one: StoredApproval): Json {
  return one as unknown as Json;
}
