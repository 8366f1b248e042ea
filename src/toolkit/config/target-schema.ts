/** What a configuration file says of one target. */
import { AUTONOMY_LEVELS } from "../../policy/index.js";
import type { ConfigSchema } from "./schema-keywords.js";

const TEXT = { type: "string", minLength: 1 } as const;

/** A target in parts. */
export function targetSchema(): ConfigSchema {
  const copyRipgrep = (theirs: string) => ({
    type: "boolean" as const,
    description: `Copy Haft's ripgrep there, about 6 MB in a temporary directory, if it has none. Default: ${theirs}.`,
  });
  return {
    type: "object",
    title: "an object with `target`",
    properties: {
      name: { ...TEXT, title: "a name", description: "What a call chooses it by. Default: `target`." },
      target: { ...TEXT, title: "a target", description: 'What it is: "local", "posix:dash".' },
      workspace: {
        type: "string",
        title: "an absolute path",
        pattern: "^/",
        description: "Its working directory, absolute.",
      },
      autonomy: {
        enum: [...AUTONOMY_LEVELS],
        description: "What runs there without confirmation. Default: as `autonomy` says for all.",
      },
      ssh: {
        type: "object",
        description: "For `ssh:HOST`.",
        properties: {
          config: {
            ...TEXT,
            title: "a path",
            description: "The OpenSSH configuration file to use in place of your own. Relative to this file.",
          },
          copyRipgrep: copyRipgrep("false"),
        },
        additionalProperties: false,
      },
      container: {
        type: "object",
        description: "For `container:NAME` and `image:IMAGE`.",
        properties: {
          user: { ...TEXT, title: "a user", description: "The user that commands run as. Default: that of the image." },
          network: {
            type: "boolean",
            description:
              "For `image:IMAGE`: give it the network of the engine, for `npm ci` and the like. Default: none.",
          },
          copyRipgrep: copyRipgrep("true for `image:IMAGE`, else false"),
        },
        additionalProperties: false,
      },
    },
    required: ["target"],
    additionalProperties: false,
  };
}
