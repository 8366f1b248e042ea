/** Finds out whether a remote ripgrep applies the same ignore files as our own engine. */
import {
  PauseCheck,
  RuleFiles,
  type RulesAbove,
  rulesAbove,
  type SearchScope,
  SearchTally,
  visitTree,
} from "../../../engines/search/index.js";
import type { GrepQuery } from "../../../kernel/index.js";
import type { OwnCommand } from "../shell/own-command.js";
import type { RemoteSearchSource } from "./remote-search-source.js";
import { type KindsOf, listRules, RuleTree } from "./rule-tree.js";

interface RuleVisitOptions {
  readonly query: GrepQuery;
  readonly scope: SearchScope;
  readonly source: RemoteSearchSource;
  readonly kindsOf: KindsOf;
}

/**
 * Visits the directories that have ignore files or something that the grant excepts by name. ripgrep would apply an ignore file
 * that is a symlink to a file that may not be read, and wait for a FIFO. Also counts what is excepted.
 */
export class RuleVisit {
  /** What was found of the ignore files in the root and above it. */
  readonly files: RuleFiles;
  readonly #options: RuleVisitOptions;
  readonly #tree: RuleTree;
  readonly #lookedUp: Promise<void>;
  #tally = new SearchTally();

  constructor(options: RuleVisitOptions) {
    const { query, scope, source, kindsOf } = options;
    this.#options = options;
    this.#tree = new RuleTree(source, query.root);
    this.files = new RuleFiles(this.#tree, scope);
    this.#lookedUp = this.#tree.lookUp(kindsOf);
    // Awaited by `enterRoot`.
    this.#lookedUp.catch(() => {});
  }

  /** The command that lists those below, and what the grant excepts by name. */
  get command(): string {
    return listRules(this.#options.query, this.#options.scope.exceptNames);
  }

  /** The rules from above the root; those in the root are read, too. */
  async enterRoot(): Promise<RulesAbove> {
    const { query, scope } = this.#options;
    await this.#lookedUp;
    const above = await rulesAbove(this.files, query.root, scope.workspace, new PauseCheck(scope));
    await this.#visitAll(this.files, () => false);
    return above;
  }

  /** Visits everything that the command lists. Returns whether ripgrep, started after `enterRoot`, applies the same rules. */
  async visit(list: OwnCommand): Promise<boolean> {
    const { scope } = this.#options;
    const chunks: Buffer[] = [];
    for await (const chunk of list.output()) chunks.push(chunk);
    if (!this.#tree.take(Buffer.concat(chunks).toString(), scope.exceptNames)) return false;
    await this.#tree.readAhead();
    const files = new RuleFiles(this.#tree, scope);
    const differs = (): boolean => {
      const hasOtherExclude = files.hasExclude !== this.files.hasExclude || (files.hasExclude && files.hasGitElsewhere);
      return files.skipped > 0 || hasOtherExclude || this.#tally.count("deep") > 0;
    };
    this.#tally = new SearchTally();
    await this.#visitAll(files, () => files.skipped > 0);
    return !differs();
  }

  /** What was passed over because the grant excepts its name. */
  get exceptedByName(): number {
    return this.#tally.count("policy");
  }

  async #visitAll(files: RuleFiles, isEnough: () => boolean): Promise<void> {
    const { query, scope } = this.#options;
    const options = { files, onlyDirectories: true };
    for await (const _ of visitTree(this.#tree, query, scope, this.#tally, options)) if (isEnough()) return;
  }
}
