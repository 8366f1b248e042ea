/** `haft token`: the tokens with which clients connect to `haft serve`. */
import type { Command } from "commander";
import pc from "picocolors";
import { showControls } from "../../../text/index.js";
import type { clientTokens } from "../../../toolkit/index.js";
import { withExamples, withJsonOption, withStateOption } from "../command-parts.js";
import type { StateOptions } from "../configuration.js";
import { printJson, printNotice } from "../output.js";
import { EXIT, UsageError } from "../usage.js";

interface TokenOptions extends StateOptions {
  readonly json?: boolean;
}

interface AddOptions extends TokenOptions {
  readonly fromEnv?: string;
}

export function addTokenCommand(program: Command): void {
  const token = withExamples(
    program.command("token").description("manage the tokens with which clients connect to `haft serve`, one each"),
    "haft token list",
  );
  withExamples(
    withJsonOption(
      withStateOption(
        token
          .command("add <name>")
          .description("create a token for a client; it is shown only once")
          .option(
            "--from-env <variable>",
            "take the token that another host has created from this environment variable, so that the client may reach either",
          ),
      ),
    ),
    "haft token add laptop",
  ).action(async (name: string, options: AddOptions) => {
    process.exitCode = await addToken(name, options);
  });
  withExamples(
    withJsonOption(withStateOption(token.command("list").description("list the clients that have a token"))),
    "haft token list",
    "haft token list --json",
  ).action(async (options: TokenOptions) => {
    process.exitCode = await listTokens(options);
  });
  withExamples(
    withJsonOption(
      withStateOption(
        token.command("remove <name>").description("revoke a token, with immediate effect on running servers"),
      ),
    ),
    "haft token remove laptop",
  ).action(async (name: string, options: TokenOptions) => {
    process.exitCode = await removeToken(name, options);
  });
}

async function addToken(name: string, options: AddOptions): Promise<number> {
  const { fromEnv } = options;
  const given = fromEnv === undefined ? undefined : process.env[fromEnv];
  if (fromEnv !== undefined && given === undefined)
    throw new UsageError(`--from-env ${fromEnv}: the variable is not set. Set it to the token.`);
  const token = await (await openTokens(options)).add(name, given);
  if (given !== undefined) {
    if (options.json) printJson({ name });
    else printNotice(`clients with the token in ${fromEnv} are "${name}" here too.`);
    return EXIT.ok;
  }
  if (options.json) {
    printJson({ name, token });
    return EXIT.ok;
  }
  process.stdout.write(`${token}\n`);
  printNotice(
    `this is the token of "${name}". It is not shown again. A client sends it to \`haft serve\` as \`Authorization: Bearer …\`; anyone who has it can run commands as you. \`haft token remove ${name}\` revokes it.`,
  );
  return EXIT.ok;
}

/** Names and dates; the tokens themselves are not stored. */
async function listTokens(options: TokenOptions): Promise<number> {
  const tokens = await (await openTokens(options)).list();
  if (options.json) {
    printJson(tokens);
    return EXIT.ok;
  }
  if (tokens.length === 0) process.stdout.write("No tokens. `haft token add NAME` creates one.\n");
  const width = Math.max(0, ...tokens.map(({ name }) => name.length));
  for (const { name, createdMs } of tokens)
    process.stdout.write(
      `${pc.bold(showControls(name).padEnd(width))}  created ${new Date(createdMs).toISOString().slice(0, 10)}\n`,
    );
  return EXIT.ok;
}

async function removeToken(name: string, options: TokenOptions): Promise<number> {
  const tokens = await openTokens(options);
  if (await tokens.remove(name)) {
    printNotice(`revoked the token of "${name}".`);
    return EXIT.ok;
  }
  const names = (await tokens.list()).map((one) => one.name);
  const known = names.length === 0 ? "There are no tokens." : `Clients with a token: ${names.join(", ")}.`;
  printNotice(`did not revoke a token of "${name}": it has none. ${known}`);
  return EXIT.errorResult;
}

async function openTokens(options: TokenOptions): ReturnType<typeof clientTokens> {
  const { stateAdminOptions } = await import("../configuration.js");
  const toolkit = await import("../../../toolkit/index.js");
  return toolkit.clientTokens(await stateAdminOptions(options));
}
