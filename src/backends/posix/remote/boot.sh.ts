/** The first words to a shell at the other end: it takes the script in by `read`, so that nothing of it is lost. */
import { sh } from "./sh.js";

/** What the remote shell prints when it is ready to take the script. Whatever a login shell said before it is skipped. */
export const BOOT_LINE = "haft-boot";

/** The line that ends the script. */
export const BOOT_END = "haft-end";

/**
 * A start-up file may have left aliases, functions in the place of tools, options and separators: they are put off first.
 *
 * Some shells read their input in blocks and would swallow what follows; so nothing is sent behind this until `BOOT_LINE`
 * has come back. The loop and what follows stand in one list, which is parsed as a whole before it runs.
 */
export const BOOT = sh`
'set' +e +u +f +C +v +x
'unalias' -a 2>/dev/null
'unset' -f command kill mkdir mv printf pwd read rm umask wait cat cd dd ls sh sleep stat 2>/dev/null
'unset' IFS
hf_b=
printf '%s\n' haft-boot
while IFS= read -r hf_l && [ "$hf_l" != haft-end ]; do hf_b="$hf_b$hf_l
"; done; eval "$hf_b"; exit 0
`;
