/** The exceptions to the architecture rules, each of them on purpose. */
import type { PackageTable } from "./import-rules.js";

/** Room → the packages it may import. A package stands here only with a page in `docs/decisions/`. */
export const PACKAGES: PackageTable = {
  text: { chardet: "lazy" },
  kernel: { ajv: "lazy", re2js: "lazy" },
  "backends/local": {
    "@modelcontextprotocol/client": "lazy",
    "@vscode/ripgrep": "lazy",
    sharp: "lazy", // both in a process of their own
    unpdf: "lazy",
  },
  "backends/memory": { unbash: "eager" },
  "surfaces/cli": { commander: "eager", "jsonc-parser": "lazy", picocolors: "eager", "smol-toml": "lazy" },
  toolkit: { "jsonc-parser": "lazy" },
  "surfaces/mcp": { "@modelcontextprotocol/server": "lazy" },
};

/** Files over the line limit, each with its reason. */
export const LONG_FILES: Readonly<Record<string, string>> = {};
