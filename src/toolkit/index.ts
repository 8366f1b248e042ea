/** Where the parts come together: a toolkit, its boxes, and the shared default host. */
export type { EndedAfterKill } from "./backend-set.js";
export { type BuiltinRegistryOptions, builtinRegistry } from "./builtin-registry.js";
export { createToolkit, type Toolkit, type ToolkitOptions, type ToolkitSession } from "./create-toolkit.js";
export { makeLocalContext, resetTodos, toolBox, tryToolBox } from "./default-host.js";
export { DIALECT_NAMES, dialectNamed } from "./dialect-named.js";
export { type OpenBackendOptions, openBackend, TARGETS } from "./open-backend.js";
export { workspaceProblem } from "./workspace.js";
