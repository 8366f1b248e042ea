/** Whether a user has typed in a pane, by what tmux reports of its clients. */

/** Clients of users have the number 0; others are in control mode. */
export const LIST_CLIENTS = [
  "list-clients",
  "-F",
  "#{client_control_mode} #{client_created} #{client_activity} #{pane_id} #{client_name}",
];

/** Compares the clients of one pane from look to look. tmux counts their activity in seconds. */
export class UserKeys {
  readonly #pane: string;
  /** The last activity of each client, in seconds since the epoch. */
  readonly #activity = new Map<string, string>();
  wasTyped = false;

  constructor(pane: string) {
    this.#pane = pane;
  }

  /** @param clients - The answer to `LIST_CLIENTS`. The first look only stores what there was before. */
  note(clients: readonly string[], isFirst = false): void {
    for (const line of clients) {
      const [control, created = "", activity = "", pane, ...name] = line.split(" ");
      if (control !== "0") continue;
      const client = `${created} ${name.join(" ")}`;
      // A client that has just attached was never active before: its keys count from then on.
      const before = this.#activity.get(client) ?? created;
      this.#activity.set(client, activity);
      if (!isFirst && pane === this.#pane && activity !== before) this.wasTyped = true;
    }
  }
}
