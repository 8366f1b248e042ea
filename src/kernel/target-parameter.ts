/** The parameters by which a call chooses its target, and the one that it reads from. */
import { isRecord } from "./coerce.js";
import type { JsonSchema } from "./schema.js";
import type { SourceParameter, ToolDescriptor } from "./tool.js";

/**
 * Adds the parameter `on` if there is a choice of targets, and that for the source target of a tool that has one. A tool of another
 * server may have an `on` of its own, which stays.
 */
export function withTargetParameters(
  descriptor: ToolDescriptor,
  targets: readonly string[],
  source?: SourceParameter,
): ToolDescriptor {
  if (targets.length < 2 || hasOwn(descriptor.parameters, "on")) return descriptor;
  const choice = { type: "string", enum: targets };
  const chosen = {
    ...(source === undefined ? {} : { [source.name]: { ...choice, description: source.description } }),
    on: { ...choice, description: `Where to run. Default "${targets[0]}".` },
  };
  const parameters: JsonSchema = {
    ...descriptor.parameters,
    properties: { ...(descriptor.parameters.properties as object), ...chosen },
  };
  return { ...descriptor, parameters };
}

/** Whether this is a parameter of the tool itself. */
export function hasOwn({ properties }: JsonSchema, parameter: string): boolean {
  return isRecord(properties) && Object.hasOwn(properties, parameter);
}
