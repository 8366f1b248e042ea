/** An ordered catalogue of tools and the collections that group them. */
import { nearestNames } from "../text/index.js";
import { HaftError } from "./errors.js";
import type { DefinedTool } from "./tool.js";
import { type ContextFactory, createToolBox, type ToolBox, type ToolBoxOptions } from "./tool-box.js";

/**
 * Tools by name, in the order of their first registration; a later one of the same name takes the earlier one's place.
 * `register`, `registerAll` and `collection` return the registry, so that they chain.
 */
export class ToolRegistry {
  readonly #tools = new Map<string, DefinedTool>();
  readonly #collections = new Map<string, readonly string[]>();

  register(tool: DefinedTool): this {
    this.#tools.set(tool.name, tool);
    return this;
  }

  registerAll(tools: Iterable<DefinedTool>): this {
    for (const tool of tools) this.register(tool);
    return this;
  }

  has(name: string): boolean {
    return this.#tools.has(name);
  }

  /** @throws `REGISTRY_UNKNOWN_TOOL` */
  get(name: string): DefinedTool {
    const tool = this.#tools.get(name);
    if (tool === undefined) throw unknown("REGISTRY_UNKNOWN_TOOL", "tool", name, this.names());
    return tool;
  }

  names(): readonly string[] {
    return [...this.#tools.keys()];
  }

  /** Names a group of registered tools. @throws `REGISTRY_UNKNOWN_TOOL` for a member that is not registered. */
  collection(name: string, members: readonly string[]): this {
    for (const member of members) this.get(member);
    this.#collections.set(name, [...members]);
    return this;
  }

  /** The tools of a collection in its order; "all" is every registered tool unless it was defined otherwise. @throws `REGISTRY_UNKNOWN_COLLECTION` */
  membersOf(name: string): readonly DefinedTool[] {
    if (typeof name !== "string")
      throw new HaftError(
        "REGISTRY_UNKNOWN_COLLECTION",
        "A box takes the name of a collection. A session is chosen by `toolkit.session(NAME).box()`.",
      );
    const members = this.#collections.get(name) ?? (name === "all" ? this.names() : undefined);
    if (members === undefined) throw unknown("REGISTRY_UNKNOWN_COLLECTION", "collection", name, this.collectionNames());
    return members.map((member) => this.get(member));
  }

  /** The defined collections, and "all". */
  collectionNames(): readonly string[] {
    return [...new Set([...this.#collections.keys(), "all"])];
  }

  /** A box that shows and runs the tools of one collection, or all of them. @throws `REGISTRY_UNKNOWN_COLLECTION` */
  toToolBox(factory: ContextFactory, collection = "all", options: ToolBoxOptions = {}): ToolBox {
    return createToolBox(this.membersOf(collection), factory, options);
  }
}

/** The message is part of the contract; the hint is separate. */
function unknown(
  code: "REGISTRY_UNKNOWN_TOOL" | "REGISTRY_UNKNOWN_COLLECTION",
  what: string,
  name: string,
  known: readonly string[],
): HaftError {
  const near = nearestNames(name, known);
  const meant = near.length > 0 ? `Did you mean ${near.map((one) => `"${one}"`).join(" or ")}?` : "";
  const all = `Registered: ${known.length > 0 ? known.join(", ") : "none"}.`;
  // There are few collections.
  const hint = what === "collection" ? `${meant} ${all}`.trim() : meant || all;
  return new HaftError(code, `No ${what} named "${name}" is registered.`, { hint, details: { name } });
}
