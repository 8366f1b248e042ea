import type { ToolPresenter } from "../../kernel/index.js";
import type { SendKeysData, SendKeysInput, SendKeysLimits } from "../../tools/send-keys/contract.js";
import { booleanArgument, textArgument } from "../arguments.js";
import { textResult } from "../rendering.js";
import { renderPaneFailure } from "./failure-text.js";
import { sentKeys } from "./messages.js";
import { MAX_DELAY_MS, paneArguments, paneProperties } from "./pane-arguments.js";

export const sendKeysPresenter: ToolPresenter<SendKeysInput, SendKeysData, SendKeysLimits> = {
  name: "send-keys",
  description: "Type into a tmux pane: the literal text first, then the keys, then Enter.",
  parameters: {
    type: "object",
    properties: {
      target: paneProperties.target,
      keys: {
        type: "array",
        items: { type: "string" },
        description: 'tmux key names, such as "C-c", "C-z", "Enter", "Up"',
      },
      literal_text: { type: "string", description: "Text to type as it is" },
      enter: { type: "boolean", default: false, description: "Press Enter at the end" },
      delay: paneProperties.delay,
      delay_ms: paneProperties.delay_ms,
    },
  },
  acceptsEmpty: ["delay"],
  limits: { maxDelayMs: MAX_DELAY_MS },
  decode(args) {
    const pane = paneArguments(args);
    if ("problem" in pane) return pane;
    const text = textArgument(args, "literal_text") ?? "";
    const keys = Array.isArray(args.keys) ? args.keys.filter((key): key is string => typeof key === "string") : [];
    const enter = booleanArgument(args, "enter") ?? false;
    if (text === "" && keys.length === 0 && !enter)
      return { problem: "at least one of `keys`, `literal_text` and `enter: true` is required", parameter: "keys" };
    return { input: { ...pane.input, text, keys, enter } };
  },
  render(result) {
    if (result.isError || result.data === undefined) return renderPaneFailure(result, "send-keys");
    return textResult(sentKeys(result.data.state.pane), { clamped: true });
  },
};
