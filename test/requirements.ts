/** Every promise that Haft makes to those who know one of its forerunners: what it is, and why a test does not prove it. */
import { INDUSAGI_PYTHON } from "./requirements/indusagi-python.js";
import { INDUSAGI_RUST } from "./requirements/indusagi-rust.js";
import { WEAKNESSES } from "./requirements/weaknesses.js";
import { ZEROCLAW_BUDDY } from "./requirements/zeroclaw-buddy.js";

/** Id, area, behaviour, and for what is not due yet the reason. */
export type RequirementRow = readonly [id: string, area: string, behavior: string, deferred?: string];

export interface Requirement {
  readonly seed: string;
  readonly area: string;
  readonly behavior: string;
  /** Why no test proves it yet. A test that does is then a mistake in this table. */
  readonly deferred?: string;
}

const SEEDS: Readonly<Record<string, string>> = {
  IR: "indusagi, Rust edition",
  IP: "indusagi, Python edition",
  ZC: "ZeroClaw",
  BD: "buddy",
  W: "all of them",
};

export const REQUIREMENTS: ReadonlyMap<string, Requirement> = new Map(
  [...INDUSAGI_RUST, ...INDUSAGI_PYTHON, ...ZEROCLAW_BUDDY, ...WEAKNESSES].map(([id, area, behavior, deferred]) => {
    const base = { seed: SEEDS[/^[A-Z]+/.exec(id)?.[0] ?? ""] ?? "", area, behavior };
    return [id, deferred === undefined ? base : { ...base, deferred }];
  }),
);
