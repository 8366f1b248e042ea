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

export function judgePlace(place: RulePlace, { roots, home, rules, sensitive, files }: PolicyPlace): Verdict {
  const path = normalizePath(place.path);
  const found = rules.forPlace({ ...place, path }, ({ id }) => files?.found.get(id)?.length !== 0);
  const opened = rules.openedAt(path);
  const verdict = judgePath(place, { roots, home, sensitive, opened });
  const isInside = roots.some((root) => isWithin(root.path, path));
  const opening = verdict.effect === "allow" && !isInside ? opened[0]?.rule : undefined;
  const named =
    opening === undefined ? verdict : { ...verdict, ...ruleVerdict(opening, `"${path}" is outside the workspace`) };
  if (found === undefined) return named;
  const { rule } = found;
  const changes = place.access.some((access) => access !== "read");
  const isPart = place.scope === "tree" && place.isWhole;
  const what = `"${path}" would be ${changes ? "changed" : "read"}${isPart || place.glob === true ? ", or something in it" : ""}`;
  const stated = ruleVerdict(
    rule,
    what,
    changes ? {} : { remember: `read ${path}`, rememberedText: `reading "${path}"` },
  );
  return strictest([named, found.isInside && rule.effect === "deny" ? aboutPart(stated, place) : stated]) ?? named;
}

/** A denied path in a tree: what reads the tree reads it, what changes the tree may leave it as it is. */
function aboutPart(verdict: Verdict, { path, access, glob }: RulePlace): Verdict {
  if (access.every((one) => one === "read")) {
    const step = "Name a directory without it, or use the tool `grep`, `find` or `ls`, which leave it out.";
    return { ...verdict, next: verdict.next === undefined ? step : `${step} ${verdict.next}` };
  }
  const isCertain = glob === true ? !path.includes("/**") : access.includes("delete");
  if (isCertain) return verdict;
  const { next: _, ...asked } = verdict;
  return {
    ...asked,
    effect: "ask",
    risk: "medium",
    reason: verdict.reason.replace(/denies it\.$/, "closes a path in it."),
  };
}
