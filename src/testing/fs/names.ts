/** Names that break what is put together from strings. */
import { onFs } from "../case-setup.js";
import { expectEqual, expectError } from "../expect.js";
import type { Fixture } from "../fixture.js";
import type { Case, Suite } from "../plan.js";
import { ALL, refuseEach } from "./operations.js";

/** The whole life of a file and of a directory under one name. */
function livesUnder(id: string, what: string, name: string): Case<Fixture> {
  return onFs(`fs:name:${id}`, `A name with ${what} works in every operation`, async (fs, path, fixture) => {
    await fs.mkdir(path(`${name}/${name}`), true);
    const file = path(`${name}/${name}/file ${name}`);
    await fs.writeFile(file, "one");
    await fs.writeFile(file, "two");
    expectEqual(await fs.readText(file), "two", "text");
    expectEqual((await fs.stat(file)).size, 3, "size");
    expectEqual(await fs.exists(file), true, "exists");
    const listed = (await fs.readDir(path(`${name}/${name}`))).children.map((child) => child.name);
    expectEqual(listed, [`file ${name}`], "the listing");
    const [resolved] = await fs.resolve([file]);
    expectEqual([resolved?.real, resolved?.missing, resolved?.kind], [file, "", "file"], "resolve");
    await fs.rename(file, path(name + name), { replace: false });
    expectEqual(await fs.readText(path(name + name)), "two", "text after renaming");
    await fs.rm(path(name + name), { recursive: false, ignoreMissing: false });
    await fs.rm(path(name), { recursive: true, ignoreMissing: false });
    expectEqual((await fs.readDir(fixture.directory)).children, [], "what is left");
  });
}

export const fsNames: Suite<Fixture> = [
  livesUnder("spaces", "spaces, also at its ends", " two  words "),
  livesUnder("quotes", "quotes", `it's "quoted" \`here\``),
  livesUnder("newline", "newlines, also at its end", "first\nsecond\n"),
  livesUnder("leading-dash", "a leading dash", "-rf"),
  livesUnder("unicode", "characters of many scripts", "é漢😀\u202e"),
  livesUnder("decomposed", "decomposed characters", "e\u0301"),
  livesUnder("backslash", "backslashes", "a\\b\\\\c\\n\\101"),
  livesUnder("shell-signs", "signs that a shell expands", "$HOME $(id) *?[a]{b,c};&|<>!#~"),
  livesUnder("control", "tabs and control characters", "a\tb\u0001\u001b[31m\r"),
  livesUnder("percent", "percent signs and colons", "100%s: %d%%"),
  livesUnder("long", "the most bytes that a name may have with its marks", "n".repeat(120)),
  onFs("fs:name:nul", "A NUL byte in a path is FS_BAD_PATH", async (fs, path) => {
    await expectError(fs.readText(path("a\0b")), "FS_BAD_PATH", "readText");
    await expectError(fs.stat(path("a\0b")), "FS_BAD_PATH", "stat");
    await expectError(fs.writeFile(path("a\0b"), "x"), "FS_BAD_PATH", "writeFile");
    await expectError(fs.mkdir(path("a\0b"), true), "FS_BAD_PATH", "mkdir");
    await expectError(fs.rename(path("a\0b"), path("c"), { replace: true }), "FS_BAD_PATH", "rename");
    const reported = await fs.readText(path("a\0b")).catch((error: unknown) => (error as Error).message);
    expectEqual(
      reported,
      `Did not read "${path("a\\0b")}": a path cannot contain a NUL byte. Remove it.`,
      "the message, the same on every backend",
    );
    expectEqual(await fs.exists(path("a")), false, "a file under the first half of the name is there");
  }),
  onFs("fs:name:lone-surrogate", "A lone surrogate in a path is FS_BAD_PATH", async (fs, path) => {
    await fs.writeFile(path("\ufffd"), "kept");
    await refuseEach(ALL, fs, path("\ud800"), "FS_BAD_PATH");
    await expectError(fs.rename(path("\ufffd"), path("\udfff"), { replace: true }), "FS_BAD_PATH", "rename to");
    expectEqual(await fs.exists(path("\ud800")), false, "exists");
    expectEqual(await fs.readText(path("\ufffd")), "kept", "the file named U+FFFD");
  }),
  onFs("fs:name:case-matters", "Names that differ in case are two files", async (fs, path) => {
    await fs.writeFile(path("Name"), "upper");
    await fs.writeFile(path("name"), "lower");
    expectEqual([await fs.readText(path("Name")), await fs.readText(path("name"))], ["upper", "lower"], "texts");
  }),
  onFs("fs:name:deep", "A path of sixty directories works", async (fs, path) => {
    const deep = Array.from({ length: 60 }, (_, index) => `level-${index}`).join("/");
    await fs.mkdir(path(deep), true);
    await fs.writeFile(path(`${deep}/file`), "deep");
    expectEqual(await fs.readText(path(`${deep}/file`)), "deep", "text");
    await fs.rm(path("level-0"), { recursive: true, ignoreMissing: false });
  }),
];
