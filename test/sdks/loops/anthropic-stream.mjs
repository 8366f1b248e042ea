/** A loop of one's own over streamed messages. */
import { messagesLoop } from "./anthropic-messages.mjs";

export const loop = messagesLoop("anthropic-stream", (client, request, options) =>
  client.messages.stream(request, options).finalMessage(),
);
