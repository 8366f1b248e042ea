/** What every store shares: a session over the documents of any `State`, and the URL of a database. */
export {
  type DocumentSession,
  type DocumentSessionOptions,
  documentSession,
  type LocalSession,
  todoItemsOf,
} from "./document-session.js";
export { isPostgresUrl, secretsOfStoreUrl, shownStoreUrl } from "./store-url.js";
