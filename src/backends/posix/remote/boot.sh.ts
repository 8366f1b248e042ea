/** The first text sent to the remote shell: it reads the script with `read`, so that no part is lost. */
import { sh } from "./sh.js";

/** What the remote shell prints when it is ready to take the script. Anything that a login shell printed before is skipped. */
export const BOOT_LINE = "haft-boot";

/** The line that ends the script. */
export const BOOT_END = "haft-end";

/**
 * Startup files may have set aliases, functions that shadow tools, options and IFS: they are reset first.
 *
 * Some shells read input in blocks and would swallow what follows, so nothing is sent after this until `BOOT_LINE` has come
 * back. The loop and the commands after it are one list, which is parsed as a whole before it runs.
 */
export const BOOT = sh`
'set' +e +u +f +C +v +x
'unalias' -a 2>/dev/null
'unset' -f command kill mkdir mv printf pwd read rm umask wait cat cd dd head id ls sh sleep stat timeout wc 2>/dev/null
'unset' IFS
hf_b=
printf '%s\n' haft-boot
while IFS= read -r hf_l && [ "$hf_l" != haft-end ]; do hf_b="$hf_b$hf_l
"; done; eval "$hf_b"; exit 0
`;
