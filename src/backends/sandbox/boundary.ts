/** What file tools may use: what commands in the sandbox can use, under the same paths. */
import { isWithin } from "../../kernel/index.js";
import type { Launcher } from "../local/index.js";
import { type Mount, mountAt } from "./layout.js";

export type Boundary = Pick<Launcher, "refusal" | "hidden">;

export function boundaryOf(mounts: readonly Mount[]): Boundary {
  return {
    hidden: mounts.filter((mount) => mount.how === "private" || isEmpty(mount)).map(({ path }) => path),
    refusal(real, access) {
      const mount = mountAt(mounts, real);
      if (mount?.how === "private") {
        const instead = mount.source + real.slice(mount.path.length);
        return `in the sandbox, "${mount.path}" is the private directory "${mount.source}". For what a command wrote there, use "${instead}".`;
      }
      if (mount === undefined || mount.how === "symlink" || isEmpty(mount))
        return `commands in the sandbox do not see it. To let them, the user adds it to \`sandbox.readable\` in haft.jsonc, or works without a sandbox.`;
      if (access === "read") return undefined;
      if (mount.how === "guarded") return keptRefusal(mount.path);
      if (mount.how === "read")
        return `it is read-only in the sandbox. Change files in the workspace; for other directories, the user adds them to \`sandbox.writable\` in haft.jsonc.`;
      const removes = access === "delete" || access === "write";
      // In a private directory lie the places of what is mounted where it is seen, such as `/tmp`.
      const places = [real, ...seenAs(mounts, real)];
      const lost = removes ? mounts.find(({ path }) => places.some((place) => isWithin(place, path))) : undefined;
      return lost === undefined ? undefined : keptRefusal(lost.path);
    },
  };
}

const isEmpty = ({ how, source }: Mount): boolean => how === "empty" || source === "/dev/null";

/** The other paths that commands have for what is in a private directory. */
function seenAs(mounts: readonly Mount[], real: string): readonly string[] {
  return mounts
    .filter(({ how, source }) => how === "private" && isWithin(source, real))
    .map(({ path, source }) => path + real.slice(source.length));
}

const keptRefusal = (path: string): string =>
  `git, an editor or the sandbox itself depends on "${path}", which stays as it is in a sandbox. Ask the user to change it.`;
