/** Shell text as a template: `\${` stands for the shell's own `${`; every other backslash is the shell's. */
export function sh(strings: TemplateStringsArray): string {
  return (strings.raw[0] ?? "").replaceAll("\\${", "${");
}

/** The script without comment lines, blank lines and indentation: what travels. Scripts hold no text that starts a line with `#`. */
export function shrink(script: string): string {
  const kept = script
    .split("\n")
    .map((line) => line.trimStart())
    .filter((line) => line !== "" && !line.startsWith("#"));
  return `${kept.join("\n")}\n`;
}
