/** A host that starts a job, waits for its end and prints what it said: `node job-waits.mjs BUILD STATE`. */
const [build, stateDir] = process.argv.slice(2);
const { createToolkit } = await import(build);
const toolkit = await createToolkit({ autonomy: "full", workspace: process.cwd(), stateDir });
const { runner } = toolkit.session("waits").box();
const call = (input) => runner.run({ id: "1", name: "process", input });
// Each answer contains new output only; the first may already contain everything a fast command prints.
for (const input of [
  { action: "start", command: "seq 1 300000", lifetime: "host" },
  { action: "wait", id: "job-1" },
])
  console.log((await call(input)).output);
await toolkit.close();
