import { expect, it } from "vitest";
import { buddyDialect, haftDialect, indusagiDialect, zeroclawDialect } from "../../src/dialects/index.js";
import {
  BASH_LIMITS,
  DELETE_LIMITS,
  EDIT_LIMITS,
  FIND_LIMITS,
  GREP_LIMITS,
  LS_LIMITS,
  MOVE_LIMITS,
  READ_LIMITS,
  WRITE_LIMITS,
} from "../../src/tools/index.js";

/** A tool without a dialect and the default dialect promise the same; they stand in rooms that may not import each other. */
it.each(
  Object.entries({
    read: READ_LIMITS,
    write: WRITE_LIMITS,
    edit: EDIT_LIMITS,
    move: MOVE_LIMITS,
    delete: DELETE_LIMITS,
    ls: LS_LIMITS,
    grep: GREP_LIMITS,
    find: FIND_LIMITS,
    bash: BASH_LIMITS,
  }),
)("the default dialect gives %s the limits of the tool itself", (name, limits) => {
  const face = haftDialect.tools[name];
  expect({ ...limits, ...(face?.limits as object) }).toEqual(limits);
  expect(face).toBeDefined();
});

it("the dialects of other systems show a notebook as the JSON that it is, and no copy of an image or text of a PDF", () => {
  const faces = [indusagiDialect.tools.read, zeroclawDialect.tools.read, buddyDialect.tools.read];
  for (const face of faces) expect(face?.limits).toMatchObject({ notebooks: false, media: false });
});
