/** Why a file operation failed, as the operating system of the imitated systems reports it. */
import { entryOf, type Failure } from "./failure.js";

export function systemReason(failure: Failure): string {
  return entryOf(REASONS, failure.code) ?? failure.message;
}

const REASONS: Readonly<Record<string, string>> = {
  FS_NOT_FOUND: "No such file or directory (os error 2)",
  FS_PERMISSION: "Permission denied (os error 13)",
  FS_EXISTS: "File exists (os error 17)",
  FS_NOT_A_DIRECTORY: "Not a directory (os error 20)",
  FS_NO_SPACE: "No space left on device (os error 28)",
  FS_CROSS_DEVICE: "Invalid cross-device link (os error 18)",
  FS_READ_ONLY: "Read-only file system (os error 30)",
  FS_LINK_LOOP: "Too many levels of symbolic links (os error 40)",
  FS_NOT_TEXT: "stream did not contain valid UTF-8",
};
