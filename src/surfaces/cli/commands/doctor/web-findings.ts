/** What is configured of the web, and what is therefore not checked. */
import type { LoadedConfig } from "../../configuration.js";
import { UsageError } from "../../usage.js";
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
    const limits = webSettings(web).notices.map(
      ({ found, next }): DoctorFinding => ({ id: "web", status: "limits", found, next }),
    );
    return [usual, ...limits];
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    const next = 'Fix "web.ca", or remove it.';
    return [{ id: "web", status: "stops", found: error.message, cost: "No call starts.", next }];
  }
}
