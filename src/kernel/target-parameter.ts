/** The parameter `on`, by which a call chooses its target. */
import { isRecord } from "./coerce.js";
import type { JsonSchema } from "./schema.js";
import type { ToolDescriptor } from "./tool.js";

/** Adds the parameter `on` if there is a choice of targets. A tool of another server may have one of its own, which stays. */
export function withTargetParameter(descriptor: ToolDescriptor, targets: readonly string[]): ToolDescriptor {
  if (targets.length < 2 || hasOwnOn(descriptor.parameters)) return descriptor;
  const on = { type: "string", enum: targets, description: `Where to run. Default "${targets[0]}".` };
  const parameters: JsonSchema = {
    ...descriptor.parameters,
    properties: { ...(descriptor.parameters.properties as object), on },
  };
  return { ...descriptor, parameters };
}

/** Whether `on` is a parameter of the tool itself. */
export function hasOwnOn({ properties }: JsonSchema): boolean {
  return isRecord(properties) && Object.hasOwn(properties, "on");
}
