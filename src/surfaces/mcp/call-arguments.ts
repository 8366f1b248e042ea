/** Converts arguments as models send them, before the SDK rejects what is not an object. */
import { isRecord } from "../../kernel/index.js";

/**
 * The message with an object as the arguments of `tools/call`: null becomes none, and JSON text of an object is parsed. Anything
 * else stays as it is and is rejected later.
 */
export function withObjectArguments<T>(message: T): T {
  if (!isRecord(message) || message.method !== "tools/call" || !isRecord(message.params)) return message;
  const given = message.params.arguments;
  if (given === undefined || isRecord(given)) return message;
  const meant = given === null ? {} : typeof given === "string" ? objectIn(given) : undefined;
  return meant === undefined ? message : { ...message, params: { ...message.params, arguments: meant } };
}

function objectIn(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
