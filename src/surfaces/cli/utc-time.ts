/** A moment as commands show it: "2031-05-01 10:20:30 UTC", or to the minute. */
export function utcTime(ms: number, precision: "second" | "minute" = "second"): string {
  const shown = new Date(ms).toISOString().slice(0, precision === "second" ? 19 : 16);
  return `${shown.replace("T", " ")} UTC`;
}
