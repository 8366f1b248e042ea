/** The verdict on a path that a call would touch, with the rules of the user. */
import { isWithin } from "../kernel/index.js";
import { normalizePath } from "../text/index.js";
import { judgePath } from "./path-verdict.js";
import type { PolicyContext } from "./policy-context.js";
import { ruleVerdict, type TouchedPath } from "./rules/index.js";
import { strictest, type Verdict } from "./verdict.js";

export function judgeTouchedPath(
  touched: TouchedPath,
  { roots, home, rules, sensitive, files, privatePaths = [] }: PolicyContext,
): Verdict {
  const path = normalizePath(touched.path);
  const own = privatePaths.filter((one) => isWithin(one, path)).map((one) => ({ path: one, access: "write" as const }));
  if (!rules.hasPaths) return judgePath(touched, { roots, home, sensitive, opened: own });
  const found = rules.forPath({ ...touched, path }, ({ id }) => files?.found.get(id)?.length !== 0);
  const opened = rules.openedAt(path);
  const verdict = judgePath(touched, { roots, home, sensitive, opened: [...opened, ...own] });
  const isInside = roots.some((root) => isWithin(root.path, path));
  const opening = verdict.effect === "allow" && !isInside ? opened[0]?.rule : undefined;
  const named =
    opening === undefined ? verdict : { ...verdict, ...ruleVerdict(opening, `"${path}" is outside the workspace`) };
  if (found === undefined) return named;
  const { rule } = found;
  const changes = touched.access.some((access) => access !== "read");
  const isPart = touched.scope === "tree" && touched.isWhole;
  const what = `"${path}" would be ${changes ? "changed" : "read"}${isPart || touched.glob === true ? ", or something in it" : ""}`;
  const stated = ruleVerdict(
    rule,
    what,
    changes ? {} : { remember: `read ${path}`, rememberedText: `reading "${path}"` },
  );
  return strictest([named, found.isInside && rule.effect === "deny" ? aboutPart(stated, touched) : stated]) ?? named;
}

/** A denied path in a tree: what reads the tree reads it, what changes the tree may leave it as it is. */
function aboutPart(verdict: Verdict, { path, access, glob }: TouchedPath): Verdict {
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
