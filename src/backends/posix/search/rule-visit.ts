/** Finds out whether a remote ripgrep applies the same ignore files as our own engine. */
import {
  RuleFiles,
  type SearchScope,
  type SearchSource,
  SearchTally,
  visitTree,
} from "../../../engines/search/index.js";
import type { GrepQuery } from "../../../kernel/index.js";
import type { OwnCommand } from "../shell/own-command.js";
import { listRules, RuleTree } from "./rule-tree.js";

interface RuleVisitOptions {
  readonly query: GrepQuery;
  readonly scope: SearchScope;
  readonly source: SearchSource;
}

/**
 * Visits the directories that have ignore files or something that the grant excepts by name. ripgrep would apply an ignore file
 * that is a symlink to a file that may not be read, and wait for a FIFO. Also counts what is excepted.
 */
export class RuleVisit {
  readonly files: RuleFiles;
  /** The command that lists them. */
  readonly command: string;
  readonly #tree: RuleTree;
  readonly #exceptNames: readonly string[];
  readonly #tally = new SearchTally();
  readonly #directories: AsyncGenerator<unknown, void>;
  #hasExclude = false;

  constructor({ query, scope, source }: RuleVisitOptions) {
    this.#tree = new RuleTree(source, query.root);
    this.#exceptNames = scope.exceptNames;
    this.command = listRules(query, scope.exceptNames);
    this.files = new RuleFiles(this.#tree, scope);
    this.#directories = visitTree(this.#tree, query, scope, this.#tally, { files: this.files, onlyDirectories: true });
  }

  /** Visits the root. Rejects with what its listing rejects with. */
  async enterRoot(): Promise<void> {
    await this.#directories.next();
    this.#hasExclude = this.files.hasExclude;
  }

  /** Visits the rest as the command lists it. Returns whether ripgrep, started after `enterRoot`, applies the same rules. */
  async visit(list: OwnCommand): Promise<boolean> {
    const chunks: Buffer[] = [];
    for await (const chunk of list.output()) chunks.push(chunk);
    if (!this.#tree.take(Buffer.concat(chunks).toString(), this.#exceptNames)) return false;
    while (!(await this.#directories.next()).done && !this.#differs);
    return !this.#differs;
  }

  /** What was passed over because the grant excepts its name. */
  get exceptedByName(): number {
    return this.#tally.count("policy");
  }

  async stop(): Promise<void> {
    await this.#directories.return();
  }

  get #differs(): boolean {
    const { skipped, hasExclude, hasGitElsewhere } = this.files;
    const hasOtherExclude = hasExclude !== this.#hasExclude || (hasExclude && hasGitElsewhere);
    return skipped > 0 || hasOtherExclude || this.#tally.count("deep") > 0;
  }
}
