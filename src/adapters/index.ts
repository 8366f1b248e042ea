/** What the main entry exports of the adapters. Each SDK has an entry of its own. */
export { type ProviderSchema, providerSchema, type SchemaProvider } from "./provider-schema.js";
