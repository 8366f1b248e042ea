/** The version in what `rg --version` prints; undefined if it is not ripgrep. */
export function parseVersion(output: string): readonly [number, number, number] | undefined {
  const [, major, minor, patch] = /^ripgrep (\d+)\.(\d+)\.(\d+)/.exec(output) ?? [];
  return major === undefined ? undefined : [Number(major), Number(minor), Number(patch)];
}
