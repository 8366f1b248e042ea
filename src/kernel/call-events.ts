/** The events of one call on their way to the host: redacted, output across its parts. */
import type { HostContext } from "./context.js";
import { callSafely } from "./errors.js";
import { mapTexts, redactText } from "./redact-text.js";
import { RedactedStream } from "./redacted-stream.js";
import type { Redactor } from "./services.js";
import type { OutputEvent, ToolEvent } from "./tool-event.js";

interface Followed {
  readonly redacted: RedactedStream;
  /** Where the next part begins if none is left out. */
  next: number;
}

export class CallEvents {
  readonly #streams = new Map<OutputEvent["stream"], Followed>();

  constructor(
    private readonly callId: string,
    private readonly context: HostContext,
  ) {}

  /** Errors of the listener are ignored, and what cannot be redacted is not sent. */
  emit(event: ToolEvent): void {
    const { redactor } = this.context.host;
    if (this.context.onEvent === undefined) return;
    callSafely(() => {
      if (redactor === undefined) this.#send(event);
      else if (event.kind === "output") this.#output(redactor, event);
      else this.#send(mapTexts(event, (text) => redactText(redactor, text)) as ToolEvent);
    });
  }

  /** Sends what was held back; called when the tool has ended. */
  flush(): void {
    for (const [stream, followed] of this.#streams) callSafely(() => this.#rest(stream, followed));
    this.#streams.clear();
  }

  #output(redactor: Redactor, { stream, offset, bytes }: OutputEvent): void {
    let followed = this.#streams.get(stream);
    if (followed !== undefined && followed.next !== offset) {
      this.#rest(stream, followed);
      followed = undefined;
    }
    followed ??= { redacted: new RedactedStream(redactor), next: offset };
    this.#streams.set(stream, followed);
    const from = offset - followed.redacted.heldBytes;
    followed.next = offset + bytes.length;
    const shown = followed.redacted.push(bytes);
    if (shown.length > 0 || bytes.length === 0) this.#send({ kind: "output", stream, offset: from, bytes: shown });
  }

  #rest(stream: OutputEvent["stream"], { redacted, next }: Followed): void {
    const offset = next - redacted.heldBytes;
    const bytes = redacted.end();
    if (bytes.length > 0) this.#send({ kind: "output", stream, offset, bytes });
  }

  #send(event: ToolEvent): void {
    this.context.onEvent?.({ ...event, callId: this.callId });
  }
}
