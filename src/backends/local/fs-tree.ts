/** Folders: listing, making, removing and moving, each through a held folder. */
import {
  lchownSync,
  linkSync,
  lstatSync,
  lutimesSync,
  mkdirSync,
  promises,
  readlinkSync,
  renameSync,
  rmdirSync,
  symlinkSync,
  unlinkSync,
} from "node:fs";
import { DOING, intoItself, refusedBy } from "../../kernel/index.js";
import { type Anchor, type GuardMode, openAnchor, openAnchorItself } from "./fs-anchor.js";
import { fsFault, notFound, type Patience, systemCode } from "./fs-faults.js";
import type { Spot, SpotFinder } from "./fs-spot.js";

/** Names between two looks at whether the caller still waits. */
const NAMES_PER_STEP = 500;

/** What opening a folder says when the folder, or one above it, is not there. */
const IN_THE_WAY: ReadonlySet<string> = new Set(["ENOENT", "ENOTDIR"]);

/** The names in a folder, in code-unit order. */
export async function sortedNames(anchor: Anchor): Promise<string[]> {
  const names = await promises.readdir(anchor.at(""));
  return names.sort((one, other) => (one < other ? -1 : 1));
}

/** Makes one folder. @throws EEXIST, ENOENT. */
export function makeFolder(spot: Spot): void {
  mkdirSync(spot.path, 0o777);
}

/**
 * Makes a folder and those above it that are missing. Each is made in the held folder above it, so a link that takes the
 * place of one meanwhile is not walked through unjudged.
 */
export async function makeFolders(path: string, finder: SpotFinder, patience: Patience): Promise<void> {
  const missing: string[] = [];
  let anchor: Anchor | undefined;
  let existing = path;
  try {
    while (anchor === undefined) {
      try {
        anchor = openAnchor(existing, finder.mode);
      } catch (thrown) {
        // A file, or a link that leads nowhere, is in the way as well; making its name tells which.
        if (!IN_THE_WAY.has(systemCode(thrown) ?? "") || existing === "/") throw thrown;
        const slash = existing.lastIndexOf("/");
        missing.unshift(existing.slice(slash + 1));
        existing = existing.slice(0, slash) || "/";
      }
    }
    for (let index = 0; index < missing.length; index++) {
      const above: Anchor = anchor;
      const name = missing[index]!;
      patience.check();
      await finder.requireReal(
        path,
        [above.real === "/" ? "" : above.real, ...missing.slice(index)].join("/"),
        "create",
      );
      try {
        mkdirSync(above.at(name), 0o777);
      } catch (thrown) {
        if (systemCode(thrown) !== "EEXIST") throw thrown;
      }
      const info = lstatSync(above.at(name));
      if (!info.isDirectory()) {
        const isInTheWay = index < missing.length - 1 && !info.isSymbolicLink();
        throw refusedBy(isInTheWay ? "ENOTDIR" : "EEXIST", DOING.making, path);
      }
      anchor = openAnchorItself(above.at(name), finder.mode);
      above.close();
    }
    if (missing.length === 0) await finder.requireReal(path, anchor.real, "create");
  } catch (thrown) {
    throw fsFault(thrown, DOING.making[0], path);
  } finally {
    anchor?.close();
  }
}

/** Removes what stands at the place; a folder only when it is empty. Links are removed, not followed. */
export function removeOne(spot: Spot): void {
  if (spot.info?.isDirectory()) rmdirSync(spot.path);
  else unlinkSync(spot.path);
}

/**
 * Removes a folder with all below it. No link is followed: each folder is entered through the held one above it.
 * @param beforeInside - Called before the first thing inside is removed; throws when it must stay.
 */
export async function removeTree(
  spot: Spot,
  mode: GuardMode,
  patience: Patience,
  beforeInside: () => void,
): Promise<void> {
  await emptyFolder(spot.path, mode, patience, beforeInside);
  rmdirSync(spot.path);
}

async function emptyFolder(path: string, mode: GuardMode, patience: Patience, beforeInside: () => void): Promise<void> {
  const folder = openAnchorItself(path, mode);
  try {
    const names = await promises.readdir(folder.at(""));
    if (names.length > 0) beforeInside();
    let done = 0;
    for (const name of names) {
      if (done++ % NAMES_PER_STEP === 0) patience.check();
      const child = folder.at(name);
      const info = lstatSync(child, { throwIfNoEntry: false });
      if (info === undefined) continue;
      if (!info.isDirectory()) unlinkSync(child);
      else {
        await emptyFolder(child, mode, patience, beforeInside);
        rmdirSync(child);
      }
    }
  } finally {
    folder.close();
  }
}

/** Moves what stands at one place to the other. Without `replace` the new name must be free, also at the last moment. */
export function move(from: Spot, to: Spot, replace: boolean, mode: GuardMode): void {
  if (from.info === undefined) throw notFound(DOING.moving[0], from.asked, "rename");
  if (to.real === from.real) return;
  if (to.real.startsWith(`${from.real}/`)) throw intoItself(DOING.moving[0], from.asked, to.asked);
  if (replace) renameSync(from.path, to.path);
  else if (from.info.isDirectory()) moveFolderToFreeName(from, to);
  else moveToFreeName(from, to, mode);
}

function moveFolderToFreeName(from: Spot, to: Spot): void {
  // A folder takes the place of an empty one: making that first is what fails when the name is taken.
  mkdirSync(to.path);
  try {
    renameSync(from.path, to.path);
  } catch (thrown) {
    rmdirSync(to.path);
    throw thrown;
  }
}

/** A second name first, which fails when the new one is taken; where that is not allowed, a look has to do. */
function moveToFreeName(from: Spot, to: Spot, mode: GuardMode): void {
  try {
    // Linux gives a link itself a second name. Other systems give it to what the link leads to.
    if (mode === "checked" && from.info!.isSymbolicLink()) makeLinkAgain(from, to);
    else linkSync(from.path, to.path);
  } catch (thrown) {
    if (systemCode(thrown) === "EEXIST" || to.info !== undefined) throw thrown;
    renameSync(from.path, to.path);
    return;
  }
  orTakeBack(to, () => unlinkSync(from.path));
}

/** The same link under the other name, with the owner and the times of the old one. */
function makeLinkAgain(from: Spot, to: Spot): void {
  const { uid, gid, atimeNs, mtimeNs } = from.info!;
  symlinkSync(readlinkSync(from.path, "buffer"), to.path);
  orTakeBack(to, () => {
    const made = lstatSync(to.path, { bigint: true });
    if (made.uid !== uid || made.gid !== gid) lchownSync(to.path, Number(uid), Number(gid));
    lutimesSync(to.path, secondsOf(atimeNs), secondsOf(mtimeNs));
  });
}

/** Half a microsecond more, so that what is lost of the nanoseconds never makes it the millisecond before. */
function secondsOf(timeNs: bigint): number {
  return (Number(timeNs / 1000n) + 0.5) / 1e6;
}

/** When `act` fails, the name that has just been made goes again; where the old one has gone meanwhile it may be the last. */
function orTakeBack(made: Spot, act: () => void): void {
  try {
    act();
  } catch (thrown) {
    if (systemCode(thrown) === "ENOENT") return;
    unlinkSync(made.path);
    throw thrown;
  }
}
