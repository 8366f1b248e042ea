/** What is left of several ends, each of which may have failed. */
import { HaftError, messageOf, type SessionEnd } from "../kernel/index.js";

/** @throws what failed as one error, whose `details.left` names what the others left. */
export function leftOfAll(ends: readonly PromiseSettledResult<SessionEnd | undefined>[]): readonly string[] {
  const left = ends.flatMap((one) => (one.status === "fulfilled" ? (one.value?.left ?? []) : []));
  const failures: readonly unknown[] = ends.flatMap((one) => (one.status === "rejected" ? [one.reason] : []));
  if (failures.length === 0) return left;
  if (failures.length === 1 && left.length === 0) throw failures[0];
  const known = failures.filter((one) => HaftError.is(one));
  const leftByFailures = known.flatMap(({ details }) => (Array.isArray(details.left) ? details.left : []));
  const [first] = known;
  throw new HaftError(first?.code ?? "BACKEND_UNAVAILABLE", failures.map(messageOf).join(" "), {
    cause: failures.length === 1 ? failures[0] : new AggregateError(failures),
    details: { ...first?.details, left: [...left, ...leftByFailures] },
    ...(first?.hint === undefined ? {} : { hint: first.hint }),
  });
}
