/** The Gemini API: `generateContent` and `streamGenerateContent`. */
import { asEvents, asJson } from "../scripted-provider.mjs";

export const wire = {
  name: "google",
  isTurn: ({ path }) => /:(streamG|g)enerateContent(\?|$)/.test(path),

  answer(turn, { path }) {
    const candidate = candidateOf(turn);
    const usageMetadata = { promptTokenCount: 1, candidatesTokenCount: 1, totalTokenCount: 2 };
    const response = { candidates: [candidate], usageMetadata, modelVersion: "scripted" };
    return path.includes(":stream") ? asEvents([response]) : asJson(response);
  },

  read({ contents }) {
    return contents.at(-1).parts.map(({ functionResponse: { id, response, parts = [] } }) => {
      const text = response.error ?? response.output;
      if (typeof text !== "string") throw new Error("a response must have `error` or `output`, a text");
      const images = parts.map(({ inlineData: { mimeType, data } }) => ({ type: "image", mime: mimeType, data }));
      return {
        id,
        isError: response.error !== undefined,
        parts: [...(text === "" ? [] : [{ type: "text", text }]), ...images],
      };
    });
  },

  history({ contents }) {
    const parts = contents.flatMap((content) => content.parts);
    return {
      calls: parts.flatMap(({ functionCall }) => functionCall?.id ?? []),
      results: parts.flatMap(({ functionResponse }) => functionResponse?.id ?? []),
    };
  },

  offered: ({ tools = [] }) =>
    tools
      .flatMap(({ functionDeclarations = [] }) => functionDeclarations)
      .map(({ name, description, parametersJsonSchema, parameters }) => ({
        name,
        description,
        parameters: parametersJsonSchema ?? parameters,
      })),
};

/** The API parses arguments itself, and gives no call where it cannot. */
function candidateOf({ text, calls = [] }) {
  try {
    const parts = calls.map(({ id, name, arguments: json }) => ({
      functionCall: { id, name, args: JSON.parse(json) },
    }));
    if (text !== undefined) parts.unshift({ text });
    return { index: 0, content: { role: "model", parts }, finishReason: "STOP" };
  } catch {
    return { index: 0, content: {}, finishReason: "MALFORMED_FUNCTION_CALL" };
  }
}
