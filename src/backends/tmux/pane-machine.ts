/** What the terminals of one backend share. */
import type { Backend, PaneResult } from "../../kernel/index.js";
import type { ClaimQueue } from "./claim-queue.js";
import type { PaneEvents } from "./pane-events.js";
import type { Panes } from "./panes.js";
import type { TmuxServer } from "./tmux-server.js";

export interface PaneMachine {
  readonly backend: Backend;
  readonly server: TmuxServer;
  readonly panes: Panes;
  readonly events: PaneEvents;
  /** Commands that are waited for. */
  readonly running: Set<Promise<PaneResult>>;
  readonly queue: ClaimQueue;
}
