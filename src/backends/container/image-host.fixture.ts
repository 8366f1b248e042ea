/** Started as a process by `image.test.ts`: a host with a container of an image, until it is killed. */
import { openImage } from "./index.js";

const [image = "", workspace = ""] = process.argv.slice(2);
const { backend, transport } = await openImage({ image, workspace, engine: "podman" });
void backend.root.shell.exec("exec sleep 600", { cwd: workspace });
process.stdout.write(`${transport.container}\n`);
