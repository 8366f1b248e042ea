import type { ToolPresenter } from "../../kernel/index.js";
import { showControls } from "../../text/index.js";
import { TIME_FORMATS, type TimeData, type TimeInput } from "../../tools/time/contract.js";
import { omitUndefined, textArgument } from "../arguments.js";
import { textResult } from "../rendering.js";
import { renderHaftFailure } from "./failure-text.js";
import { withNotes } from "./notes.js";

export const haftTimePresenter: ToolPresenter<TimeInput, TimeData> = {
  name: "time",
  aliases: { timezone: "zone", tz: "zone" },
  bareString: "zone",
  decode(args) {
    return {
      input: omitUndefined({
        format: TIME_FORMATS.find((format) => format === args.format),
        zone: textArgument(args, "zone"),
      }),
    };
  },
  render(result, about) {
    if (result.isError || result.data === undefined) return renderHaftFailure(result, about);
    return textResult(withNotes(showControls(result.data.text), about));
  },
};
