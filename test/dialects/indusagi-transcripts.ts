/** Golden transcripts: calls of this dialect and exactly what they come to, as plain data that any player can replay. */

import { DIRECTORY_TRANSCRIPTS } from "./transcripts/directory-transcripts.js";
import { EDIT_TRANSCRIPTS } from "./transcripts/edit-transcripts.js";
import { FILE_TRANSCRIPTS } from "./transcripts/file-transcripts.js";
import { PYTHON_TRANSCRIPTS } from "./transcripts/python-transcripts.js";
import { SEARCH_TRANSCRIPTS } from "./transcripts/search-transcripts.js";
import { SHELL_TRANSCRIPTS } from "./transcripts/shell-transcripts.js";
import { TODO_TRANSCRIPTS } from "./transcripts/todo-transcripts.js";
import type { Transcript } from "./transcripts/transcript-shape.js";

/** All of them; those of the Python edition say so. Replay each in a session of its own, on any backend with a POSIX shell. */
export const INDUSAGI_TRANSCRIPTS: readonly Transcript[] = [
  ...FILE_TRANSCRIPTS,
  ...EDIT_TRANSCRIPTS,
  ...DIRECTORY_TRANSCRIPTS,
  ...SEARCH_TRANSCRIPTS,
  ...SHELL_TRANSCRIPTS,
  ...TODO_TRANSCRIPTS,
  ...PYTHON_TRANSCRIPTS,
];
