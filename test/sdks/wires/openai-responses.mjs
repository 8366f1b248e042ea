/** OpenAI responses. */
import { asEvents, asJson } from "../scripted-provider.mjs";

/** An SDK takes two answers of one id for the same. */
let answers = 0;

export const wire = {
  name: "openai-responses",
  isTurn: ({ path }) => path.endsWith("/responses"),

  answer(turn, { body }) {
    const id = ++answers;
    const output = (turn.calls ?? []).map((call) => ({
      type: "function_call",
      id: `fc_${call.id}`,
      call_id: call.id,
      name: call.name,
      arguments: call.arguments,
      status: "completed",
    }));
    if (turn.text !== undefined) {
      const content = [{ type: "output_text", text: turn.text, annotations: [] }];
      output.push({ type: "message", id: `msg_${id}`, role: "assistant", status: "completed", content });
    }
    const about = { id: `resp_${id}`, object: "response", created_at: 1, model: body.model };
    const response = { ...about, ...EMPTY, status: "completed", output, usage: USAGE };
    if (body.stream !== true) return asJson(response);
    const begun = { ...response, status: "in_progress", output: [], usage: null };
    const events = [{ type: "response.created", response: begun }];
    for (const [output_index, item] of output.entries()) {
      const isCall = item.type === "function_call";
      const started = isCall ? { ...item, arguments: "", status: "in_progress" } : { ...item, content: [] };
      events.push({ type: "response.output_item.added", output_index, item: started });
      const at = { item_id: item.id, output_index };
      if (isCall) {
        events.push({ type: "response.function_call_arguments.delta", ...at, delta: item.arguments });
        events.push({ type: "response.function_call_arguments.done", ...at, arguments: item.arguments });
      } else {
        const [part] = item.content;
        events.push({ type: "response.content_part.added", ...at, content_index: 0, part: { ...part, text: "" } });
        events.push({ type: "response.output_text.delta", ...at, content_index: 0, delta: part.text });
        events.push({ type: "response.output_text.done", ...at, content_index: 0, text: part.text });
        events.push({ type: "response.content_part.done", ...at, content_index: 0, part });
      }
      events.push({ type: "response.output_item.done", output_index, item });
    }
    events.push({ type: "response.completed", response });
    return asEvents(
      events.map((event, sequence_number) => ({ ...event, sequence_number })),
      { named: true },
    );
  },

  read({ input }) {
    const last = input.findLastIndex(({ type }) => type === "function_call");
    return input
      .slice(last + 1)
      .filter(({ type }) => type === "function_call_output")
      .map(({ call_id, output }) => ({ id: call_id, parts: partsOf(output) }));
  },

  history: ({ input }) => ({
    calls: input.filter(({ type }) => type === "function_call").map(({ call_id }) => call_id),
    results: input.filter(({ type }) => type === "function_call_output").map(({ call_id }) => call_id),
  }),

  offered: ({ tools = [] }) => tools,
};

const USAGE = {
  input_tokens: 1,
  input_tokens_details: { cached_tokens: 0 },
  output_tokens: 1,
  output_tokens_details: { reasoning_tokens: 0 },
  total_tokens: 2,
};
const EMPTY = {
  error: null,
  incomplete_details: null,
  instructions: null,
  metadata: {},
  parallel_tool_calls: true,
  temperature: 1,
  tool_choice: "auto",
  tools: [],
  top_p: 1,
};

function partsOf(output) {
  if (typeof output === "string") return output === "" ? [] : [{ type: "text", text: output }];
  return output.map((part) => {
    if (part.type === "input_text") return { type: "text", text: part.text };
    const [, mime, data] = /^data:([^;]+);base64,(.*)$/s.exec(part.image_url);
    return { type: "image", mime, data };
  });
}
