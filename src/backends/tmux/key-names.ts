/** The keys that tmux knows. It types an unknown name as text, so names are checked here. */
import { HaftError } from "../../kernel/index.js";

const NAMED = [
  ...["Enter", "Escape", "Tab", "BTab", "Space", "BSpace", "Up", "Down", "Left", "Right", "Home", "End"],
  ...["PageUp", "PgUp", "PPage", "PageDown", "PgDn", "NPage", "Insert", "IC", "Delete", "DC"],
  ...Array.from({ length: 12 }, (_, index) => `F${index + 1}`),
  ...Array.from({ length: 10 }, (_, index) => `KP${index}`),
  ...["KP/", "KP*", "KP-", "KP+", "KP.", "KPEnter"],
];
const BY_LOWER_CASE = new Map(NAMED.map((name) => [name.toLowerCase(), name]));

/** The name as tmux takes it: "C-c", "M-x", "S-Up", "enter" as "Enter". @throws `TERMINAL_KEY` with the nearest names. */
export function keyName(key: string): string {
  const [, modifiers = "", base = ""] = /^((?:[CMS]-|\^(?=.))*)(.*)$/su.exec(key) ?? [];
  const name = BY_LOWER_CASE.get(base.toLowerCase());
  if (name !== undefined) return modifiers + name;
  const isCharacter = [...base].length === 1 && base > " " && base !== "\u007f";
  if (isCharacter && !modifiers.includes("S-")) return modifiers + base;
  throw unknownKey(key, base);
}

function unknownKey(key: string, base: string): HaftError {
  const start = base.toLowerCase().replace(/^(?:ctrl|control|alt|meta|shift)[-+]?/, "");
  const near = NAMED.filter((name) => {
    const lower = name.toLowerCase();
    return start.length >= 2 && (lower.startsWith(start.slice(0, 3)) || start.startsWith(lower));
  }).slice(0, 4);
  const control = /^(?:ctrl|control|\^)[-+ ]?(.)$/i.exec(key)?.[1];
  const meta = /^(?:alt|meta)[-+ ]?(.)$/i.exec(key)?.[1];
  const names = [
    ...(control === undefined ? [] : [`C-${control.toLowerCase()}`]),
    ...(meta === undefined ? [] : [`M-${meta}`]),
    ...near,
  ];
  const hint =
    names.length === 0 ? "Use names such as Enter, Escape, Up, F1, C-c, M-x" : `Did you mean ${names.join(", ")}`;
  return new HaftError(
    "TERMINAL_KEY",
    `Did not type: there is no key "${key}". ${hint}${names.length === 0 ? ", or type it as text." : "?"}`,
    { details: { key } },
  );
}
