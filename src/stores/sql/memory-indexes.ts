/** The index of memories that each engine has. */
import { fullText } from "./memory-full-text.js";
import type { MemoryIndex } from "./memory-index.js";
import { postings } from "./memory-postings.js";
import type { Sql } from "./sql.js";

export const MEMORY_INDEXES: Readonly<Record<Sql["engine"], MemoryIndex>> = { sqlite: fullText, postgres: postings };
