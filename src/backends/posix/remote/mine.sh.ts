/** Whether a directory in a place where others may write, such as /tmp, is ours. */
import { sh, shrink } from "./sh.js";

export const MINE = sh`
# Whether $1 itself, not what a symlink of that name leads to, is a directory that only this user can enter. Type, mode and owner
# are of one look: where the directory above is sticky, no other user can then put another in its place.
hf_is_mine() {
  set -- "$1" "$(LC_ALL=C ls -ldn -- "$1" 2>/dev/null)"
  case $2 in drwx--[-S]---*) ;; *) return 1 ;; esac
  hf_me=\${hf_me:-$(id -u 2>/dev/null)}
  # Without id, the shell says whose it is.
  if [ -z "$hf_me" ]; then [ -O "$1" ] && [ ! -L "$1" ]; return; fi
  set -- \${2%%/*}
  [ "$3" = "$hf_me" ]
}
`;

/** The shell function `hf_is_mine DIRECTORY`, for scripts of other modules. The path is absolute. */
export const IS_MINE = `unset hf_me\n${shrink(MINE)}`;
