import type { Fixture } from "./fixture.js";
import { fsDirectories } from "./fs/directories.js";
import { fsErrorMessages } from "./fs/error-messages.js";
import { fsGuard } from "./fs/guard.js";
import { fsNames } from "./fs/names.js";
import { fsReading } from "./fs/reading.js";
import { fsSymlinks } from "./fs/symlinks.js";
import { fsWriting } from "./fs/writing.js";
import type { Suite } from "./plan.js";

/** What every `Fs` guarantees: reading, writing, directories, names, error messages, symlinks, and that it never leaves its grant. */
export const fsSuite: Suite<Fixture> = [
  ...fsReading,
  ...fsWriting,
  ...fsDirectories,
  ...fsNames,
  ...fsErrorMessages,
  ...fsSymlinks,
  ...fsGuard,
];
