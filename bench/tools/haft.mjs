/** A box of the built product in a directory, as a library user makes it. */
import { register } from "node:module";
import { createToolkit } from "../../dist/index.js";

export async function openBox(workspace, stateDir, more = {}) {
  const toolkit = await createToolkit({ autonomy: "full", workspace, stateDir, gate: "off", ...more });
  const box = await toolkit.box();
  let id = 0;
  const call = (name, input) => box.runner.run({ id: String(++id), name, input });
  return {
    call,
    async must(name, input) {
      const outcome = await call(name, input);
      if (outcome.isError) throw new Error(`${name}: ${JSON.stringify(outcome.output).slice(0, 900)}`);
      return String(outcome.output);
    },
    close: () => toolkit.close(),
  };
}

/** The five tools as the cases ask for them; `ask` calls one by name and throws where the answer is an error. */
export function haftTools(ask) {
  return {
    grep: ({ pattern, path }) => ask("grep", { pattern, path }),
    find: ({ name, type }) => ask("find", { query: name, ...(type === undefined ? {} : { type }) }),
    read: ({ path, first, count }) => ask("read", { path, offset: first, limit: Math.abs(count) }),
    edit: ({ path, oldText, newText }) => ask("edit", { path, oldText, newText }),
    bash: ({ command }) => ask("bash", { command, timeoutMs: 600_000 }),
  };
}

/** Of the library, in this process. */
export async function openHaft({ cwd, scratch }) {
  const box = await openBox(cwd, `${scratch}/state`);
  return haftTools(box.must);
}

/** The same as where the optional ripgrep is not installed, so that it searches with its own engine. */
export async function openHaftAlone(place) {
  const loader = `export const resolve = (name, context, next) => {
    if (name === "@vscode/ripgrep") throw new Error("left out");
    return next(name, context);
  }`;
  register(`data:text/javascript,${encodeURIComponent(loader)}`);
  process.env.PATH = "/usr/sbin";
  return openHaft(place);
}
