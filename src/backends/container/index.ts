/** Machines in containers, by the client of docker or podman. */
export type { ContainerFault } from "./container-state.js";
export { ContainerTransport, type InContainer } from "./container-transport.js";
export { type Engine, type EngineName, type EngineOptions, findEngine } from "./engine.js";
export { type ContainerMachine, type OpenContainerOptions, openContainer } from "./open-container.js";
export { type OpenImageOptions, openImage } from "./open-image.js";
