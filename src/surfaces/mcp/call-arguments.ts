/** Arguments as models send them, before the SDK refuses what is no object. */
import { isRecord } from "../../kernel/index.js";

/**
 * A message whose `tools/call` has an object of arguments where what came stands for one: null for none, and text that holds an
 * object. Anything else is as it was, and is refused by name.
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
