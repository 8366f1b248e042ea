/** What the main entry exports of the adapters. Each SDK has an entry of its own. */
export type { SchemaProvider } from "./provider-rules.js";
export { type ProviderSchema, providerSchema } from "./provider-schema.js";
