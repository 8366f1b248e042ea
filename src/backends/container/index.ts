/** Machines in containers, by the client of docker or podman. */
export { ContainerTransport } from "./container-transport.js";
export type { EngineName } from "./engine.js";
export { type ContainerMachine, type OpenContainerOptions, openContainer } from "./open-container.js";
export { type OpenImageOptions, openImage } from "./open-image.js";
