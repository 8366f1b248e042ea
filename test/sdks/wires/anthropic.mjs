/** The Messages API of Anthropic. */
import { asEvents, asJson } from "../scripted-provider.mjs";

export const wire = {
  name: "anthropic",
  isTurn: ({ path }) => path.split("?")[0].endsWith("/v1/messages"),

  answer(turn, { body }) {
    const calls = turn.calls ?? [];
    const text = turn.text === undefined ? [] : [{ type: "text", text: turn.text, citations: null }];
    const content = [...text, ...calls.map(({ id, name }) => ({ type: "tool_use", id, name, input: {} }))];
    const texts = [...text.map((block) => block.text), ...calls.map((call) => call.arguments)];
    // What is not JSON reaches a client only in a stream, where the answer was truncated.
    const stop_reason = calls.some((call) => parsed(call) === undefined)
      ? "max_tokens"
      : calls[0]
        ? "tool_use"
        : "end_turn";
    const about = {
      id: "msg_1",
      type: "message",
      role: "assistant",
      model: body.model,
      stop_sequence: null,
      usage: USAGE,
    };
    if (body.stream !== true) {
      const whole = [...text, ...calls.map((call, n) => ({ ...content[text.length + n], input: parsed(call) ?? {} }))];
      return asJson({ ...about, content: whole, stop_reason });
    }
    const events = content.flatMap((block, index) => {
      const isText = block.type === "text";
      const delta = isText
        ? { type: "text_delta", text: texts[index] }
        : { type: "input_json_delta", partial_json: texts[index] };
      return [
        { type: "content_block_start", index, content_block: isText ? { ...block, text: "" } : block },
        { type: "content_block_delta", index, delta },
        { type: "content_block_stop", index },
      ];
    });
    const message = { ...about, content: [], stop_reason: null };
    const end = { type: "message_delta", delta: { stop_reason, stop_sequence: null }, usage: USAGE };
    return asEvents([{ type: "message_start", message }, ...events, end, { type: "message_stop" }], { named: true });
  },

  read({ messages }) {
    const results = messages.at(-1).content.filter(({ type }) => type === "tool_result");
    for (const { content, is_error } of results) requireAccepted(content, is_error === true);
    return results.map(({ tool_use_id, content = [], is_error = false }) => ({
      id: tool_use_id,
      isError: is_error,
      parts: blocksOf(content).map((block) =>
        block.type === "text"
          ? { type: "text", text: block.text }
          : { type: "image", mime: block.source.media_type, data: block.source.data },
      ),
    }));
  },

  history({ messages, thread }) {
    if (thread?.type === "continue") return undefined; // the server holds the messages before
    const blocks = messages.flatMap(({ content }) => blocksOf(content));
    return {
      calls: blocks.filter(({ type }) => type === "tool_use").map(({ id }) => id),
      results: blocks.filter(({ type }) => type === "tool_result").map(({ tool_use_id }) => tool_use_id),
    };
  },

  offered: ({ tools = [] }) =>
    tools.map(({ name, description, input_schema }) => ({ name, description, parameters: input_schema })),
};

const USAGE = { input_tokens: 1, output_tokens: 1, cache_creation_input_tokens: 0, cache_read_input_tokens: 0 };

function parsed(call) {
  try {
    return JSON.parse(call.arguments);
  } catch {
    return undefined;
  }
}

const blocksOf = (content) =>
  typeof content !== "string" ? content : content === "" ? [] : [{ type: "text", text: content }];

/** What the API answers with 400. */
function requireAccepted(content = [], isError) {
  const blocks = blocksOf(content);
  if (isError && blocks.length === 0) throw new Error("an error must have content");
  if (isError && blocks.some(({ type }) => type !== "text")) throw new Error("an error holds only text");
  if (blocks.some(({ type, text }) => type === "text" && text === "")) throw new Error("a text must not be empty");
}
