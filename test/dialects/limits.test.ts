import { expect, it } from "vitest";
import { buddyDialect, indusagiDialect, zeroclawDialect } from "../../src/dialects/index.js";

it("the dialects of other systems show a notebook as the JSON that it is, and no copy of an image or text of a PDF", () => {
  const presenters = [indusagiDialect.tools.read, zeroclawDialect.tools.read, buddyDialect.tools.read];
  for (const presenter of presenters) expect(presenter?.limits).toMatchObject({ notebooks: false, media: false });
});
