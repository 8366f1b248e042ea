/** `haft token`: the tokens of clients that `haft serve` lets in. */
import pc from "picocolors";
import { showControls } from "../../../text/index.js";
import { clientTokens } from "../../../toolkit/index.js";
import { printJson } from "../json-output.js";
import { printNotice } from "../print-notice.js";
import { type StateOptions, stateAdminOptions } from "../state-options.js";
import { EXIT } from "../usage.js";

export interface TokenOptions extends StateOptions {
  readonly json?: boolean;
}

/** Makes a token and shows it, the only time. */
export async function addToken(name: string, options: TokenOptions): Promise<number> {
  const token = await (await clientTokens(await stateAdminOptions(options))).add(name);
  if (options.json) {
    printJson({ name, token });
    return EXIT.ok;
  }
  process.stdout.write(`${token}\n`);
  printNotice(
    `this is the token of "${name}", shown now and never again. A client sends it as \`Authorization: Bearer …\` to \`haft serve\`; whoever has it can run commands as you. \`haft token remove ${name}\` takes it back.`,
  );
  return EXIT.ok;
}

/** Names and dates; the tokens themselves are not kept. */
export async function listTokens(options: TokenOptions): Promise<number> {
  const tokens = await (await clientTokens(await stateAdminOptions(options))).list();
  if (options.json) {
    printJson(tokens);
    return EXIT.ok;
  }
  if (tokens.length === 0) process.stdout.write("No client has a token. `haft token add NAME` makes one.\n");
  const width = Math.max(0, ...tokens.map(({ name }) => name.length));
  for (const { name, createdMs } of tokens)
    process.stdout.write(
      `${pc.bold(showControls(name).padEnd(width))}  since ${new Date(createdMs).toISOString().slice(0, 10)}\n`,
    );
  return EXIT.ok;
}

/** From now on the token lets nobody in, also where a server runs. */
export async function removeToken(name: string, options: TokenOptions): Promise<number> {
  const tokens = await clientTokens(await stateAdminOptions(options));
  if (await tokens.remove(name)) {
    printNotice(`removed the token of "${name}"; it lets nobody in any more.`);
    return EXIT.ok;
  }
  const names = (await tokens.list()).map((one) => one.name);
  const known = names.length === 0 ? "No client has one." : `Those that have one: ${names.join(", ")}.`;
  printNotice(`did not remove a token of "${name}": there is none. ${known}`);
  return EXIT.errorResult;
}
