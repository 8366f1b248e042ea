/** Any texts and counts, those that are difficult to show among them. */
import { fc } from "../testing/property.fixture.js";

const LINE_ENDINGS = ["\n", "\r\n", "\r"];
const CONTROLS = ["\x1b[31m", "\u202e", "\ufeff", "\ud800", "\0"];
const sign = fc.constantFrom("a", "é", "😀", "$&", "`", ...LINE_ENDINGS, ...CONTROLS);
/** Text with all difficult characters: control characters, lone surrogates, line endings of each kind, BOMs. */
export const text = fc.oneof(
  fc.string({ unit: "binary", maxLength: 60 }),
  fc.array(sign, { maxLength: 60 }).map((parts) => parts.join("")),
);
export const count = fc.integer({ min: -3, max: 100_000 });
