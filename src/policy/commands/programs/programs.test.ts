import { describe, expect, it } from "vitest";
import { compileSpec } from "../compile-spec.js";
import type { ProgramSpec } from "../program-spec.js";
import { PROGRAM_TABLES, programNamed } from "./index.js";

function compileAll(spec: ProgramSpec, name: string): string[] {
  const inner = [
    ...Object.entries(spec.commands ?? {}),
    ...(spec.otherwise === undefined ? [] : [["*", spec.otherwise] as const]),
  ];
  try {
    compileSpec(spec);
  } catch (error) {
    return [`${name}: ${(error as Error).message}`];
  }
  return inner.flatMap(([sub, one]) => compileAll(one, `${name} ${sub}`));
}

describe("the program tables", () => {
  it("have only words of their language", () => {
    const wrong = PROGRAM_TABLES.flatMap((table) =>
      Object.entries(table).flatMap(([name, spec]) => compileAll(spec, name)),
    );
    expect(wrong).toEqual([]);
  });

  it("have each program once", () => {
    const names = PROGRAM_TABLES.flatMap((table) => Object.keys(table));
    expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
  });

  it("find a program whatever its letter case and version, and nothing by a name of JavaScript", () => {
    expect(programNamed("LS")).toBe(programNamed("ls"));
    expect(programNamed("mkfs.ext4")).toBe(programNamed("mkfs"));
    expect(programNamed("python3.12")).toBe(programNamed("python"));
    expect(programNamed("gcc-12")).toBe(programNamed("gcc"));
    for (const name of ["constructor", "toString", "__proto__"]) expect(programNamed(name)).toBeUndefined();
  });
});
