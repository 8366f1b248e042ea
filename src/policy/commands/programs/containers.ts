/** Containers. A container can be given the whole machine, so that starting one is never low. */
import type { ProgramSpec, ProgramTable } from "../program-spec.js";

const LOOKS: ProgramSpec = {
  why: "shows the state of the engine",
  operands: "text*",
  options: { "-f --filter --format -n --last --tail --since --until --type": "text" },
};
const STARTS: ProgramSpec = {
  does: "high network",
  why: "starts programs in a container, which may reach the machine",
  operands: "text*",
  stopsAtOperand: true,
  options: {
    "-e --env -p --publish -w --workdir --name --network --label -l -u --user --entrypoint -m --memory --cpus --platform --hostname -h":
      "text",
    "--env-file": "read",
    "-v --volume --mount --device": "text high",
  },
};
const CHANGES: ProgramSpec = { does: "medium", why: "changes containers", operands: "text*" };
const DELETES: ProgramSpec = { does: "high", why: "deletes containers, images or volumes", operands: "text*" };

const COMPOSE: ProgramSpec = {
  options: {
    "-f --file": "script",
    "--env-file": "read",
    "--project-directory": "cwd",
    "-p --project-name --profile": "text",
  },
  operands: "text*",
  commands: {
    "version ls": LOOKS,
    "ps logs images top port events config": {
      does: "medium",
      why: "reads a configuration that may include others from the network, and secrets",
      operands: "text*",
    },
    "up run exec build create start restart pull watch": {
      does: "medium workspace network",
      why: "runs what the workspace configures",
      operands: "text*",
      stopsAtOperand: true,
    },
    "down rm kill stop pause unpause push": DELETES,
  },
};

const ENGINE: ProgramSpec = {
  info: "--version -v --help version info",
  operands: "text*",
  options: { "-H --host -c --context --config": "high text", "-l --log-level": "text" },
  commands: {
    "ps images logs inspect version info top stats port diff history events": LOOKS,
    "container image volume network system": {
      operands: "text*",
      commands: { "ls list inspect df info logs top stats port diff history": LOOKS, "prune rm remove": DELETES },
      otherwise: { does: "high", why: "changes containers", operands: "text*" },
    },
    "run exec create attach": STARTS,
    "build buildx": {
      does: "medium workspace network",
      why: "runs the build of the workspace",
      operands: "read",
      options: {
        "-f --file": "script",
        "-t --tag --build-arg --target --platform --label --progress": "text",
        "--secret --ssh": "high text",
        "-o --output --iidfile": "write",
      },
    },
    "pull login logout push search": {
      does: "high network",
      why: "exchanges images with a registry",
      operands: "text*",
    },
    "start stop restart pause unpause kill wait rename update tag": CHANGES,
    "rm rmi prune": DELETES,
    cp: { does: "medium", why: "copies files to or from a container", operands: "maybe*" },
    "save export": { does: "medium", operands: "text*", options: { "-o --output": "write" } },
    "load import": { does: "medium", operands: "read*", options: { "-i --input": "read" } },
    compose: COMPOSE,
  },
};

export const CONTAINERS: ProgramTable = {
  docker: ENGINE,
  podman: ENGINE,
  nerdctl: ENGINE,
  "docker-compose": COMPOSE,
  "podman-compose": COMPOSE,
  buildah: STARTS,
  skopeo: { does: "high network", operands: "text*" },
  minikube: { does: "high network", operands: "text*" },
  kind: { does: "high network", operands: "text*" },
  vagrant: { does: "high workspace network", operands: "text*" },
  qemu: { does: "high", operands: "text*" },
};
