import type { Binding } from "../backend.js";
import { type Grant, isWithin, type Place } from "../claims.js";

/**
 * The binding of one search. A root that leads elsewhere is judged as what is searched, its whole tree, with one question:
 * where that is allowed, the grant covers the real tree from then on, without what the decision excepts in it. What is
 * excepted there is also excepted by its path below the root. All of it holds for this search alone.
 *
 * A root that the call claimed without what lies below it is judged by itself, as any path is.
 */
export function searchBinding({ grant, call }: Binding, root: string): Binding {
  const readsTree = ({ path, scope, access }: Place) =>
    scope === "tree" && access.includes("read") && isWithin(path, root);
  const trees = grant.files.filter(readsTree);
  if (trees.length === 0) return { grant, call };
  const files = [...grant.files];
  const except = [...grant.except];
  const addTree = (tree: Place, excepted: readonly string[]): void => {
    files.push(tree);
    for (const path of excepted) {
      if (path === tree.path || !isWithin(tree.path, path)) continue;
      except.push(path, `${root === "/" ? "" : root}${tree.path === "/" ? path : path.slice(tree.path.length)}`);
    }
  };
  // A pair tells of the claim that was judged: of the whole tree only where that was claimed at this very path.
  const isJudgedWhole = trees.some(({ path }) => path === root);
  const ofRoot = grant.moved.filter(({ asked }) => asked === root);
  if (isJudgedWhole) for (const { real } of ofRoot) addTree({ path: real, access: ["read"], scope: "tree" }, except);
  const forSearch: Grant = {
    ...grant,
    files,
    except,
    moved: isJudgedWhole ? grant.moved : grant.moved.filter((pair) => !ofRoot.includes(pair)),
  };
  return {
    grant: forSearch,
    call: {
      ...call,
      async moved(asked, real) {
        if (asked !== root) return call.moved(asked, real);
        const tree: Place = { ...real, scope: "tree" };
        const decision = await call.moved(asked, tree);
        if (decision.effect === "allow") addTree(tree, [...grant.except, ...decision.grant.except]);
        return decision;
      },
    },
  };
}
