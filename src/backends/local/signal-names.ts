import { constants } from "node:os";

/** The signal of a name, with or without SIG before it, in any case; undefined when there is none of that name. */
export function signalOf(name: string): NodeJS.Signals | undefined {
  const upper = name.toUpperCase();
  const full = upper.startsWith("SIG") ? upper : `SIG${upper}`;
  return Object.hasOwn(constants.signals, full) ? (full as NodeJS.Signals) : undefined;
}
