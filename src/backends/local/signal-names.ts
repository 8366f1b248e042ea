import { constants } from "node:os";
import { HaftError } from "../../kernel/index.js";

/** The signal of a name, with or without SIG before it, in any case; undefined when there is none of that name. */
export function signalOf(name: string): NodeJS.Signals | undefined {
  const upper = name.toUpperCase();
  const full = upper.startsWith("SIG") ? upper : `SIG${upper}`;
  return Object.hasOwn(constants.signals, full) ? (full as NodeJS.Signals) : undefined;
}

/** The signal of a name. @throws `CALL_INVALID` naming the job that it was for. */
export function signalNamed(job: string, name: string): NodeJS.Signals {
  const signal = signalOf(name);
  if (signal !== undefined) return signal;
  throw new HaftError("CALL_INVALID", `Did not signal "${job}": there is no signal "${name}". Use TERM, INT or KILL.`, {
    details: { parameter: "signal", problem: `no signal "${name}"` },
  });
}
