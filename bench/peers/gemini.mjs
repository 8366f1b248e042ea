/** The tools of Gemini CLI, in this process: its own configuration, no model, nothing asked. */
import { join } from "node:path";

export async function openGemini({ layout, cwd }) {
  const core = await import(layout.peers.gemini.entry);
  const config = new core.Config({
    sessionId: "bench",
    targetDir: cwd,
    cwd,
    debugMode: false,
    model: "gemini-2.5-pro",
    approvalMode: "yolo",
    usageStatisticsEnabled: false,
    telemetry: { enabled: false },
    disableLLMCorrection: true,
  });
  await config.storage.initialize();
  const tool = (Tool) => {
    const made = new Tool(config, config.messageBus);
    return async (input) => {
      const signal = new AbortController().signal;
      const { llmContent, error } = await made.build(input).execute({ abortSignal: signal, signal });
      const text = typeof llmContent === "string" ? llmContent : JSON.stringify(llmContent);
      if (error !== undefined) throw new Error(error.message);
      return text;
    };
  };
  const [grep, find, read, edit, bash] = [
    core.RipGrepTool,
    core.GlobTool,
    core.ReadFileTool,
    core.EditTool,
    core.ShellTool,
  ].map(tool);
  return {
    grep: ({ pattern, path }) => grep({ pattern, dir_path: path, total_max_matches: 200 }),
    find: ({ name }) => find({ pattern: `**/*${name}*` }),
    read({ path, first, count, lines }) {
      const start = first < 0 ? lines + first + 1 : first;
      return read({ file_path: join(cwd, path), start_line: start, end_line: start + count - 1 });
    },
    edit: ({ path, oldText, newText }) =>
      edit({ file_path: join(cwd, path), instruction: "Change it.", old_string: oldText, new_string: newText }),
    bash: ({ command }) => bash({ command }),
  };
}
