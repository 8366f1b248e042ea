/** Whether a container collects the processes that others leave behind. */
import type { Backend } from "../../kernel/index.js";

/** A child whose parent has ended belongs to PID 1, which has a second to collect it. Prints its state where it did not. */
const PROBE = `
orphan=$( (sh -c 'echo $$' &) )
for _ in 1 2 3 4 5; do
  [ -e "/proc/$orphan/stat" ] || exit 0
  sleep 0.2 2>/dev/null || sleep 1
done
read -r state <"/proc/$orphan/stat" && echo "$state"
`;

/**
 * Whether PID 1 collects ended processes (`docker run --init` sees to it). Where it does not, each job and each closed session
 * leaves some dead entries in the process table until the container is restarted, which counts against a limit of processes.
 */
export async function reapsOrphans(backend: Backend): Promise<boolean> {
  const { stdout } = await backend.root.shell.exec(PROBE, { cwd: "/", timeoutMs: 10_000 });
  return !/\) Z/.test(new TextDecoder().decode(stdout.head));
}
