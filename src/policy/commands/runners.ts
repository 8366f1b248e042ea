/** Test runners, linters and builds: programs whose next call differs in its arguments, such as the name of a test. */

const TOOLS =
  "pytest|py.test|unittest|vitest|jest|mocha|rspec|phpunit|eslint|tsc|prettier|biome|mypy|pyright|flake8|pylint|black|isort|rubocop|ctest";

/** Words with which a command begins; `|` separates alternatives, and CHECK stands for the name of a script that checks something. */
const RUNNERS: readonly (readonly string[])[] = [
  TOOLS,
  "npm|pnpm|yarn|bun test|t",
  "npm|pnpm|yarn|bun run|run-script CHECK",
  "pnpm|yarn CHECK",
  `npx|pnpx|bunx ${TOOLS}`,
  `npx -y|--yes|--no|--no-install ${TOOLS}`,
  `pnpm|yarn exec ${TOOLS}`,
  "node|nodejs --test",
  `python|python3 -m ${TOOLS}`,
  `uv|poetry|pipenv|hatch run ${TOOLS}`,
  `bundle exec ${TOOLS}`,
  "playwright|dotnet|swift|mix|zig|dart|flutter test",
  "npx playwright test",
  "ruff check|format",
  "uvx|npx ruff check|format",
  "cargo test|t|nextest|check|c|clippy|build|b|bench|fmt",
  "go test|vet|build",
  "golangci-lint run",
].map((line) => line.split(" "));

const CHECKS =
  /^(test|tests|lint|check|typecheck|type-check|tsc|build|format|fmt|unit|e2e|spec|coverage)([:._-][\w:.-]+)?$/;

/** Where the workspace has programs of packages, which are known by their name. */
const OF_PACKAGES = /^(\.\/)?(node_modules\/\.bin|\.?venv\/bin)\//;

const OTHER_TOOLS = /^(ruff|playwright)$/;
const IS_TOOL = new RegExp(`^(?:${TOOLS})$`);

/** How many of the words are the runner: 2 of `npm test a`; undefined for other programs. */
export function runnerLength(words: readonly string[]): number | undefined {
  const found = RUNNERS.find((runner) =>
    runner.every((word, index) => {
      const given = words[index];
      if (given === undefined) return false;
      const value = index === 0 ? given.replace(OF_PACKAGES, "") : given;
      return word === "CHECK" ? CHECKS.test(value) : word.split("|").includes(value);
    }),
  );
  return found?.length;
}

/** Where in the words of a runner the tool is that it starts: 2 in `python -m pytest`, 0 in `./node_modules/.bin/jest`. */
export function startedTool(words: readonly string[]): { readonly name: string; readonly index: number } | undefined {
  const length = runnerLength(words) ?? 0;
  for (const [index, word] of words.slice(0, length).entries()) {
    const name = index === 0 ? word.replace(OF_PACKAGES, "") : word;
    if ((index > 0 || name !== word) && (IS_TOOL.test(name) || OTHER_TOOLS.test(name))) return { name, index };
  }
  return undefined;
}
