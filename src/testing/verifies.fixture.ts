import { it } from "vitest";

/**
 * A test that proves requirements of `test/requirements.ts`: vitest's `it` with their ids put behind the title.
 * Give the ids as literals where you can; the requirements test reads them from the source.
 *
 * @param timeoutMs - How long the test may hang before it fails. Default: that of `vitest.config.ts`.
 */
export function verifies(
  ids: string | readonly string[],
  title: string,
  body: () => unknown,
  timeoutMs?: number,
): void {
  it(
    `${title} [${[ids].flat().join(" ")}]`,
    async () => {
      await body();
    },
    timeoutMs,
  );
}
