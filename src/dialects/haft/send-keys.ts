import type { ToolPresenter } from "../../kernel/index.js";
import type { SendKeysData, SendKeysInput, SendKeysLimits } from "../../tools/send-keys/contract.js";
import { asInput } from "../arguments.js";
import { textResult } from "../rendering.js";
import { renderHaftFailure } from "./failure-text.js";
import { withNotes } from "./notes.js";
import { paneLine } from "./pane-state.js";

export const haftSendKeysPresenter: ToolPresenter<SendKeysInput, SendKeysData, SendKeysLimits> = {
  name: "send_keys",
  aliases: { target: "pane", id: "pane", literal_text: "text", input: "text", delay_ms: "delayMs" },
  decode: asInput,
  render(result, about) {
    if (result.isError || result.data === undefined) return renderHaftFailure(result, about);
    return textResult(withNotes(`typed into ${paneLine(result.data.state)}`, about));
  },
};
