/** What a user exports is a valid declaration: each type in it has a name that can be imported, or none. */
import type { ToolBox } from "haft";
import { toAiSdkTools } from "haft/ai-sdk";
import { toAnthropicTools } from "haft/anthropic";
import { toGoogleCallableTool, toGoogleTools } from "haft/google";
import { toMastraTools } from "haft/mastra";
import { toOpenAiAgentsTools, toOpenAiChatTools, toOpenAiResponsesTools } from "haft/openai";

declare const box: ToolBox<{ read: string }>;

export const aiSdk = toAiSdkTools(box);
export const { read } = aiSdk;
export const { execute, toModelOutput } = read;
export const anthropic = toAnthropicTools(box);
export const { tools: anthropicTools, answer: answerAnthropic } = anthropic;
export const google = toGoogleTools(box);
export const { tools: googleTools, answer: answerGoogle } = google;
export const { tool, callTool } = toGoogleCallableTool(box);
export const mastra = toMastraTools(box);
export const [mastraTool] = Object.values(mastra);
export const chat = toOpenAiChatTools(box);
export const { tools: chatTools, answer: answerChat } = chat;
export const responses = toOpenAiResponsesTools(box);
export const { tools: responsesTools, answer: answerResponses } = responses;
export const agents = toOpenAiAgentsTools(box);
export const [agentsTool] = agents;
