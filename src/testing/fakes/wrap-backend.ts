import type { Backend, Fs, Ports, Search, Shell } from "../../kernel/index.js";

interface PortWrappers {
  fs?(fs: Fs): Fs;
  shell?(shell: Shell): Shell;
  search?(search: Search): Search;
}

/** The same backend with changed ports, the unguarded ones too. */
export function wrapBackend<B extends Backend>(backend: B, wrap: PortWrappers): B {
  const ports = ({ fs, shell, search, ...rest }: Ports): Ports => ({
    ...rest,
    fs: wrap.fs?.(fs) ?? fs,
    shell: wrap.shell?.(shell) ?? shell,
    search: wrap.search?.(search) ?? search,
  });
  const { fs, shell } = backend.root;
  const changed: Pick<Backend, "root" | "bind"> = {
    root: { fs: wrap.fs?.(fs) ?? fs, shell: wrap.shell?.(shell) ?? shell },
    bind: (grant, call) => ports(backend.bind(grant, call)),
  };
  return override(backend, changed as Partial<B>);
}

/** The same object with some of its members replaced; the others keep their own `this`. */
export function override<P extends object>(port: P, changed: Partial<P>): P {
  return new Proxy(port, {
    get(target, key) {
      if (Object.hasOwn(changed, key)) return Reflect.get(changed, key);
      const value: unknown = Reflect.get(target, key, target);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
}
