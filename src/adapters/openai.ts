/** Haft's tools for the SDKs of OpenAI: Chat Completions, Responses, and the Agents SDK. */
export {
  type OpenAiAgentsOptions,
  type OpenAiAgentsPart,
  type OpenAiAgentsTool,
  toOpenAiAgentsTools,
} from "./openai-agents.js";
export {
  type OpenAiChatTool,
  type OpenAiChatTools,
  type OpenAiImageMessage,
  type OpenAiToolCall,
  type OpenAiToolMessage,
  toOpenAiChatTools,
} from "./openai-chat.js";
export type { OpenAiOptions } from "./openai-options.js";
export {
  type OpenAiFunctionCall,
  type OpenAiFunctionCallOutput,
  type OpenAiResponsesTool,
  type OpenAiResponsesTools,
  toOpenAiResponsesTools,
} from "./openai-responses.js";
