import { describe, expect, it } from "vitest";
import { workspaceProblem } from "./workspace.js";

describe("the workspace", () => {
  it.each([
    ["/", "root of the file system"],
    ["/home/user", "a home directory"],
    ["/home/user/", "a home directory"],
    ["/home/other", "a home directory"],
    ["/root", "a home directory"],
    ["/Users/somebody", "a home directory"],
    ["/home", "holds home folders"],
    ["/etc", "of the system"],
    ["/etc/nginx", "of the system"],
    ["/usr", "of the system"],
    ["/usr/lib/node_modules", "of the system"],
    ["/proc/1/cwd", "of the system"],
    ["/tmp", "of the system"],
    ["/var", "of the system"],
  ])("is not %s", (path, why) => {
    const problem = workspaceProblem(path, "/home/user");
    expect(problem).toContain(why);
    expect(problem).toContain("--workspace DIR");
  });

  it.each([
    "/home/user/project",
    "/root/project",
    "/srv/app",
    "/tmp/x",
    "/usr/local/src/app",
    "/opt/app",
    "/project",
    "/var/www/app",
    "/etcetera",
  ])("may be %s", (path) => {
    expect(workspaceProblem(path, "/home/user")).toBeUndefined();
  });
});
