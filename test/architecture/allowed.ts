/** The exceptions to the architecture rules. */
import type { PackageTable } from "./import-rules.js";

/** Module → the packages it may import. Each package has a page in `docs/decisions/`. */
export const PACKAGES: PackageTable = {
  text: { chardet: "lazy" },
  kernel: { ajv: "lazy" },
  "engines/html": { htmlparser2: "eager" }, // the engine itself is loaded with the first page
  "engines/search": { re2js: "lazy" },
  host: { sharp: "lazy", undici: "lazy", unpdf: "lazy" }, // media run in a worker process
  "mcp-client": { "@modelcontextprotocol/client": "lazy" },
  "backends/local": { "@vscode/ripgrep": "lazy" },
  "backends/posix": { "@vscode/ripgrep": "lazy" },
  "backends/memory": { unbash: "eager" },
  policy: { unbash: "eager" },
  "surfaces/cli": { commander: "eager", "jsonc-parser": "lazy", picocolors: "eager", "smol-toml": "lazy" },
  toolkit: { "jsonc-parser": "lazy" },
  "engines/schedule": { croner: "eager" }, // the engine itself is loaded with the first schedule
  "stores/postgres": { pg: "lazy" },
  "stores/sqlite": { libsql: "lazy" },
  "surfaces/mcp": { "@modelcontextprotocol/server": "lazy" },
};

/** Files over the line limit, each with its reason. */
export const LONG_FILES: Readonly<Record<string, string>> = {};
