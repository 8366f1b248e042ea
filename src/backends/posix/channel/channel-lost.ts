/** What a request ends with when the channel that carried it is gone. Seen only inside this room. */
export class ChannelLost extends Error {
  /** Whether the request had left: if not, it is safe to send it again. */
  readonly wasSent: boolean;

  constructor(why: string, wasSent: boolean) {
    super(why);
    this.wasSent = wasSent;
  }
}
