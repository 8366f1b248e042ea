import { describe, expect, it } from "vitest";
import { notAWorkspace } from "./workspace.js";

describe("the workspace", () => {
  it.each([
    ["/", "root of the file system"],
    ["/home/user", "a home directory"],
    ["/home/user/", "a home directory"],
    ["/home/other", "a home directory"],
    ["/root", "a home directory"],
    ["/Users/somebody", "a home directory"],
    ["/home", "contains home directories"],
    ["/etc", "a system directory"],
    ["/etc/nginx", "a system directory"],
    ["/usr", "a system directory"],
    ["/usr/lib/node_modules", "a system directory"],
    ["/proc/1/cwd", "a system directory"],
    ["/tmp", "a system directory"],
    ["/var", "a system directory"],
  ])("is not %s", (path, why) => {
    expect(notAWorkspace(path, "/home/user")).toContain(why);
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
    expect(notAWorkspace(path, "/home/user")).toBeUndefined();
  });
});
