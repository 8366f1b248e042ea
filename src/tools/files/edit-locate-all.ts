import { endsAreOpen, type Located, type LocateOptions, stageOf, TakenPlaces } from "./edit-locate.js";
import type { StageSearch } from "./edit-match.js";
import type { Units } from "./edit-search.js";
import { UnitSearchMany } from "./edit-search-many.js";
import { type Haystack, STAGES } from "./edit-stages.js";

type Found = Extract<Located, { matches: unknown }>;

/** Units of texts that are looked for in one pass: they take about 24 times as many bytes. */
const UNITS_SOUGHT_TOGETHER = 2_000_000;

/**
 * The places of many texts, as `locate` finds them one by one, in as many passes over the file as there are stages; for a
 * text that `locate` refuses, undefined.
 */
export async function locateAll(
  haystack: Haystack,
  wanteds: readonly Units[],
  options: LocateOptions,
  rest: () => Promise<void>,
): Promise<readonly (Found | undefined)[]> {
  const located: (Found | undefined)[] = wanteds.map(() => undefined);
  let open = wanteds.map((_, index) => index).filter((index) => wanteds[index]!.length > 0);
  for (const stage of options.stages) {
    const taken = new Map<number, TakenPlaces>();
    const searches: { readonly index: number; readonly search: StageSearch }[] = [];
    for (const index of open) {
      if (stage === "exact" && endsAreOpen(haystack, wanteds[index]!, options.stages)) continue;
      const search = STAGES[stage](haystack, wanteds[index]!, options.whitespace);
      if (search === undefined) continue;
      searches.push({ index, search });
      taken.set(index, new TakenPlaces(options.replaceAll));
    }
    for (const some of batches(searches.filter(({ search }) => search.differs))) {
      const many = new UnitSearchMany(some.map(({ search }) => search.needle));
      const found = (which: number, at: number) => {
        const { index, search } = some[which]!;
        const place = search.accept(at);
        return place === undefined || taken.get(index)!.add(place);
      };
      for (const _ of many.scan(some[0]!.search.units, found)) await rest();
    }
    for (const { index, search } of searches) {
      const places = taken.get(index)!;
      const last = search.last?.();
      if (last !== undefined) places.add(last);
      const { matches } = places;
      if (!places.isTooMany && matches.length > 0)
        located[index] = { stage: stageOf(stage, matches, wanteds[index]!, haystack.text.units), matches };
    }
    open = open.filter((index) => taken.get(index)?.matches.length === 0 || !taken.has(index));
    await rest();
  }
  return located;
}

/** Parts that can be looked for together without filling the memory. */
function* batches<T extends { readonly search: StageSearch }>(searches: readonly T[]): Generator<readonly T[]> {
  let some: T[] = [];
  let units = 0;
  for (const one of searches) {
    some.push(one);
    units += one.search.needle.length;
    if (units < UNITS_SOUGHT_TOGETHER) continue;
    yield some;
    some = [];
    units = 0;
  }
  if (some.length > 0) yield some;
}
