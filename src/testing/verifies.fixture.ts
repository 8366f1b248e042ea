import { it } from "vitest";

/**
 * `it` of vitest for a test that proves requirements of `test/requirements.ts`: their ids follow the title.
 * Give the ids as literals where you can; the requirements test reads them from the source.
 *
 * @param timeoutMs - Timeout of the test. Default: that of `vitest.config.ts`.
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
