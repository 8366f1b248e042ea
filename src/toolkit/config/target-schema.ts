/** What a configuration file says of one target. */
import { AUTONOMY_LEVELS } from "../../policy/index.js";
import type { ConfigSchema } from "./schema-keywords.js";

const TEXT = { type: "string", minLength: 1 } as const;

/** A target in parts. */
export function targetSchema(): ConfigSchema {
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
        },
        additionalProperties: false,
      },
    },
    required: ["target"],
    additionalProperties: false,
  };
}
