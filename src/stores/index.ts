/** What every store shares: a session over the documents of any `State`. */
export {
  type DocumentSession,
  type DocumentSessionOptions,
  documentSession,
  type LocalSession,
  todoItemsOf,
} from "./document-session.js";
