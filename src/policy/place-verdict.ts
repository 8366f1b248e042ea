/** The verdict on a file, with the rules of the user. */
import { isWithin, type PolicyFiles } from "../kernel/index.js";
import { normalizePath } from "../text/index.js";
import { judgePath, type PolicyRoot } from "./path-verdict.js";
import { type RuleBook, type RulePlace, ruleVerdict } from "./rules/index.js";
import { strictest, type Verdict } from "./verdict.js";

/** Where calls are judged, and by which rules. */
export interface PolicyPlace {
  readonly roots: readonly Required<PolicyRoot>[];
  readonly home: string;
  readonly rules: RuleBook;
  readonly sensitive: readonly string[];
  /** Whether the model was shown untrusted content in this session. */
  readonly isTainted: boolean;
  /** What was looked up on the target. Absent: files are judged as they are written. */
  readonly files?: PolicyFiles | undefined;
}

export function judgePlace(place: RulePlace, { roots, rules, sensitive }: PolicyPlace): Verdict {
  const path = normalizePath(place.path);
  const rule = rules.forPlace({ ...place, path });
  const opened = rules.openedAt(path);
  const verdict = judgePath(place, { roots, sensitive, opened });
  const isInside = roots.some((root) => isWithin(root.path, path));
  const opening = verdict.effect === "allow" && !isInside ? opened[0]?.rule : undefined;
  const named =
    opening === undefined ? verdict : { ...verdict, ...ruleVerdict(opening, `"${path}" is outside the workspace`) };
  if (rule === undefined) return named;
  const changes = place.access.some((access) => access !== "read");
  const isPart = place.scope === "tree" && place.isWhole;
  const what = `"${path}" would be ${changes ? "changed" : "read"}${isPart || place.glob === true ? ", or something in it" : ""}`;
  return strictest([named, ruleVerdict(rule, what, changes ? undefined : `read ${path}`)]) ?? named;
}
