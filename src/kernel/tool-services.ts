/** The services of a host as tools get them: frozen, so that a tool cannot replace a method of the host's own object. */
import type { HostServices } from "./context.js";
import { elapsedMs } from "./deadline.js";

type ToolServices = Readonly<Pick<HostServices, "clock" | "ids" | "digest" | "media">>;

const KNOWN = new WeakMap<HostServices, ToolServices>();

export function toolServices(host: HostServices): ToolServices {
  const known = KNOWN.get(host);
  if (known !== undefined) return known;
  const { clock, ids, media, digest } = host;
  const services: ToolServices = {
    clock: Object.freeze<ToolServices["clock"]>({
      now: () => clock.now(),
      elapsed: () => elapsedMs(clock),
      timer: (ms, resolve) => clock.timer(ms, resolve),
    }),
    ids: Object.freeze<ToolServices["ids"]>({ next: (kind) => ids.next(kind) }),
    digest: Object.freeze((bytes: Uint8Array | string) => digest(bytes)),
    ...(media === undefined
      ? {}
      : {
          media: Object.freeze<NonNullable<ToolServices["media"]>>({
            fitImage: (...given) => media.fitImage(...given),
            pdfText: (...given) => media.pdfText(...given),
          }),
        }),
  };
  KNOWN.set(host, services);
  return services;
}
