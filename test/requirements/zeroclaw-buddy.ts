/** What Haft promises to hosts and models that know ZeroClaw and buddy: so far the texts of three tools each. */
import type { RequirementRow } from "../requirements.js";

export const ZEROCLAW_BUDDY: readonly RequirementRow[] = [
  ["ZC-002", "contract", "a result is success, output and error, nothing else"],
  ["ZC-012", "shell", "one minute, and a mebibyte of each stream, cut between characters"],
  ["ZC-013", "shell", "one stream stands alone, two under their names"],
  ["ZC-014", "shell", "success is exit 0; the error names the code"],
  ["ZC-015", "shell", "a command that could not start has its own text"],
  ["ZC-023", "file_read", "each refusal has its own text"],
  ["ZC-024", "file_read", "a file comes whole and without numbers"],
  ["ZC-028", "file_write", "writing has its own texts and makes folders"],
  ["BD-003", "contract", "bad arguments and failed runs are told apart by their first words"],
  ["BD-018", "run_shell", "exit code first, then both streams, empty ones too"],
  ["BD-019", "run_shell", "each stream is cut at 4,000 with a mark at its end"],
  ["BD-020", "run_shell", "the 4,000 are characters"],
  ["BD-021", "run_shell", "a failed command is a plain result"],
  ["BD-029", "read_file", "a file comes whole up to 8,000 characters"],
  ["BD-032", "write_file", "success names the bytes and the path"],
];
