/** The memories that one call may use: those of its owner, without secrets, with embeddings where the host makes them. */
import type { Embed } from "./context.js";
import { messageOf } from "./errors.js";
import type { Memories, MemoryContent, MemoryQuery } from "./memories.js";
import { redactText } from "./redact-text.js";
import type { Clock, Redactor } from "./services.js";
import type { CallMemories } from "./state.js";
import { withTimeout } from "./with-timeout.js";

const EMBED_TIMEOUT_MS = 10_000;
const MAX_DIMENSIONS = 8_192;

/** Where the memories of an owner are. No owner has a name that leads to those of sessions without one. */
export function memoryNamespace(owner: string | undefined): string {
  return owner === undefined ? "default" : `owner:${owner}`;
}

export interface MemoryBinding {
  /** @throws where the call has not claimed it. */
  open(access: "read" | "write"): Memories;
  /** @throws once the call has ended. */
  requireLife(): void;
  readonly session: string;
  readonly clock: Pick<Clock, "timer">;
  readonly redactor?: Redactor;
  readonly embed?: Embed;
}

/** A content without secrets, as it is stored. */
export function redactedMemory(redactor: Redactor | undefined, content: MemoryContent): MemoryContent {
  const redacted = (text: string) => redactText(redactor, text);
  const { key, category, tags } = content;
  const clean = { key: redacted(key), category: redacted(category), content: redacted(content.content) };
  return { ...content, ...clean, ...(tags === undefined ? {} : { tags: tags.map(redacted) }) };
}

export function boundMemories({ open, requireLife, session, clock, redactor, embed }: MemoryBinding): CallMemories {
  let problem: string | undefined;
  const redacted = (text: string) => redactText(redactor, text);

  /** What is stored has no secrets, so it is found without them. */
  function redactedFilter({ category, tags }: Pick<MemoryQuery, "category" | "tags">) {
    return {
      ...(category === undefined ? {} : { category: redacted(category) }),
      ...(tags === undefined ? {} : { tags: tags.map(redacted) }),
    };
  }

  async function embedding(text: string): Promise<{ readonly vector?: readonly number[] }> {
    if (embed === undefined) return {};
    try {
      const late = (): never => {
        throw new Error(`no answer within ${EMBED_TIMEOUT_MS} ms`);
      };
      const [vector] = await withTimeout({ clock, ms: EMBED_TIMEOUT_MS }, () => embed([text]), late);
      if (!isVector(vector))
        throw new Error(`it returned something else than a list of 1 to ${MAX_DIMENSIONS} numbers`);
      return { vector };
    } catch (thrown) {
      problem = messageOf(thrown).replace(/\.$/, "");
      return {};
    }
  }

  return Object.freeze<CallMemories>({
    get embeddingProblem() {
      return problem;
    },
    async store(content: MemoryContent) {
      const memories = open("write");
      const { storedMs: _, ...given } = content;
      const clean = redactedMemory(redactor, given);
      const vector = await embedding(`${clean.key}\n${clean.content}`);
      requireLife();
      return memories.store({ ...clean, ...vector, session });
    },
    get: async (key) => open("read").get(redacted(key)),
    history: async (key) => open("read").history(redacted(key)),
    forget: async (key) => open("write").forget(redacted(key)),
    async recall(query: MemoryQuery) {
      const memories = open("read");
      const { text = "" } = query;
      const vector = text.trim() === "" ? {} : await embedding(redacted(text));
      requireLife();
      return memories.recall({ ...query, ...redactedFilter(query), ...vector });
    },
    async *list(filter) {
      for await (const one of open("read").list(filter && { ...filter, ...redactedFilter(filter) })) {
        requireLife();
        yield one;
      }
    },
    purge: async (which) => open("write").purge(which),
  });
}

function isVector(vector: unknown): vector is readonly number[] {
  if (!Array.isArray(vector) || vector.length < 1 || vector.length > MAX_DIMENSIONS) return false;
  return vector.every((one) => typeof one === "number" && Number.isFinite(one));
}
