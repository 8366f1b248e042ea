/** A disk that is soon full, for tests. */
import { execFileSync } from "node:child_process";
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

export interface SmallDisk {
  /** Its root; real, empty at first. */
  readonly path: string;
  /** Uses up the free space with the file "filler". */
  fill(): void;
  dispose(): void;
}

/** @returns undefined where nothing can be mounted: that takes root. */
export function mountSmallDisk(sizeKiB: number): SmallDisk | undefined {
  const path = realpathSync(mkdtempSync(join(tmpdir(), "haft-full-")));
  try {
    execFileSync("mount", ["-t", "tmpfs", "-o", `size=${sizeKiB}k`, "none", path], { stdio: "ignore" });
  } catch {
    rmSync(path, { recursive: true });
    return undefined;
  }
  return {
    path,
    fill() {
      try {
        writeFileSync(join(path, "filler"), new Uint8Array(sizeKiB * 1024));
      } catch {
        // The disk is full.
      }
    },
    dispose() {
      execFileSync("umount", ["-l", path]);
      rmSync(path, { recursive: true });
    },
  };
}
