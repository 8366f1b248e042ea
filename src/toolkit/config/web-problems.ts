/** What is wrong with the `web` of a file whose shape is right. */
import { type SearchProviderName, searchProblem } from "../../tools/index.js";
import { SEARCH_KEY } from "../web-options.js";
import { type ConfigNode, type ConfigProblem, configValue, memberOf } from "./check-config.js";
import type { WebConfig } from "./config.js";

/** What a toolkit would refuse, with its place in the file. */
export function webProblems(root: ConfigNode): readonly ConfigProblem[] {
  const web = memberOf(root, "web");
  if (web === undefined) return [];
  const search = memberOf(web, "search");
  return [...(search === undefined ? [] : searchProblems(search)), ...secretProblems(memberOf(web, "secrets"))];
}

function searchProblems(node: ConfigNode): readonly ConfigProblem[] {
  const { provider = "duckduckgo", url, env } = configValue(node) as NonNullable<WebConfig["search"]>;
  const problem = searchProblem(provider, { url, secret: env });
  if (problem === undefined) return [];
  const { offset } = memberOf(node, MEMBERS[problem.option]) ?? memberOf(node, "provider") ?? node;
  const why =
    problem.option === "url"
      ? `needs "url", an http or https URL without credentials${EXAMPLES[provider] ?? ""}.`
      : env === undefined
        ? `needs "env", the name of the environment variable that has its key, such as "${provider.toUpperCase()}_KEY".`
        : 'takes no key; remove "env", or set "provider" to the one that the key is for.';
  return [{ offset, message: `"web.search": ${provider} ${why}` }];
}

/** In the configuration the key stands in a variable. */
const MEMBERS = { url: "url", key: "env" } as const;

const EXAMPLES: Readonly<Partial<Record<SearchProviderName, string>>> = {
  searxng: ', such as "https://searx.example.org/search"',
};

function secretProblems(node: ConfigNode | undefined): readonly ConfigProblem[] {
  return (node?.children ?? []).flatMap(({ children: [name, value] = [] }): readonly ConfigProblem[] => {
    if (name === undefined || value === undefined) return [];
    const hosts = memberOf(value, "hosts");
    return [
      ...(name.value === SEARCH_KEY
        ? [
            {
              offset: name.offset,
              message: `"web.secrets": "${SEARCH_KEY}" is the key of the search; use another name.`,
            },
          ]
        : []),
      ...(hosts?.children?.length === 0
        ? [
            {
              offset: hosts.offset,
              message: `"web.secrets.${name.value}.hosts" is empty; name each host that may get it.`,
            },
          ]
        : []),
    ];
  });
}
