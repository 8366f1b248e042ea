/** A terminal without a program behind it: it enforces the grant as a real one, and notes what reaches it. */
import {
  type Backend,
  type CaptureOptions,
  coversPane,
  DEFAULT_PANE,
  HaftError,
  keysAsText,
  type PaneAction,
  type PaneState,
  requireCommand,
  type Terminal,
} from "../../kernel/index.js";
import { override } from "./wrap-backend.js";

export interface FakeTerminal {
  /** What each pane shows, by id. */
  readonly screens: Record<string, string>;
  /** Changes of a pane's state. */
  readonly states: Record<string, Partial<PaneState>>;
  /** "send %1: ls\n", "dispatch %1: npm test", "capture %1", in their order. */
  readonly seen: string[];
  readonly captures: CaptureOptions[];
}

/** The same backend with a terminal of one pane, "%1". */
export function withFakeTerminal<B extends Backend>(backend: B): B & { readonly fake: FakeTerminal } {
  const fake: FakeTerminal = { screens: { "%1": "" }, states: {}, seen: [], captures: [] };
  const stateOf = (asked: string): PaneState => {
    const pane = asked === DEFAULT_PANE ? "%1" : asked;
    if (!Object.hasOwn(fake.screens, pane))
      throw new HaftError("TERMINAL_PANE_GONE", `There is no pane "${pane}". \`panes\` lists them.`, {
        details: { pane },
      });
    return {
      pane,
      session: "haft-test",
      title: "shared",
      size: [80, 24],
      shell: "prompt",
      command: "sh",
      alternate: false,
      owned: true,
      ...fake.states[pane],
    };
  };
  const flags = { ...backend.flags, terminal: true };
  const bind: Backend["bind"] = (grant, call) => {
    const requirePane = (id: string, action: PaneAction, input?: string): void => {
      call.signal.throwIfAborted();
      if (!coversPane(grant, id, action, input)) throw new HaftError("CALL_UNCLAIMED", `Not claimed: ${action} ${id}.`);
    };
    const terminal: Terminal = {
      async list() {
        requirePane("*", "list");
        return Object.keys(fake.screens).map(stateOf);
      },
      async open({ name = "", cwd = "" }) {
        requirePane("*", "open");
        const pane = `%${Object.keys(fake.screens).length + 1}`;
        fake.screens[pane] = "";
        fake.states[pane] = { title: name };
        fake.seen.push(`open ${pane} in ${cwd}`);
        return stateOf(pane);
      },
      async close(pane) {
        requirePane(pane, "close");
        stateOf(pane);
        delete fake.screens[pane];
        fake.seen.push(`close ${pane}`);
      },
      async capture(pane, options) {
        requirePane(pane, "read");
        const state = stateOf(pane);
        fake.seen.push(`capture ${state.pane}`);
        fake.captures.push(options);
        return { text: fake.screens[state.pane]!, state, fellBack: options.alternate && !state.alternate };
      },
      async send(pane, keys) {
        requirePane(pane, "write", keysAsText(keys));
        const state = stateOf(pane);
        fake.seen.push(`send ${state.pane}: ${keysAsText(keys)}`);
        return state;
      },
      async run() {
        throw new HaftError("BACKEND_UNSUPPORTED", "No command runs here.");
      },
      async dispatch(pane, command, { cwd = "/" }) {
        requireCommand(grant, command, { cwd }, "foreground");
        const state = stateOf(pane);
        if (state.shell !== "prompt")
          throw new HaftError("TERMINAL_BUSY", `The pane "${state.pane}" is busy: "${state.command}" runs.`, {
            details: { pane: state.pane, command: state.command },
          });
        fake.states[state.pane] = { shell: "busy", command: command.split(" ")[0] ?? "" };
        fake.seen.push(`dispatch ${state.pane}: ${command} in ${cwd}`);
        return { ...state, ...stateOf(pane) };
      },
    };
    return { ...backend.bind(grant, call), terminal };
  };
  return override(
    backend as B & { readonly fake: FakeTerminal },
    { flags, bind, fake } as Partial<B & { readonly fake: FakeTerminal }>,
  );
}
