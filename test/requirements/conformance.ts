/**
 * Requirements that a conformance suite proves, on every backend that runs it: requirement → cases of `src/testing/`.
 * What one backend cannot do stands in its plan with a reason; `local` can do all of these.
 */
export const PROVED_BY_SUITES: Readonly<Record<string, readonly string[]>> = {
  "IR-023": [
    "fs:read:text-is-exact",
    "fs:read:any-bytes-survive",
    "fs:write:creates",
    "fs:stat:file",
    "fs:readdir:sorted",
    "fs:mkdir:recursive",
    "fs:rm:file",
    "fs:exists:never-rejects",
  ],
  "IR-025": ["fs:stat:file", "fs:stat:directory", "fs:stat:whole-milliseconds", "fs:symlink:to-a-file"],
  "IR-026": ["fs:readdir:sorted", "fs:stat:same-in-readdir"],
  "IR-027": ["fs:rm:missing", "fs:rm:recursive", "fs:rm:directory-needs-recursive"],
  "IR-028": ["fs:exists:never-rejects"],
  "IR-029": ["shell:exec:lines", "shell:spawn:result"],
  "IR-030": ["shell:env:overlay", "shell:cwd:given"],
  "IR-031": ["shell:stdin:given", "shell:exec:timeout-ends-tree"],
  "IR-032": ["shell:exit:signal"],
  "IR-033": ["shell:spawn:kill", "shell:spawn:listeners"],
  "IR-034": ["shell:spawn:listeners"],
  "IR-035": ["shell:spawn:listeners"],
  "IR-092": ["search:cancel:before", "search:cancel:during"],
  "IR-136": ["shell:output:flood-on-both-streams"],
  "IR-137": ["shell:exec:timeout-ends-tree"],
  "IP-020": ["shell:exec:abort-ends-tree"],
  "IP-021": ["shell:exec:timeout-ends-tree", "shell:exec:new-session-ends-too"],
  "IP-022": ["shell:spawn:listeners"],
  "BD-056": ["fs:read:text-is-exact", "fs:write:creates", "shell:exec:lines", "search:grep:lines"],
  "BD-060": ["fs:read:any-bytes-survive", "fs:write:creates", "shell:stdin:given"],
};
