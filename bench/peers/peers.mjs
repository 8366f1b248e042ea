/** The peers, in the versions that the results are about. None is a dependency of Haft: they live in a scratch directory. */

/** What npm installs; `entry` is the file that a side imports or starts, below the directory of the package. */
export const PEERS = {
  pi: { title: "pi", package: "@mariozechner/pi-coding-agent", version: "0.73.1", entry: "dist/index.js" },
  gemini: { title: "Gemini CLI", package: "@google/gemini-cli-core", version: "0.61.0", entry: "dist/index.js" },
  turndown: { title: "turndown", package: "turndown", version: "7.2.5", entry: "lib/turndown.cjs.js" },
  filesystem: {
    title: "server-filesystem",
    package: "@modelcontextprotocol/server-filesystem",
    version: "2026.8.31",
    entry: "dist/index.js",
  },
  commander: {
    title: "Desktop Commander",
    package: "@wonderwhy-er/desktop-commander",
    version: "0.2.52",
    entry: "dist/index.js",
  },
  opencode: {
    title: "opencode",
    package: "opencode-ai",
    version: "1.18.33",
    /** The program of its platform package: its own launcher is put in place by the install script, which does not run. */
    entry: `../opencode-${process.platform}-${process.arch}/bin/opencode`,
  },
};
