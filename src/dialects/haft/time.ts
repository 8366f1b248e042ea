import type { ToolPresenter } from "../../kernel/index.js";
import { showControls } from "../../text/index.js";
import type { TimeData, TimeInput } from "../../tools/time/contract.js";
import { asInput } from "../arguments.js";
import { textResult } from "../rendering.js";
import { renderHaftFailure } from "./failure-text.js";
import { withNotes } from "./notes.js";

export const haftTimePresenter: ToolPresenter<TimeInput, TimeData> = {
  name: "time",
  aliases: { timezone: "zone", tz: "zone" },
  bareString: "zone",
  decode: asInput,
  render(result, about) {
    if (result.isError || result.data === undefined) return renderHaftFailure(result, about);
    return textResult(withNotes(showControls(result.data.text), about));
  },
};
