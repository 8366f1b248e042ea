/** Programs whose options may also follow the subcommand. */
import type { ProgramSpec } from "../program-spec.js";

/** `spec` with its options in each of its subcommands, where they are not others of the same name. */
export function everywhere(spec: ProgramSpec): ProgramSpec {
  const withOptions = (one: ProgramSpec): ProgramSpec => ({
    ...one,
    options: { ...spec.options, ...one.options },
    ...(one.commands === undefined ? {} : { commands: mapped(one.commands, withOptions) }),
    ...(one.otherwise === undefined ? {} : { otherwise: withOptions(one.otherwise) }),
  });
  return withOptions(spec);
}

const mapped = (
  commands: Readonly<Record<string, ProgramSpec>>,
  change: (one: ProgramSpec) => ProgramSpec,
): Record<string, ProgramSpec> =>
  Object.fromEntries(Object.entries(commands).map(([name, one]) => [name, change(one)]));
