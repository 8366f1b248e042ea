/** Test runners, linters and builds: programs whose next call differs in its arguments, such as the name of a test. */
import type { CommandWord } from "../commands/index.js";
import { commandText } from "./command-pattern.js";

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

/** The pattern of a runner with any further words, such as "npm test *"; undefined for other programs. */
export function runnerText(argv: readonly CommandWord[]): string | undefined {
  const found = RUNNERS.find((words) =>
    words.every((word, index) => {
      const given = argv[index];
      if (given === undefined || given.glob === true) return false;
      const value = index === 0 ? given.value.replace(OF_PACKAGES, "") : given.value;
      return word === "CHECK" ? CHECKS.test(value) : word.split("|").includes(value);
    }),
  );
  const text = found === undefined ? undefined : commandText(argv.slice(0, found.length));
  return text === undefined ? undefined : `${text} *`;
}
