/** The real machines that `.ci/services up DIR` has started, named by HAFT_SERVICES=DIR. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe } from "vitest";

/** What each service gives to tests; paths and names are of one DIR. */
export interface Services {
  readonly ssh: {
    /** A configuration of the client: `ssh -F CONFIG HOST`. */
    readonly config: string;
    readonly user: string;
    /** The home of that user on all hosts except `busybox`. Empty at first. */
    readonly home: string;
    readonly hosts: {
      /** Shell: bash. */
      readonly box: string;
      /** Of `box`: the client knows another host key; has a key that is not accepted; goes by way of `box`. */
      readonly wrongKey: string;
      readonly noKey: string;
      readonly jumped: string;
      /** Only the applets of busybox. Absent without `links`. */
      readonly busybox?: string;
      /** Hosts whose link can be cut: `ip link set LINK down`, and `up`. */
      readonly cut: readonly string[];
    };
    /** The link of each host that has one of its own. */
    readonly linkOf: Readonly<Record<string, string>>;
  };
  readonly podman: Engine;
  /** The docker client on the socket of the same podman. */
  readonly docker: Engine;
  readonly postgres: {
    /** A database of its own, as superuser and without a password. Tests use schemas of their own in it. */
    readonly url: string;
    /** A second server, which asks for a password. One test file uses it: it stops it by `control stop`, and starts it again. */
    readonly spare: { readonly url: string; readonly control: string };
  };
}

interface Engine {
  /** Environment of the client. */
  readonly env: Readonly<Record<string, string>>;
  readonly image: string;
  /** A running container of the image; its PID 1 reaps. */
  readonly container: string;
}

type Absent = Readonly<Record<string, string>>;

/** Services that a test can need; `links` are the hosts in network namespaces. */
export type ServiceName = keyof Services | "links";

const directory = process.env.HAFT_SERVICES;

const found: Partial<Services> & { readonly absent: Absent } =
  directory === undefined || directory === ""
    ? { absent: {} }
    : (JSON.parse(readFileSync(join(directory, "services.json"), "utf8")) as Partial<Services> & { absent: Absent });

/** Why a service is absent; undefined if it is there. */
export function whyAbsent(name: ServiceName): string | undefined {
  if (name === "links" ? (found.ssh?.hosts.cut.length ?? 0) > 0 : found[name] !== undefined) return undefined;
  return found.absent[name] ?? "run `.ci/services up DIR` as root and set HAFT_SERVICES=DIR";
}

/** A service that is there. Call it in hooks and tests: the body of `withServices` runs for skipped tests too. */
export function service<Name extends keyof Services>(name: Name): Services[Name] {
  const one = found[name];
  if (one === undefined) throw new Error(`The service ${name} is absent: ${whyAbsent(name)}`);
  return one as Services[Name];
}

/** A `describe` of tests that need services. Where one is absent they are skipped, and said so; with REQUIRE_ALL=1 they fail. */
export function withServices(names: readonly ServiceName[], title: string, tests: () => void): void {
  describeUnless(names.flatMap((name) => whyAbsent(name) ?? []).at(0), title, tests);
}

/** A `describe` of tests that are skipped for a reason, and said so; with REQUIRE_ALL=1 they fail. */
export function describeUnless(reason: string | undefined, title: string, tests: () => void): void {
  if (reason === undefined) {
    describe(title, tests);
    return;
  }
  if (process.env.REQUIRE_ALL === "1") throw new Error(`Tests of ${title} cannot run: ${reason}.`);
  process.stderr.write(`skipped: tests of ${title} (cannot: ${reason})\n`);
  describe.skip(`${title} (cannot: ${reason})`, tests);
}

/** Skips one test for a reason that shows only while it runs; with REQUIRE_ALL=1 it fails. Return what this returns. */
export function skipTest(context: { skip(reason: string): never }, reason: string): never {
  if (process.env.REQUIRE_ALL === "1") throw new Error(`This test cannot run: ${reason}.`);
  return context.skip(reason);
}
