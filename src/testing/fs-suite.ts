import type { Fixture } from "./fixture.js";
import { fsFolders } from "./fs/folders.js";
import { fsGuard } from "./fs/guard.js";
import { fsLinks } from "./fs/links.js";
import { fsNames } from "./fs/names.js";
import { fsReading } from "./fs/reading.js";
import { fsTelling } from "./fs/telling.js";
import { fsWriting } from "./fs/writing.js";
import type { Suite } from "./plan.js";

/** What every `Fs` promises: reading, writing, folders, names, what is told, links, and that it never leaves its grant. */
export const fsSuite: Suite<Fixture> = [
  ...fsReading,
  ...fsWriting,
  ...fsFolders,
  ...fsNames,
  ...fsTelling,
  ...fsLinks,
  ...fsGuard,
];
