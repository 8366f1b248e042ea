/** OpenAI chat completions. */
import { asEvents, asJson } from "../scripted-provider.mjs";

/** An SDK takes two answers of one id for the same. */
let answers = 0;

export const wire = {
  name: "openai-chat",
  isTurn: ({ path }) => path.endsWith("/chat/completions"),

  answer(turn, { body }) {
    const about = { id: `chat-${++answers}`, created: 1, model: body.model };
    const calls = (turn.calls ?? []).map((call, index) => ({
      index,
      id: call.id,
      type: "function",
      function: { name: call.name, arguments: call.arguments },
    }));
    const finish = calls.length > 0 ? "tool_calls" : "stop";
    const content = turn.text ?? null;
    if (body.stream !== true) {
      const message = { role: "assistant", content, ...(calls.length > 0 ? { tool_calls: calls } : {}) };
      const choices = [{ index: 0, message, finish_reason: finish, logprobs: null }];
      return asJson({ ...about, object: "chat.completion", choices, usage: USAGE });
    }
    const chunk = (delta, finish_reason = null) => ({
      ...about,
      object: "chat.completion.chunk",
      choices: [{ index: 0, delta, finish_reason }],
    });
    const deltas = calls.map((call) => chunk({ tool_calls: [call] }));
    const text = content === null ? [] : [chunk({ content })];
    return asEvents([chunk({ role: "assistant" }), ...text, ...deltas, chunk({}, finish)], { end: "[DONE]" });
  },

  /** The results since the last turn of the model. A tool message holds text only, so images are in the user message after it. */
  read({ messages }) {
    const last = messages.findLastIndex(({ role }) => role === "assistant");
    const results = [];
    for (const message of messages.slice(last + 1)) {
      if (message.role === "tool") results.push({ id: message.tool_call_id, parts: partsOf(message.content) });
      else results.at(-1)?.parts.push(...partsOf(message.content));
    }
    return results;
  },

  history: ({ messages }) => ({
    calls: messages.flatMap(({ tool_calls = [] }) => tool_calls).map(({ id }) => id),
    results: messages.filter(({ role }) => role === "tool").map(({ tool_call_id }) => tool_call_id),
  }),

  offered: ({ tools = [] }) => tools.map((tool) => tool.function),
};

const USAGE = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };

function partsOf(content) {
  if (typeof content === "string") return content === "" ? [] : [{ type: "text", text: content }];
  return content.map((part) => {
    if (part.type === "text") return { type: "text", text: part.text };
    const [, mime, data] = /^data:([^;]+);base64,(.*)$/s.exec(part.image_url.url);
    return { type: "image", mime, data };
  });
}
