/** What is configured of the web, and what is therefore not checked. */
import type { LoadedConfig } from "../../configuration.js";
import { webSettings } from "../../web-settings.js";
import type { DoctorFinding } from "./finding.js";

export function webFindings({ settled }: LoadedConfig): readonly DoctorFinding[] {
  const { web } = settled;
  const { search: { provider = "duckduckgo" } = {}, privateHosts = [], proxy } = web;
  const list = privateHosts.length === 0 ? "none" : privateHosts.join(", ");
  const found = [`search: ${provider}`, `private hosts: ${list}`];
  const usual: DoctorFinding =
    proxy === undefined
      ? { id: "web", status: "ok", found: `${found.join("; ")}; no proxy` }
      : {
          id: "web",
          status: "limits",
          found: `${found.join("; ")}; through the proxy of the environment`,
          cost: "The proxy resolves names: Haft does not check the addresses behind them.",
        };
  try {
    return [
      usual,
      ...webSettings(web).notices.map((line): DoctorFinding => ({ id: "web", status: "limits", found: line })),
    ];
  } catch (error) {
    return [
      usual,
      { id: "web", status: "stops", found: (error as Error).message, next: 'Fix "web.ca", or remove it.' },
    ];
  }
}
