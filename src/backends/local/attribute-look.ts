/**
 * Whether a file has an access control list or extended attributes, or its folder has, from which a new file would get some.
 * Node cannot see them; the heads of an archive tell them.
 */
import { runAttributeTool } from "./attribute-tool.js";

const BLOCK_BYTES = 512;
/** More than the heads of both take without attributes. */
const HEAD_BYTES = 8 * BLOCK_BYTES;
const OPTIONS = ["--create", "--format=posix", "--xattrs", "--xattrs-include=*", "--acls", "--selinux"];
const OF_BOTH = [
  "--absolute-names",
  "--dereference",
  "--no-recursion",
  "--file=-",
  "--",
  "/proc/self/fd/3",
  "/proc/self/fd/4",
];
/** What an archive calls a folder and a file. */
const KINDS = ["5", "0"];
/** What is told of a file without attributes. */
const TIME = /^\d+ (?:atime|ctime|mtime)=[\d.]+$/;
/** What a `tar` says that does not know an option, or was built without what it needs for one. */
const NOT_ABLE = /(?:unrecognized|unknown|illegal|invalid) option|\boption\b.* not supported|support is not available/i;

/** "unknown": this time nothing could be told. "never": nor will it be, for there is no `tar` that can. */
export type AttributeLook = "none" | "some" | "unknown" | "never";

/** Takes about as long as starting a process. Reads no more of the file than fits into a pipe. */
export async function lookForAttributes(folder: number, file: number): Promise<AttributeLook> {
  let head = Buffer.alloc(0);
  const ran = await runAttributeTool({
    program: "tar",
    options: [...OPTIONS, ...OF_BOTH],
    descriptors: [folder, file],
    onOutput(chunk, kill) {
      if (head.length < HEAD_BYTES) head = Buffer.concat([head, chunk]);
      // Killed, since with its output closed it would complain, and what it says of the file could not be told from that.
      if (head.length >= HEAD_BYTES) kill();
    },
  });
  if (typeof ran === "string") return ran === "absent" ? "never" : "unknown";
  if (ran.said !== "") return NOT_ABLE.test(ran.said) ? "never" : "unknown";
  // One that was ended before it had told all, by its limit or by somebody else, may tell it the next time.
  return head.length < HEAD_BYTES ? "unknown" : lookOf(head);
}

/**
 * Before each member comes a head of the kind "x": its size in octal digits, then, in blocks of its own, a line for each
 * fact.
 */
function lookOf(archive: Buffer): AttributeLook {
  const text = archive.toString("latin1");
  const kindAt = (at: number) => (text.slice(at + 257, at + 262) === "ustar" ? text[at + 156] : undefined);
  let at = 0;
  for (const kind of KINDS) {
    const size = Number.parseInt(text.slice(at + 124, at + 136), 8);
    if (kindAt(at) !== "x" || !(size > 0)) return "unknown";
    at += BLOCK_BYTES;
    const facts = text
      .slice(at, at + size)
      .trimEnd()
      .split("\n");
    if (!facts.every((fact) => TIME.test(fact))) return "some";
    at += Math.ceil(size / BLOCK_BYTES) * BLOCK_BYTES;
    if (kindAt(at) !== kind) return "unknown";
    at += BLOCK_BYTES;
  }
  return "none";
}
