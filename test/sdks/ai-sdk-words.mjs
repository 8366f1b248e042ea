/** What the loops of the AI SDK share. */

/** Calls the model until it asks for no more approvals; each one is answered as the user does. */
export async function answeringApprovals(prompt, approve, generate) {
  const messages = [{ role: "user", content: prompt }];
  for (;;) {
    const { text, content, messages: more } = await generate(messages);
    messages.push(...more);
    const asked = content.filter(({ type }) => type === "tool-approval-request");
    if (asked.length === 0) return text;
    const answers = [];
    for (const { approvalId, toolCall } of asked) {
      const approved = await approve(toolCall);
      const reason = approved ? {} : { reason: "The user said no." };
      answers.push({ type: "tool-approval-response", approvalId, approved, ...reason });
    }
    messages.push({ role: "tool", content: answers });
  }
}

/** `@ai-sdk/openai` 4 writes an error as `{"error": …}`, 3 as its text. */
export function withErrorForm(wire) {
  const unwrapped = (result) => {
    const text = result.parts[0]?.text ?? "";
    if (!text.startsWith('{"error":')) return result;
    const error = JSON.parse(text).error.replace(/^AI_\w+: /, "");
    return { ...result, isError: true, parts: [{ type: "text", text: error }] };
  };
  return { ...wire, read: (body) => wire.read(body).map(unwrapped) };
}

export const TOOLS =
  "read, ls, grep, find, write, edit, move, delete, bash, process, todo_set, todo_read, time, webfetch, websearch, http_request, cron_add, cron_list, cron_remove, cron_update, cron_run, cron_runs, memory_store, memory_recall, memory_forget, echo, nothing, boom, wait";

export const result = (text) => [[{ id: "call_1", isError: true, parts: [{ type: "text", text }] }]];

/** Where the SDK answers the model itself. */
export const WORDS = {
  "an approval denied": result("The user said no."),
  "an unknown tool": result(`Model tried to call unavailable tool 'frobnicate'. Available tools: ${TOOLS}.`, true),
};
