/**
 * Makes a class unreachable from its instances, and freezes its methods. Without this a tool could create a port of its own that
 * is bound to no grant, or change the ports of later calls.
 */
export function sealPort({ prototype }: { readonly prototype: object }): void {
  Object.defineProperty(prototype, "constructor", { value: Object });
  Object.freeze(prototype);
}
