/** The tools of pi, in this process. */
export async function openPi({ layout, cwd }) {
  process.env.PI_OFFLINE = "1";
  process.env.PI_CODING_AGENT_DIR = `${layout.peerDirectory}/pi-home`;
  const pi = await import(layout.peers.pi.entry);
  const tool = (make) => {
    const made = make(cwd);
    return async (input) => {
      const { content } = await made.execute("1", input);
      return content.map((block) => block.text ?? "").join("\n");
    };
  };
  const [grep, find, read, edit, bash] = ["Grep", "Find", "Read", "Edit", "Bash"].map((name) =>
    tool(pi[`create${name}Tool`]),
  );
  return {
    grep: ({ pattern, path }) => grep({ pattern, path, limit: 200 }),
    find({ name }) {
      if (layout.fd.path === undefined) throw new Error("not offered: it needs fd, which is not here");
      return find({ pattern: `*${name}*` });
    },
    read({ path, first, count, lines }) {
      return read({ path, offset: first < 0 ? lines + first + 1 : first, limit: count });
    },
    edit: ({ path, oldText, newText }) => edit({ path, edits: [{ oldText, newText }] }),
    bash: ({ command }) => bash({ command }),
  };
}
