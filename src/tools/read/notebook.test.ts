import { describe, expect, it } from "vitest";
import { memoryBench } from "../tool-bench.fixture.js";
import type { ReadData } from "./contract.js";
import { notebookView } from "./notebook.js";

const notebook = (cells: readonly object[]) => JSON.stringify({ cells, metadata: {}, nbformat: 4, nbformat_minor: 5 });
const code = (source: string | readonly string[], outputs: readonly object[] = []) => ({
  cell_type: "code",
  execution_count: 3,
  source,
  outputs,
});
const stream = (text: string | readonly string[], name = "stdout") => ({ output_type: "stream", name, text });

describe("a notebook", () => {
  it("is shown as cells with their outputs", () => {
    const cells = [
      { cell_type: "markdown", source: ["# Title\n", "Text"] },
      code("1 + 1\n", [
        stream(["a\n", "b\n"]),
        stream("careful", "stderr"),
        { output_type: "execute_result", data: { "text/plain": ["2"] } },
        { output_type: "display_data", data: { "image/png": "aGVsbG8=" } },
        { output_type: "error", ename: "E", evalue: "why", traceback: ["\u001b[31mE\u001b[0m: why"] },
      ]),
    ];
    expect(notebookView(notebook(cells))).toEqual({
      cells: 2,
      truncated: 1,
      text: [
        "--- cell 1 of 2: markdown ---",
        "# Title",
        "Text",
        "",
        "--- cell 2 of 2: code, run 3 ---",
        "1 + 1",
        "--- stdout ---",
        "a",
        "b",
        "--- stderr ---",
        "careful",
        "--- output ---",
        "2",
        "[output: image/png, 8 bytes, not shown]",
        "--- error ---",
        "E: why",
        "",
      ].join("\n"),
    });
  });

  it("has long outputs truncated and counted, by lines and by bytes", () => {
    const lines = Array.from({ length: 50 }, () => "x").join("\n");
    const view = notebookView(notebook([code("", [stream(lines), stream("é".repeat(3_000))])]));
    expect(view?.truncated).toBe(2);
    expect(view?.text).toContain("[20 of 99 bytes of this output omitted]");
    expect(view?.text).toContain("[4000 of 6000 bytes of this output omitted]");
  });

  it("is no notebook where the JSON is none, or another one", () => {
    for (const text of ["", "{", "[]", '{"cells":[]}', '{"nbformat":3,"worksheets":[]}', '{"nbformat":4,"cells":[1]}'])
      expect(notebookView(text)).toBeUndefined();
    for (const cell of [{}, { source: 5, outputs: {} }, { outputs: [1, { data: 5 }] }])
      expect(notebookView(notebook([cell]))?.text).toBe("--- cell 1 of 1: cell ---\n");
  });
});

describe("reading a notebook", () => {
  const json = notebook([code("first"), code(["second\n", "third"])]);
  const read = (bench: ReturnType<typeof memoryBench>, more: object = {}, notebooks = true, path = "n.ipynb") =>
    bench.call<ReadData>("read", { path, ...more }, { notebooks });

  it("shows the cells by windows of lines, and reports it", async () => {
    const bench = memoryBench({ "n.ipynb": json });
    const done = await read(bench);
    expect(done.data).toMatchObject({ kind: "text", totalLines: 6, sizeBytes: json.length });
    expect(done.data?.text).toContain("--- cell 2 of 2: code, run 3 ---\nsecond\nthird\n");
    expect(done.details?.notes).toEqual([
      'Notebook shown as cells (2); line numbers are those of this view. The file is JSON; set `encoding` to "utf-8" to see it as `edit` needs it.',
    ]);
    expect((await read(bench, { offset: 5, limit: 1 })).data).toMatchObject({ text: "second\n", nextOffset: 6 });
    expect((await read(bench, { offset: -1 })).data?.text).toBe("third\n");
  });

  it("gives the file as it is where an encoding is named, the limits do not ask for cells, or it is none", async () => {
    const bench = memoryBench({ "n.ipynb": json, "n.json": json, "bad.ipynb": "{" });
    expect((await read(bench, { encoding: "utf-8" })).data?.text).toBe(json);
    expect((await read(bench, {}, false)).data?.text).toBe(json);
    expect((await read(bench, {}, true, "n.json")).data?.text).toBe(json);
    expect((await read(bench, {}, true, "bad.ipynb")).data?.text).toBe("{");
  });

  it("lets the file be written afterwards, for it has been seen", async () => {
    const bench = memoryBench({ "n.ipynb": json });
    await read(bench);
    expect(await bench.call("write", { path: "n.ipynb", content: "{}" })).toMatchObject({ isError: false });
  });
});
