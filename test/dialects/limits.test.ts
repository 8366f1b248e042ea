import { expect, it } from "vitest";
import { buddyDialect, indusagiDialect, zeroclawDialect } from "../../src/dialects/index.js";

it("the dialects of other systems show a notebook as the JSON that it is, and no copy of an image or text of a PDF", () => {
  const faces = [indusagiDialect.tools.read, zeroclawDialect.tools.read, buddyDialect.tools.read];
  for (const face of faces) expect(face?.limits).toMatchObject({ notebooks: false, media: false });
});
