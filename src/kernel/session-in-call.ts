/** The session as one call reaches it: writes need the claim that fits, and all of it ends with the call. */
import { backendOf, type CallRun } from "./call-run.js";
import { coversJob, EMPTY_GRANT } from "./claims.js";
import { unclaimed } from "./guard.js";
import { requireClaimedPlace } from "./path-lock.js";
import type { CallSession, Framework, SessionView } from "./session.js";

/** What `claims` may read of the session. Nothing of it changes anything. */
export function sessionView(run: CallRun): SessionView {
  const { id, cwd, todo, artifacts } = callSession(run);
  return Object.freeze({
    id,
    cwd,
    todo: Object.freeze({ read: todo.read }),
    artifacts: Object.freeze({ read: artifacts.read, list: artifacts.list }),
  });
}

/** The session for `run`. */
export function callSession(run: CallRun): CallSession {
  const { life, target } = run;
  const { session } = run.context;
  const { requireLife } = life;
  const pathKey = (real: string) => `${backendOf(run).machine}:${real}`;
  const jobKey = (id: string) => `${target.name} ${id}`;
  return Object.freeze({
    id: session.id,
    artifacts: life.artifacts,
    cwd(name: string) {
      requireLife();
      return session.cwd(name);
    },
    setCwd(path: string) {
      requireLife();
      if (run.grant?.commands.some((one) => one.cwd === path || one.real === path) !== true)
        throw unclaimed(`set the working directory to "${path}"`, { path }, "a command in it");
      session.setCwd(target.name, path);
    },
    todo: Object.freeze({
      async read() {
        requireLife();
        return session.todo.read();
      },
      async replace(items: Parameters<CallSession["todo"]["replace"]>[0]) {
        requireLife();
        return session.todo.replace(items);
      },
    }),
    readState: Object.freeze<CallSession["readState"]>({
      get(real) {
        requireLife();
        return session.readState.get(pathKey(real));
      },
      has(real) {
        requireLife();
        return session.readState.has(pathKey(real));
      },
      set(real, record) {
        requireLife();
        requireClaimedPlace(run, real);
        session.readState.set(pathKey(real), record);
      },
    }),
    outputsSeen: Object.freeze<CallSession["outputsSeen"]>({
      get(id) {
        requireLife();
        return session.outputsSeen.get(jobKey(id));
      },
      set(id, seen) {
        requireLife();
        const { grant = EMPTY_GRANT } = run;
        if (grant.commands.length === 0 && !coversJob(grant, id, "read"))
          throw unclaimed(`mark the output of "${id}" as shown`, { job: id }, "the job");
        session.outputsSeen.set(jobKey(id), seen);
      },
    }),
    cache: Object.freeze<CallSession["cache"]>({
      get(name) {
        requireLife();
        return session.caches.get(run.tool.body)?.get(name);
      },
      set(name, value) {
        requireLife();
        const { caches } = session;
        const own = caches.get(run.tool.body) ?? new Map<string, unknown>();
        own.set(name, value);
        caches.set(run.tool.body, own);
      },
    }),
  });
}

/** The handles of the host. What they hold beside the read-state is passed on as it is. */
export function callFramework(run: CallRun): Framework {
  const { framework } = run.context;
  const { readState } = framework;
  const { requireLife } = run.life;
  if (readState === undefined) return Object.freeze({ ...framework });
  return Object.freeze<Framework>({
    ...framework,
    readState: Object.freeze<typeof readState>({
      get(path) {
        requireLife();
        return readState.get(path);
      },
      has(path) {
        requireLife();
        return readState.has(path);
      },
      set(path, record) {
        requireLife();
        requireClaimedPlace(run, path);
        readState.set(path, record);
      },
    }),
  });
}
