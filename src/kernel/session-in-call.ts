/** The session as one call reaches it: all of it ends with the call, so that a tool that continues cannot change what comes after. */
import type { Artifacts } from "./services.js";
import type { Framework, OutputsSeen, ReadState, Session } from "./session.js";

/** Throws once the call has ended. */
export type RequireLife = () => void;

/** `session` with artifacts that end with the call already. Its name stays. */
export function sessionUntilEnd(session: Session, artifacts: Artifacts, requireLife: RequireLife): Session {
  const { id, readState, todo, caches, symlinks, outputsSeen } = session;
  return {
    id,
    artifacts,
    readState: viewUntilEnd(readState, requireLife),
    symlinks: viewUntilEnd(symlinks, requireLife),
    ...(outputsSeen === undefined ? {} : { outputsSeen: viewUntilEnd<OutputsSeen>(outputsSeen, requireLife) }),
    ...(caches === undefined ? {} : { caches: viewUntilEnd(caches, requireLife) }),
    cwd(backend) {
      requireLife();
      return session.cwd(backend);
    },
    setCwd(backend, path) {
      requireLife();
      session.setCwd(backend, path);
    },
    todo: {
      async read() {
        requireLife();
        return todo.read();
      },
      async replace(items) {
        requireLife();
        return todo.replace(items);
      },
    },
  };
}

/** The handles of the host. What they hold beside the read-state is passed on as it is. */
export function frameworkUntilEnd(framework: Framework, requireLife: RequireLife): Framework {
  const { readState } = framework;
  return readState === undefined
    ? framework
    : { ...framework, readState: viewUntilEnd<ReadState>(readState, requireLife) };
}

/** `target` for whoever looks at it, of which no member can be had or used once the call has ended. */
function viewUntilEnd<T extends object>(target: T, requireLife: RequireLife): T {
  // The proxy is of an empty object: of a frozen handle it would have to give the members themselves.
  const view = new Proxy(Object.create(Object.getPrototypeOf(target)) as T, {
    get(_, key) {
      requireLife();
      const member: unknown = Reflect.get(target, key);
      if (typeof member !== "function") return member;
      return (...given: unknown[]) => {
        requireLife();
        // A map's own methods work on the map alone, and some give it back.
        const result: unknown = Reflect.apply(member, target, given);
        return result === target ? view : result;
      };
    },
    set(_, key, value) {
      requireLife();
      return Reflect.set(target, key, value);
    },
    has: (_, key) => Reflect.has(target, key),
  });
  return view;
}
