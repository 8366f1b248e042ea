/** Haft's tools for the SDKs of OpenAI: Chat Completions, Responses, and the Agents SDK. */
export type { AnswerOptions } from "./adapted-box.js";
export {
  type OpenAiAgentsOptions,
  type OpenAiAgentsTool,
  toOpenAiAgentsTools,
} from "./openai-agents.js";
export {
  type OpenAiChatTools,
  type OpenAiImageMessage,
  type OpenAiToolMessage,
  toOpenAiChatTools,
} from "./openai-chat.js";
export type { OpenAiOptions } from "./openai-options.js";
export {
  type OpenAiFunctionCallOutput,
  type OpenAiResponsesTools,
  toOpenAiResponsesTools,
} from "./openai-responses.js";
