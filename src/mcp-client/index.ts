/** Tools of other MCP servers, as tools of a box. */
export {
  type OpenServersOptions,
  openServers,
  type ServerAddress,
  type ServerState,
  type Servers,
} from "./open-servers.js";
