/** Reports input as data: what was accepted, what of that is buffered, and where the rest begins. */
import type { InputAccepted } from "../../kernel/index.js";
import type { ProcessData } from "./contract.js";

/** Characters that show where the rest begins. */
const FROM_CHARACTERS = 40;
/** Bytes of one character in UTF-8. */
const MAX_CHARACTER_BYTES = 4;

export function inputData(
  input: Uint8Array,
  { acceptedBytes: takenBytes, waitingBytes, isClosed }: InputAccepted,
): Pick<ProcessData, "wroteBytes" | "waitingBytes" | "unwritten"> {
  const rest = input.subarray(takenBytes);
  return {
    wroteBytes: takenBytes,
    ...(waitingBytes === 0 ? {} : { waitingBytes }),
    ...(rest.length === 0
      ? {}
      : { unwritten: { bytes: rest.length, from: beginningOf(rest), why: isClosed ? "closed" : "full" } }),
  };
}

function beginningOf(rest: Uint8Array): string {
  const text = new TextDecoder().decode(rest.subarray(0, FROM_CHARACTERS * MAX_CHARACTER_BYTES));
  return [...text].slice(0, FROM_CHARACTERS).join("");
}
